/**
 * Measures what a till's query costs, over HTTP on one keep-alive connection, one call at a time as the interface requires.
 * Measures counts over 1 and 32 days, and pages at the start, at page 50 and at the end. Calls that are compared with each
 * other alternate.
 */
import { Client } from 'undici';

import { median } from './machine.ts';
import { filledYear, formatTimestamp } from './records.ts';

/** Medians in milliseconds. `storeMs` is the time in the store as the gateway reports it (Server-Timing), or null. */
export type Cost = { ms: number; storeMs: number | null; calls: number };

export type QueryCosts = {
  countDay: Cost;
  countMonth: Cost;
  firstPage: Cost;
  deepPage: Cost & { page: number };
  lastPage: Cost & { page: number };
  /** The time to read all pages from the first page to page 50. */
  walk: Cost;
  /** The number of records in the counts, as proof that the store holds the expected records. */
  counted: { day: number; month: number };
};

type Sample = { ms: number; storeMs: number | null; count: number; nextCursor: string | null };

const calls = 200;
/** More calls than usual, because these measurements must show a difference of a few per cent between two gateways. */
const comparedCalls = 2000;
const warmUpCalls = 100;
const walks = 10;
const deepPage = 50;
const pageSize = 500;
const monthDays = 32;
const dayMs = 86_400_000;
const from = filledYear.startMs + 150 * dayMs; // far from both ends of the year
const month = range(monthDays);
const page = `${month}&expand=raw_transactions&limit=${pageSize}`;

/**
 * Measures a store that was filled with `records` records. Throws if an answer is not 200, or if the counts do not match the
 * filled records.
 */
export async function measureQueries(origin: string, token: string, records: number): Promise<QueryCosts> {
  const client = new Client(origin, { headersTimeout: 30_000, bodyTimeout: 30_000 });
  const ask = (query: string) => get(client, token, query);
  try {
    const [day = [], whole = []] = await takeTurns([() => ask(range(1)), () => ask(month)]);
    const counted = { day: day.at(-1)?.count ?? 0, month: whole.at(-1)?.count ?? 0 };
    assertShare(counted.day, (records * 1) / filledYear.days);
    assertShare(counted.month, (records * monthDays) / filledYear.days);

    const pages = Math.floor(counted.month / pageSize); // only full pages
    const deep = Math.min(deepPage, pages);
    const walked: Sample[] = [];
    let cursor = '';
    for (let walk = 0; walk < walks; walk += 1) {
      const steps = await walkTo(ask, '', deep - 1);
      walked.push(sumSamples(steps));
      cursor = steps.at(-1)?.nextCursor ?? '';
    }
    const rest = await walkTo(ask, cursor, pages - deep);
    const lastCursor = rest.at(-1)?.nextCursor ?? cursor;
    const [first = [], atDeep = [], atLast = []] = await takeTurns([
      () => ask(page),
      () => ask(page + cursorParameter(cursor)),
      () => ask(page + cursorParameter(lastCursor)),
    ]);
    return {
      countDay: summarise(day),
      countMonth: summarise(whole),
      firstPage: summarise(first),
      deepPage: { ...summarise(atDeep), page: deep },
      lastPage: { ...summarise(atLast), page: pages },
      walk: summarise(walked),
      counted,
    };
  } finally {
    await client.close();
  }
}

/** The same calls to two gateways: the medians in milliseconds. */
export type ComparedQuery = { name: string; ms: number; beforeMs: number };

/** A gateway and the key of a till. */
type Queried = { origin: string; token: string };

/**
 * Compares two gateways that hold the same records. Calls alternate between the two. Throws if an answer is not 200 or the
 * counts differ.
 */
export async function compareQueries(gateway: Queried, before: Queried): Promise<ComparedQuery[]> {
  const [client, beforeClient] = [new Client(gateway.origin), new Client(before.origin)];
  const queries = { 'Count over 1 day': range(1), 'Count over 32 days': month, 'First page of 500 over 32 days': page };
  try {
    const compared: ComparedQuery[] = [];
    for (const [name, query] of Object.entries(queries)) {
      const asks = [() => get(client, gateway.token, query), () => get(beforeClient, before.token, query)];
      const [own = [], beforeOwn = []] = await takeTurns(asks, comparedCalls);
      if (own.at(-1)?.count !== beforeOwn.at(-1)?.count) throw new Error(`${name}: the two gateways count differently`);
      compared.push({ name, ms: summarise(own).ms, beforeMs: summarise(beforeOwn).ms });
    }
    return compared;
  } finally {
    await Promise.all([client.close(), beforeClient.close()]);
  }
}

/** Follows the cursors for a number of pages. The cursor of the returned sample leads to the next page. */
async function walkTo(ask: (query: string) => Promise<Sample>, cursor: string, pages: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  let next: string | null = cursor;
  for (let step = 0; step < pages && next !== null; step += 1) {
    const sample = await ask(page + cursorParameter(next));
    samples.push(sample);
    next = sample.nextCursor;
  }
  return samples;
}

/**
 * Makes the calls in rounds, one call of each kind, so that other load on the machine affects all kinds alike. Every second
 * round runs backwards, because a call is affected by the call before it. The first calls of each kind do not count.
 */
async function takeTurns(asks: (() => Promise<Sample>)[], counted = calls): Promise<Sample[][]> {
  const turns = asks.map((ask) => ({ ask, samples: [] as Sample[] }));
  for (let call = -warmUpCalls; call < counted; call += 1) {
    for (const { ask, samples } of call % 2 === 0 ? turns : turns.toReversed()) {
      const sample = await ask();
      if (call >= 0) samples.push(sample);
    }
  }
  return turns.map((turn) => turn.samples);
}

async function get(client: Client, token: string, query: string): Promise<Sample> {
  const startedAt = performance.now();
  const answer = await client.request({ method: 'GET', path: `/v1/raw_transactions?${query}`, headers: { token } });
  const text = await answer.body.text();
  const ms = performance.now() - startedAt;
  if (answer.statusCode !== 200) throw new Error(`the query answered ${answer.statusCode}: ${text.slice(0, 200)}`);
  const body = JSON.parse(text) as { raw_transaction_count: number; next_cursor: string | null };
  const storeMs = /\bstore;dur=([\d.]+)/.exec(String(answer.headers['server-timing']))?.[1];
  return {
    ms,
    storeMs: storeMs === undefined ? null : Number(storeMs),
    count: body.raw_transaction_count,
    nextCursor: body.next_cursor,
  };
}

function summarise(samples: Sample[]): Cost {
  const inStore = samples.map((sample) => sample.storeMs).filter((ms) => ms !== null);
  return {
    ms: median(samples.map((sample) => sample.ms)),
    storeMs: inStore.length === 0 ? null : median(inStore),
    calls: samples.length,
  };
}

function sumSamples(samples: Sample[]): Sample {
  const last = samples.at(-1);
  return {
    ms: samples.reduce((sum, sample) => sum + sample.ms, 0),
    storeMs: last?.storeMs == null ? null : samples.reduce((sum, sample) => sum + (sample.storeMs ?? 0), 0),
    count: last?.count ?? 0,
    nextCursor: last?.nextCursor ?? null,
  };
}

function assertShare(counted: number, expected: number): void {
  if (Math.abs(counted - expected) > Math.max(2, expected * 0.02)) {
    throw new Error(`the store counts ${counted} where about ${Math.round(expected)} were filled in`);
  }
}

function range(days: number): string {
  const [gte, lt] = [formatTimestamp(from), formatTimestamp(from + days * dayMs)];
  return `timestamp_gte=${encodeURIComponent(gte)}&timestamp_lt=${encodeURIComponent(lt)}`;
}

function cursorParameter(cursor: string): string {
  return cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
}
