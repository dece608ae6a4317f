// `counterfoil records`: the newest records, filtered.

import { type Command, Option } from 'commander';

import { type Interface, INTERFACES, type Mode, MODES, type Status, STATUSES } from '../contract.ts';
import { UsageError } from '../errors.ts';
import { formatInstant, formatMilliseconds } from '../instant.ts';
import { type CommonOptions, formatTime, printJson, printTable, withCommonOptions, withStore } from './output.ts';

interface RecordsOptions extends CommonOptions {
  readonly administration?: string;
  readonly mode?: Mode;
  readonly interface?: Interface;
  readonly status?: Status;
  readonly externalId?: string;
  readonly before?: string;
  readonly limit: string;
}

export function bindRecords(program: Command): void {
  const command = program
    .command('records')
    .description('list records, the newest first')
    .option('--administration <name>', 'only of this administration')
    .addOption(new Option('--mode <mode>', 'only of this mode').choices([...MODES]))
    .addOption(new Option('--interface <interface>', 'only by this interface').choices([...INTERFACES]))
    .addOption(new Option('--status <status>', 'only with this status').choices([...STATUSES]))
    .option('--external-id <id>', 'only with this external_id; on the earlier interface, this id')
    .option('--before <record>', 'only records older than this one: the next page')
    .option('--limit <number>', 'how many at the most', '50');
  withCommonOptions(command).action(listRecords);
}

async function listRecords(options: RecordsOptions): Promise<void> {
  const { administration, mode, interface: by, status, externalId } = options;
  const limit = wholeNumber(options.limit, '--limit');
  const beforeId = options.before === undefined ? undefined : wholeNumber(options.before, '--before');
  const records = await withStore(options, (store) =>
    store.listRecords({ administration, mode, interface: by, status, externalId, beforeId, limit }),
  );
  if (options.json === true) {
    return printJson(
      records.map(({ soldAt, receivedAt, ...record }) => ({
        ...record,
        timestamp: `${formatInstant(soldAt)}Z`,
        receivedAt: formatMilliseconds(receivedAt),
      })),
    );
  }
  if (records.length === 0) return console.log('No records.');
  printTable(
    ['record', 'interface', 'status', 'external_id', 'type', 'sold at', 'arrived at', 'till', 'original', 'clock'],
    records.map((record) => [
      record.recordId,
      record.interface,
      record.status,
      record.externalId,
      record.type,
      formatTime(record.soldAt * 1000),
      formatTime(record.receivedAt),
      record.till,
      record.originalId ?? '-',
      record.clock ?? '',
    ]),
  );
}

function wholeNumber(text: string, option: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`${option} takes a whole number from 1 up, not ${text}.`);
}
