// `counterfoil records`: lists the newest records, with filters.

import { type Command, Option } from 'commander';

import { causeSentence } from '../cause.ts';
import {
  type DeliveryState,
  DELIVERY_STATES,
  type Interface,
  INTERFACES,
  type Mode,
  MODES,
  type Status,
  STATUSES,
} from '../contract/codes.ts';
import type { Delivery } from '../contract/records.ts';
import { formatInstant, formatMilliseconds } from '../lib/instant.ts';
import {
  type CommonOptions,
  formatTime,
  printJson,
  printTable,
  wholeNumber,
  withCommonOptions,
  withStore,
} from './output.ts';

interface RecordsOptions extends CommonOptions {
  readonly administration?: string;
  readonly mode?: Mode;
  readonly interface?: Interface;
  readonly status?: Status;
  readonly externalId?: string;
  readonly delivery?: DeliveryState;
  readonly before?: number;
  readonly limit: number;
}

export function bindRecords(program: Command): void {
  const command = program
    .command('records')
    .description('list records, newest first')
    .option('--administration <name>', 'only records of this administration')
    .addOption(new Option('--mode <mode>', 'only records of this mode').choices([...MODES]))
    .addOption(new Option('--interface <interface>', 'only records of this interface').choices([...INTERFACES]))
    .addOption(new Option('--status <status>', 'only records with this status').choices([...STATUSES]))
    .option('--external-id <id>', 'only records with this external_id; on the earlier interface, with this id')
    .addOption(
      new Option('--delivery <state>', 'only records with this forwarding state').choices([...DELIVERY_STATES]),
    )
    .option(
      '--before <record>',
      'only records older than the record with this number, which gives the next page',
      wholeNumber('--before'),
    )
    .option('--limit <number>', 'the maximum number of entries', wholeNumber('--limit'), 50);
  withCommonOptions(command).action(listRecords);
}

async function listRecords(options: RecordsOptions): Promise<void> {
  const { administration, mode, interface: by, status, externalId, delivery, before: beforeId, limit } = options;
  const records = await withStore(options, (store) =>
    store.records.list({ administration, mode, interface: by, status, externalId, delivery, beforeId, limit }),
  );
  if (options.json === true) {
    return printJson(
      records.map(({ soldAt, receivedAt, delivery: sent, ...record }) => ({
        ...record,
        delivery: sent && listDelivery(sent),
        timestamp: `${formatInstant(soldAt)}Z`,
        receivedAt: formatMilliseconds(receivedAt),
      })),
    );
  }
  if (records.length === 0) return console.log('No records.');
  printTable(
    [
      'record',
      'interface',
      'status',
      'external_id',
      'type',
      'sold at',
      'arrived at',
      'administration',
      'mode',
      'till',
      'original',
      'delivery',
      'clock',
    ],
    records.map((record) => [
      record.recordId,
      record.interface,
      record.status,
      record.externalId,
      record.type,
      formatTime(record.soldAt * 1000),
      formatTime(record.receivedAt),
      record.administration,
      record.mode,
      record.till,
      record.originalId ?? '-',
      describeDelivery(record.delivery),
      record.clock ?? '',
    ]),
  );
}

/**
 * `answer` is the upstream's answer. If the upstream gave no answer, it is the reason why the upstream did not accept the
 * record.
 */
function listDelivery({ cause, ...delivery }: Delivery) {
  const { answer, answeredAt } = delivery;
  return {
    ...delivery,
    answer: answer ?? (cause && causeSentence(cause)),
    answeredAt: answeredAt === null ? null : formatMilliseconds(answeredAt),
  };
}

/** Describes the delivery in words, with the status, or the HTTP status and the text, in the upstream's answer. */
function describeDelivery(delivery: Delivery | null): string {
  if (delivery === null) return '-';
  const { state, answer, answerStatus, upstreamStatus } = delivery;
  if (upstreamStatus === 'ERROR') return `${state}, ERROR there`;
  if (state !== 'held' || answerStatus === null) return state;
  const said = (answer ?? '').replace(/\s+/g, ' ').trim();
  return said === '' ? `held (${answerStatus})` : `held (${answerStatus}): ${shorten(said)}`;
}

/** Shortens the upstream's text for the table; --json has the whole excerpt that is stored. */
function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_SHOWN_ANSWER ? text : `${characters.slice(0, MAX_SHOWN_ANSWER - 1).join('')}…`;
}

const MAX_SHOWN_ANSWER = 80;
