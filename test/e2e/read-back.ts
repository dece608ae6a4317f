// Reads the sent records back: counts and lists from the query. The earlier interface has no query, so its records come from
// the command line.

import { z } from 'zod';

import { type Interface, STATUSES } from '../../server/contract/codes.ts';
import type { Site } from '../support/gateway-process.ts';
import { getRange } from '../support/http-call.ts';

const rangeAnswer = z.object({
  raw_transaction_count: z.int(),
  next_cursor: z.string().nullable(),
  raw_transactions: z.array(z.object({ external_id: z.string() })).default([]),
});

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 32;

/** A range of days as `YYYY-MM-DD`, including both ends. */
export interface Days {
  readonly first: string;
  readonly last: string;
}

export function listDays({ first, last }: Days): string[] {
  const days: string[] = [];
  for (let time = Date.parse(first); time <= Date.parse(last); time += DAY_MS) days.push(formatDay(time));
  return days;
}

export async function countOfDay(url: string, key: string, day: string): Promise<number> {
  const { raw_transaction_count: count } = await query(url, key, rangeOf(Date.parse(day), 1));
  return count;
}

/**
 * Lists every external_id, one range of days after the other, each page by page. Throws if the pages of a range do not add up
 * to its count.
 */
export async function listReceived(url: string, key: string, { first, last }: Days): Promise<string[]> {
  const ids: string[] = [];
  for (let from = Date.parse(first); from <= Date.parse(last); from += WINDOW_DAYS * DAY_MS) {
    ids.push(...(await listWindow(url, key, rangeOf(from, WINDOW_DAYS))));
  }
  return ids;
}

const keptRecords = z.array(
  z
    .object({ external_id: z.string(), status: z.enum(STATUSES), timestamp: z.iso.datetime() })
    .transform(({ external_id: externalId, status, timestamp }) => ({
      externalId,
      status,
      day: timestamp.slice(0, 10),
    })),
);

/** Every record of an interface, with any status. */
export async function listKept(site: Site, by: Interface): Promise<z.infer<typeof keptRecords>> {
  return keptRecords.parse(await site.runJson('records', '--interface', by, '--limit', '1000000'));
}

async function listWindow(url: string, key: string, range: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  const counts = new Set<number>();
  let cursor: string | null = null;
  do {
    const page: z.infer<typeof rangeAnswer> = await query(url, key, {
      ...range,
      expand: 'raw_transactions',
      ...(cursor !== null && { cursor }),
    });
    ids.push(...page.raw_transactions.map((record) => record.external_id));
    counts.add(page.raw_transaction_count);
    cursor = page.next_cursor;
  } while (cursor !== null);
  if (counts.size === 1 && counts.has(ids.length)) return ids;
  throw new Error(`${JSON.stringify(range)}: the pages list ${ids.length}, the counts say ${[...counts].join(', ')}`);
}

async function query(url: string, key: string, parameters: Record<string, string>) {
  const answer = await getRange(url, key, parameters);
  if (answer.status !== 200) throw new Error(`a query was answered ${answer.status}: ${answer.text}`);
  return rangeAnswer.parse(answer.json());
}

function rangeOf(from: number, days: number): Record<string, string> {
  return { timestamp_gte: `${formatDay(from)}T00:00:00`, timestamp_lt: `${formatDay(from + days * DAY_MS)}T00:00:00` };
}

function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
