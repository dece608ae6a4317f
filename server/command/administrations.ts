// `counterfoil administrations`: shows and changes the store days of each administration, and its address, versions and
// resources on the earlier interface.

import { type Command, Option } from 'commander';

import { ACTORS, type Status, STATUSES, TEST_HOST_PREFIX } from '../contract/codes.ts';
import type { Customer, Resource } from '../contract/setup.ts';
import { shownCommand } from '../data-location.ts';
import { assertNever, OperatorError, UsageError } from '../errors.ts';
import { isForwardable, isHostPart, isResource, isVersion } from '../store/setup/input-rules.ts';
import type { Administration, AdministrationChange } from '../store/setup/ledger.ts';
import { type CommonOptions, parseName, printJson, printTable, quote, withCommonOptions, withStore } from './output.ts';
import { formatTimeOfDay, parseTimeOfDay, parseTimeZone } from './time-of-day.ts';

export function bindAdministrations(program: Command): void {
  const administrations = program
    .command('administrations')
    .description(
      'show and change the start of store days, and the addresses, versions and resources of the earlier interface',
    );

  withCommonOptions(administrations.command('list').description('list the administrations')).action(list);

  const set = administrations
    .command('set')
    .description('change the given settings of an administration; takes effect within a second')
    .requiredOption('--administration <name>', 'the name of the administration, as given to keys create')
    .option('--rename <name>', 'the new name of the administration')
    .option(
      '--time-zone <zone>',
      'the time zone of its store, such as Europe/Amsterdam; days that were checked or signed off do not change',
    )
    .option('--day-starts-at <time>', 'when a store day begins, as HH:MM on a quarter hour, such as 04:00')
    .option('--customer-name <name>', 'the first part of its customer address; needs --customer-id')
    .option('--customer-id <id>', 'the second part of its customer address')
    .option('--no-customer', 'remove its customer address')
    .option('--versions <list>', 'the versions of the earlier interface that it accepts, such as v1,v2')
    .option(
      '--resources <list>',
      'the resources it accepts, such as transaction,refund:refundid; the name after a colon is that of the id parameter',
    )
    .option('--forwarded <list>', 'the statuses that are forwarded: NEW, or NEW,IGNORED,ERROR')
    .addOption(
      new Option(
        '--others-send <answer>',
        '“yes” if other systems, such as a web shop, send to the same account upstream; a day is then complete when all sales of this gateway are upstream',
      ).choices(['yes', 'no']),
    );
  withCommonOptions(set).action(change);
}

async function list(options: CommonOptions): Promise<void> {
  const administrations = await withStore(options, (store) => store.setup.listAdministrations());
  if (options.json === true) return printJson(administrations.map(describe));
  if (administrations.length === 0)
    return console.log(
      `No administrations exist yet. Create a key first: ${shownCommand(options.data, 'keys create')}`,
    );
  print(administrations);
}

function describe({ dayRules: _, ...administration }: Administration) {
  return administration;
}

function print(administrations: readonly Administration[]): void {
  printTable(
    [
      'administration',
      'time zone',
      'day starts at',
      'customer name',
      'customer id',
      'versions',
      'resources',
      'forwarded',
      'others send',
    ],
    administrations.map(({ name, timeZone, dayStartsAt, customer, versions, resources, forwarded, othersSend }) => [
      name,
      timeZone,
      formatTimeOfDay(dayStartsAt),
      customer?.name ?? '-',
      customer?.id ?? '-',
      versions.join(','),
      resources.map((resource) => `${resource.name}:${resource.idParameter}`).join(','),
      forwarded.join(','),
      othersSend ? 'yes' : 'no',
    ]),
  );
}

interface SetOptions extends CommonOptions {
  readonly administration: string;
  readonly rename?: string;
  readonly timeZone?: string;
  readonly dayStartsAt?: string;
  readonly customerName?: string;
  readonly customerId?: string;
  /** False if the user gave --no-customer. */
  readonly customer: boolean;
  readonly versions?: string;
  readonly resources?: string;
  readonly forwarded?: string;
  readonly othersSend?: 'yes' | 'no';
}

async function change(options: SetOptions): Promise<void> {
  const { administration: name } = options;
  const wanted = parseChange(options);
  const result = await withStore(options, (store) =>
    store.setup.changeAdministration(name, wanted, ACTORS.commandLine),
  );
  switch (result.kind) {
    case 'changed':
      return options.json === true ? printJson(describe(result.administration)) : print([result.administration]);
    case 'unknown':
      throw new OperatorError(
        `The administration ${quote(name)} does not exist; ${shownCommand(options.data, 'administrations list')} shows them.`,
      );
    case 'name taken':
      throw new OperatorError(`The administration ${quote(wanted.name ?? '')} already exists. Choose another name.`);
    case 'taken':
      throw new OperatorError(
        `${result.by} already has this customer name and id. Two administrations cannot share them.`,
      );
    default:
      return assertNever(result);
  }
}

function parseChange({
  rename,
  timeZone,
  dayStartsAt,
  versions,
  resources,
  forwarded,
  othersSend,
  ...address
}: SetOptions): AdministrationChange {
  const customer = parseCustomer(address);
  const wanted = {
    ...(rename !== undefined && { name: parseName(rename, '--rename') }),
    ...(timeZone !== undefined && { timeZone: parseTimeZone(timeZone) }),
    ...(dayStartsAt !== undefined && { dayStartsAt: parseTimeOfDay(dayStartsAt, '--day-starts-at', 15) }),
    ...(customer !== undefined && { customer }),
    ...(versions !== undefined && { versions: parseList('--versions', versions).map(parseVersion) }),
    ...(resources !== undefined && { resources: parseResources(parseList('--resources', resources)) }),
    ...(forwarded !== undefined && { forwarded: parseForwarded(parseList('--forwarded', forwarded)) }),
    ...(othersSend !== undefined && { othersSend: othersSend === 'yes' }),
  };
  if (Object.keys(wanted).length > 0) return wanted;
  throw new UsageError(
    'Nothing to change. Give --rename, --time-zone, --day-starts-at, --customer-name and --customer-id, or --no-customer, --versions, --resources, --forwarded or --others-send.',
  );
}

/** Reads the customer options. The result null removes the customer from the administration; undefined leaves it unchanged. */
function parseCustomer({
  customerName: name,
  customerId: id,
  customer: mayHave,
}: Pick<SetOptions, 'customerName' | 'customerId' | 'customer'>): Customer | null | undefined {
  if (name === undefined && id === undefined) return mayHave ? undefined : null;
  if (!mayHave)
    throw new UsageError(
      '--no-customer removes the address; leave out this option, or --customer-name and --customer-id.',
    );
  if (name === undefined || id === undefined) {
    throw new UsageError('--customer-name and --customer-id belong together; give both.');
  }
  return { name: parseHostPart('--customer-name', name), id: parseHostPart('--customer-id', id) };
}

/** Checks that a text is valid as one part of a domain name (RFC 1123). */
function parseHostPart(option: string, text: string): string {
  const label = text.toLowerCase();
  if (isHostPart(label)) return label;
  throw new UsageError(
    `${option} is part of a host name: 1 to 63 letters, digits and hyphens, other than ${TEST_HOST_PREFIX}, not ${quote(text)}.`,
  );
}

function parseList(option: string, text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (new Set(items).size === items.length && !items.includes('')) return items;
  throw new UsageError(`${option} must be a list with commas, without empty or repeated items.`);
}

function parseVersion(text: string): string {
  if (isVersion(text)) return text;
  throw new UsageError(
    `--versions must be names of 1 to 32 letters, digits and . _ - other than c, . and .., not ${quote(text)}.`,
  );
}

function parseForwarded(items: readonly string[]): readonly Status[] {
  if (isForwardable(items)) return STATUSES.filter((status) => items.includes(status));
  throw new UsageError(
    `--forwarded must be NEW, or NEW with others of ${STATUSES.join(', ')}, not ${items.join(',')}.`,
  );
}

function parseResources(items: readonly string[]): Resource[] {
  const resources = items.map((item) => {
    const [name = '', idParameter = 'transactionid', ...more] = item.split(':');
    if (name === 'raw_transactions') throw new UsageError('raw_transactions is a resource of the current interface.');
    if (more.length === 0 && isResource({ name, idParameter })) return { name, idParameter };
    throw new UsageError(
      `--resources must be names of 1 to 64 letters, digits, _ and -, each followed by a colon and the name of its id unless that is transactionid, not ${quote(item)}.`,
    );
  });
  if (new Set(resources.map(({ name }) => name)).size === resources.length) return resources;
  throw new UsageError('--resources names a resource twice.');
}
