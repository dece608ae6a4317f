// `counterfoil upstream`: sets where records are forwarded to, and controls the forwarding.

import { type Command, Option } from 'commander';

import { causeWithCommand } from '../cause.ts';
import { loadConfig } from '../config.ts';
import type { ActEntry } from '../contract/acts.ts';
import {
  ACTORS,
  type DeliveryState,
  type Interface,
  INTERFACES,
  MAX_REASON_LENGTH,
  type Mode,
  MODES,
} from '../contract/codes.ts';
import type { RecordChoice } from '../contract/records.ts';
import { dataDirectory, shownCommand } from '../data-location.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { assertKeyOfMode, parseUpstream } from '../forward/address.ts';
import { findLinkLocalWarning } from '../forward/link-local.ts';
import { findOwnAddressFault } from '../forward/own-address.ts';
import { readListening } from '../listening.ts';
import type { Act, LaneName, LaneStatus } from '../store/outbox/ledger.ts';
import { actText } from '../store/setup/act-text.ts';
import type { Store } from '../store/store.ts';
import { readGivenKey } from './given-key.ts';
import {
  type CommonOptions,
  formatTime,
  printJson,
  printTable,
  shownOptions,
  wholeNumber,
  withCommonOptions,
  withStore,
} from './output.ts';
import { assertChoosable, type ChoiceOptions, parseChoice, withChoiceOptions } from './record-choice.ts';
import { describeState } from './status.ts';

export function bindUpstream(program: Command): void {
  const upstream = program.command('upstream').description('show and control where records are forwarded to');

  withLaneOptions(
    upstream
      .command('set')
      .description('set or change the address of the upstream and our key for it; takes effect within a second'),
  )
    .requiredOption(
      '--url <url>',
      'the base address; the gateway adds /v1/raw_transactions or, on the earlier interface, the version and the resource, such as /v1/transaction. In test mode, the earlier interface needs a test address, such as http://127.0.0.1:7420/c/dev-plem/bakery/1207',
    )
    .option('--token-file <file>', 'a file with our key for the upstream (- for standard input)')
    .option('--token <token>', 'our key for the upstream; the process list and the shell’s history may show it')
    .option('--plain-http', 'allow http:// to another machine; others on the network can then read the key')
    .action(set);
  withCommonOptions(upstream.command('show').description('show every lane')).action(show);
  for (const [name, kind, description, done] of SIMPLE_ACTS) {
    withLaneOptions(upstream.command(name).description(description)).action(async (options: LaneOptions) => {
      await act(options, { kind });
      say(options, { done: kind }, done);
    });
  }
  withChoiceOptions(withLaneOptions(upstream.command('send-again').description('send held or set-aside records again')))
    .option('--delivered', 'also send delivered records again; the upstream recognises them as duplicates')
    .action(sendAgain);
  withChoiceOptions(
    withLaneOptions(
      upstream.command('set-aside').description('set held records aside: keep them, but do not send them'),
    ),
  )
    .requiredOption('--reason <text>', 'the reason; it is kept')
    .action(setAside);
  withCommonOptions(
    upstream.command('acts').description('list what people did with lanes and their records, newest first'),
  )
    .option('--limit <number>', 'the maximum number of entries', wholeNumber('--limit'), 50)
    .action(listActs);
}

const SIMPLE_ACTS = [
  ['pause', 'pause', 'stop forwarding; all records are kept', 'Paused. Everything is kept and waits.'],
  ['resume', 'resume', 'resume forwarding', 'Forwarding has resumed.'],
  ['try-now', 'try now', 'send a record now instead of waiting for the next attempt', 'The gateway tries now.'],
] as const;

interface LaneOptions extends CommonOptions {
  readonly administration: string;
  readonly mode: Mode;
  readonly interface: Interface;
}

/** Adds the options that name a lane. */
function withLaneOptions(command: Command): Command {
  return withCommonOptions(
    command
      .requiredOption('--administration <name>', 'the administration of the records')
      .addOption(new Option('--mode <mode>', 'production or test').choices([...MODES]).makeOptionMandatory())
      .addOption(
        new Option('--interface <interface>', 'the interface of the records')
          .choices([...INTERFACES])
          .default('current'),
      ),
  );
}

/** Runs `before`, performs the act, and returns the number of changed records. */
async function act(
  options: LaneOptions,
  wanted: Act,
  before?: (store: Store, lane: LaneName) => void | Promise<void>,
): Promise<number> {
  const { administration, mode, interface: by } = options;
  const name: LaneName = { administration, mode, interface: by };
  const result = await withStore(options, async (store) => {
    await before?.(store, name);
    return store.outbox.performAct(name, wanted, ACTORS.commandLine);
  });
  if (result.kind === 'done') return result.records;
  throw new OperatorError(
    `The administration ${administration} does not exist in ${mode} mode; ${shownCommand(options.data, 'status')} lists the existing ones.`,
  );
}

/**
 * Like `act`, but only for records in one of the given states. Rejects if the user named one record and it is in another state.
 */
async function actOnRecords(
  options: LaneOptions,
  wanted: Act & { readonly records: RecordChoice },
  states: readonly DeliveryState[],
): Promise<number> {
  const { records: choice } = wanted;
  const records = await act(options, wanted, async (store, lane) => {
    if (choice.kind === 'one') await assertChoosable(store, lane, choice.recordId, states, options);
  });
  if (choice.kind === 'one' && records === 0)
    throw new OperatorError('The record has just changed. Check it, then try again.');
  return records;
}

function say(options: CommonOptions, json: unknown, text: string): void {
  if (options.json === true) printJson(json);
  else console.log(text);
}

interface SetOptions extends LaneOptions {
  readonly url: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly plainHttp?: boolean;
}

async function set(options: SetOptions): Promise<void> {
  const { url, mode, interface: by, plainHttp = false } = options;
  const given = await readGivenKey('--token', options.token, options.tokenFile);
  if (given === undefined) throw new UsageError('Give our key there with --token-file FILE, or - for standard input.');
  const { key: token, option: tokenOption } = given;
  const upstream = parseUpstream({ url, token, tokenOption, mode, interface: by, plainHttp });
  await act(options, { kind: 'set upstream', upstream }, async (store) => {
    assertKeyOfMode({ token, tokenOption, mode }, store.outbox.lanes());
    const fault = await findOwnAddressFault(upstream.url, listOwnPorts(dataDirectory(options.data)));
    if (fault !== undefined) throw new OperatorError(fault);
  });
  const warning = findLinkLocalWarning(upstream.url);
  if (warning !== undefined) console.error(`counterfoil: ${warning}`);
  say(options, { url: upstream.url }, `Records of ${options.administration} (${mode}, ${by}) go to ${upstream.url}.`);
}

/**
 * Lists the ports on which the gateway of this data directory listened after its last start. If it has never started, lists the
 * ports in its settings.
 */
export function listOwnPorts(dataDir: string): number[] {
  try {
    const { port, consolePort } = readListening(dataDir) ?? loadConfig(dataDir, {});
    return [port, consolePort];
  } catch (error) {
    if (error instanceof UsageError) return []; // the gateway reports invalid settings when it starts
    throw error;
  }
}

async function sendAgain(options: LaneOptions & ChoiceOptions & { delivered?: boolean }): Promise<void> {
  const { delivered = false, all } = options;
  if (delivered && all === true)
    throw new UsageError('--delivered needs --record or --day; all delivered records cannot be sent again at once.');
  const states: DeliveryState[] = delivered ? ['held', 'set aside', 'delivered'] : ['held', 'set aside'];
  const records = await actOnRecords(options, { kind: 'send again', records: parseChoice(options), delivered }, states);
  const done = records === 1 ? '1 record waits to be sent again.' : `${records} records wait to be sent again.`;
  say(
    options,
    { records },
    records === 0 ? `None of these records is ${states.join(' or ')}; nothing is sent again.` : done,
  );
}

async function setAside(options: LaneOptions & ChoiceOptions & { reason: string }): Promise<void> {
  const reason = options.reason.trim();
  if (reason === '' || reason.length > MAX_REASON_LENGTH)
    throw new UsageError(`--reason must have 1 to ${MAX_REASON_LENGTH} characters.`);
  const records = await actOnRecords(options, { kind: 'set aside', records: parseChoice(options), reason }, ['held']);
  const done =
    records === 1 ? '1 record is set aside. It is kept.' : `${records} records are set aside. They are kept.`;
  say(options, { records }, records === 0 ? 'None of these records is held; nothing is set aside.' : done);
}

async function show(options: CommonOptions): Promise<void> {
  const lanes = await withStore(options, (store) => store.outbox.listLaneStatus());
  if (options.json === true) return printJson(lanes.map((lane) => listLane(lane, options)));
  if (lanes.length === 0)
    return console.log(`Nothing is set up yet. To make the first key: ${shownCommand(options.data, 'keys create')}`);
  printTable(
    [
      'administration',
      'mode',
      'interface',
      'state',
      'waiting',
      'held',
      'delivered',
      'set aside',
      'last delivery',
      'upstream',
    ],
    lanes.map((each) => [
      each.administration,
      each.mode,
      each.interface,
      describeState(each),
      each.waiting,
      each.held,
      each.delivered,
      each.setAside,
      formatTime(each.deliveredAt),
      each.url ?? '-',
    ]),
  );
  for (const lane of lanes) {
    const { administration, mode, interface: by, cause, since } = lane;
    if (cause === null) continue;
    const sinceWhen = since === null ? '' : ` Since ${formatTime(since)}.`;
    console.log(
      `${administration} (${mode}, ${by}): ${causeWithCommand(cause, shownOptions(lane, options))}${sinceWhen}`,
    );
  }
}

function listLane({ id: _, journalId: __, ...lane }: LaneStatus, options: CommonOptions) {
  return { ...lane, cause: lane.cause && causeWithCommand(lane.cause, shownOptions(lane, options)) };
}

async function listActs(options: CommonOptions & { limit: number }): Promise<void> {
  const acts = await withStore(options, (store) => store.setup.listActs({ limit: options.limit, aboutLanes: true }));
  if (options.json === true) return printJson(acts.map(listAct));
  if (acts.length === 0) return console.log('No acts yet.');
  printTable(
    ['at', 'by', 'act', 'administration', 'mode', 'interface', 'detail'],
    acts
      .map(listAct)
      .map((each) => [
        formatTime(each.at),
        each.actor,
        each.act,
        each.administration ?? '-',
        each.mode ?? '-',
        each.interface ?? '-',
        each.detail,
      ]),
  );
}

/** Converts an act for JSON output, and describes the act in words. */
function listAct({ id, at, actor, administration, mode, interface: by, act }: ActEntry) {
  const { name, detail } = actText(act);
  return { id, at, actor, act: name, administration, mode, interface: by, detail };
}
