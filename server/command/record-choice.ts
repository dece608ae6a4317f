// The options that choose the records for an act on a lane. Also checks that the act can change the chosen record.

import type { Command } from 'commander';

import type { DeliveryState } from '../contract/codes.ts';
import type { RecordChoice } from '../contract/records.ts';
import { shownCommand } from '../data-location.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { dayRange } from '../lib/instant.ts';
import type { LaneName } from '../store/outbox/ledger.ts';
import type { Store } from '../store/store.ts';
import type { CommonOptions } from './output.ts';

export interface ChoiceOptions {
  readonly record?: string;
  readonly day?: string;
  readonly all?: boolean;
}

/** Adds the options that choose records. */
export function withChoiceOptions(command: Command): Command {
  return command
    .option('--record <number>', 'the record with this number')
    .option('--day <day>', 'the records sold on this day (UTC), as YYYY-MM-DD')
    .option('--all', 'all records that the command can change');
}

/** Throws a UsageError unless exactly one of the options is given, with a valid value. */
export function parseChoice({ record, day, all }: ChoiceOptions): RecordChoice {
  if ([record, day, all].filter((given) => given !== undefined).length !== 1) {
    throw new UsageError('Say which records: --record, --day or --all.');
  }
  if (record !== undefined) {
    if (!/^[1-9]\d{0,14}$/.test(record))
      throw new UsageError(`--record must be the number of a record, not ${record}.`);
    return { kind: 'one', recordId: Number(record) };
  }
  if (day === undefined) return { kind: 'all' };
  const range = dayRange(day);
  if (range === undefined) throw new UsageError(`--day must be a day as YYYY-MM-DD, not ${day}.`);
  return { kind: 'sold', ...range };
}

/** Rejects with an OperatorError if the record is not on this lane, or if its state is not one of `states`. */
export async function assertChoosable(
  store: Store,
  lane: LaneName,
  recordId: number,
  states: readonly DeliveryState[],
  { data }: CommonOptions,
): Promise<void> {
  const [record] = await store.records.list({ beforeId: recordId + 1, limit: 1 });
  if (record?.recordId !== recordId) {
    throw new OperatorError(`Record ${recordId} does not exist; ${shownCommand(data, 'records')} shows them.`);
  }
  if (nameOf(record) !== nameOf(lane)) {
    throw new OperatorError(`Record ${recordId} belongs to ${nameOf(record)}, not to ${nameOf(lane)}.`);
  }
  if (record.delivery === null) {
    throw new OperatorError(`Record ${recordId} is ${record.status}, and such records are not forwarded.`);
  }
  const { state } = record.delivery;
  if (!states.includes(state)) throw new OperatorError(`Record ${recordId} is ${state}, not ${states.join(' or ')}.`);
}

function nameOf({ administration, mode, interface: by }: LaneName): string {
  return `${administration} (${mode}, ${by})`;
}
