// `counterfoil upstream`: where records are forwarded to, and what people do about it.

import { type Command, Option } from 'commander';

import { type Interface, INTERFACES, type Mode, MODES } from '../contract.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { parseUpstream } from '../forward/address.ts';
import { dayRange } from '../instant.ts';
import type { Act, LaneName, RecordChoice } from '../store/act.ts';
import { readGivenKey } from './given-key.ts';
import { type CommonOptions, formatTime, printJson, printTable, withCommonOptions, withStore } from './output.ts';

/** Who did it, in the log of acts. */
const ACTOR = 'command line';

export function bindUpstream(program: Command): void {
  const upstream = program.command('upstream').description('where records are forwarded to, and what to do about it');

  lane(upstream.command('set').description('set or change the address and our key there, within a second'))
    .requiredOption('--url <url>', 'the base address; the gateway adds /v1/raw_transactions')
    .option('--token-file <file>', 'a file with our key there, - for standard input; it is kept for its owner only')
    .option('--token <token>', 'our key there, where the process list and the shell’s history may show it')
    .option('--plain-http', 'take http:// beyond this machine, where the key can be read on the way')
    .action(set);
  withCommonOptions(upstream.command('show').description('show every lane')).action(show);
  for (const [name, kind, description, done] of SIMPLE_ACTS) {
    lane(upstream.command(name).description(description)).action(async (options: LaneOptions) => {
      await act(options, { kind });
      say(options, { done: kind }, done);
    });
  }
  choice(lane(upstream.command('send-again').description('let held or set-aside records wait to be sent again')))
    .option('--delivered', 'delivered ones too; the upstream tells them from new ones')
    .action(sendAgain);
  choice(lane(upstream.command('set-aside').description('keep held records and don’t send them')))
    .requiredOption('--reason <text>', 'why; it is kept')
    .action(setAside);
  withCommonOptions(upstream.command('acts').description('what was done, the newest first'))
    .option('--limit <number>', 'how many at the most', '50')
    .action(listActs);
}

const SIMPLE_ACTS = [
  ['pause', 'pause', 'stop forwarding; everything is kept', 'Paused. Everything is kept and waits.'],
  ['resume', 'resume', 'go on forwarding', 'Forwarding goes on.'],
  ['try-now', 'try now', 'try at once instead of waiting for the next time', 'The gateway tries now.'],
] as const;

interface LaneOptions extends CommonOptions {
  readonly administration: string;
  readonly mode: Mode;
  readonly interface: Interface;
}

/** Adds the options that name a lane. */
function lane(command: Command): Command {
  return withCommonOptions(
    command
      .requiredOption('--administration <name>', 'whose records')
      .addOption(new Option('--mode <mode>', 'production or test').choices([...MODES]).makeOptionMandatory())
      .addOption(
        new Option('--interface <interface>', 'the records of which interface')
          .choices([...INTERFACES])
          .default('current'),
      ),
  );
}

interface ChoiceOptions extends LaneOptions {
  readonly record?: string;
  readonly day?: string;
  readonly all?: boolean;
}

function choice(command: Command): Command {
  return command
    .option('--record <number>', 'this record')
    .option('--day <day>', 'those sold on this day (UTC), as YYYY-MM-DD')
    .option('--all', 'all of them');
}

/** Does an act and returns how many records it was about. */
async function act(options: LaneOptions, wanted: Act): Promise<number> {
  const { administration, mode, interface: by } = options;
  const name: LaneName = { administration, mode, interface: by };
  const result = await withStore(options, (store) => store.performAct(name, wanted, ACTOR));
  if (result.kind === 'done') return result.records;
  throw new OperatorError(
    `There is no administration ${administration} in ${mode} mode; counterfoil status shows what there is.`,
  );
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
  await act(options, { kind: 'set upstream', upstream });
  say(options, { url: upstream.url }, `Records of ${options.administration} (${mode}) go to ${upstream.url}.`);
}

async function sendAgain(options: ChoiceOptions & { delivered?: boolean }): Promise<void> {
  const { delivered = false, all } = options;
  if (delivered && all === true)
    throw new UsageError('--delivered takes --record or --day; not everything is sent again.');
  const records = await act(options, { kind: 'send again', records: parseChoice(options), delivered });
  say(options, { records }, `${records} records wait to be sent again.`);
}

async function setAside(options: ChoiceOptions & { reason: string }): Promise<void> {
  const reason = options.reason.trim();
  if (reason === '' || reason.length > 500) throw new UsageError('--reason takes 1 to 500 characters.');
  const records = await act(options, { kind: 'set aside', records: parseChoice(options), reason });
  say(options, { records }, `${records} records are set aside. They are kept.`);
}

function parseChoice({ record, day, all }: ChoiceOptions): RecordChoice {
  if ([record, day, all].filter((given) => given !== undefined).length !== 1) {
    throw new UsageError('Say which records: --record, --day or --all.');
  }
  if (record !== undefined) {
    if (!/^[1-9]\d{0,14}$/.test(record)) throw new UsageError(`--record takes the number of a record, not ${record}.`);
    return { kind: 'one', recordId: Number(record) };
  }
  if (day === undefined) return { kind: 'all' };
  const range = dayRange(day);
  if (range === undefined) throw new UsageError(`--day takes a day as YYYY-MM-DD, not ${day}.`);
  return { kind: 'sold', ...range };
}

async function show(options: CommonOptions): Promise<void> {
  const lanes = await withStore(options, (store) => store.listLaneStatus());
  if (options.json === true) return printJson(lanes);
  if (lanes.length === 0)
    return console.log('Nothing has been set up yet: counterfoil keys create makes the first key.');
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
      each.state,
      each.waiting,
      each.held,
      each.delivered,
      each.setAside,
      formatTime(each.deliveredAt),
      each.url ?? '-',
    ]),
  );
  for (const { administration, mode, interface: by, cause, since } of lanes) {
    if (cause !== null) console.log(`${administration} (${mode}, ${by}): ${cause} Since ${formatTime(since)}.`);
  }
}

async function listActs(options: CommonOptions & { limit: string }): Promise<void> {
  if (!/^[1-9]\d{0,8}$/.test(options.limit))
    throw new UsageError(`--limit takes a whole number from 1 up, not ${options.limit}.`);
  const acts = await withStore(options, (store) => store.listActs(Number(options.limit)));
  if (options.json === true) return printJson(acts);
  if (acts.length === 0) return console.log('Nobody has done anything yet.');
  printTable(
    ['at', 'by', 'act', 'administration', 'mode', 'interface', 'detail'],
    acts.map((each) => [
      formatTime(each.at),
      each.actor,
      each.act,
      each.administration,
      each.mode,
      each.interface,
      each.detail,
    ]),
  );
}
