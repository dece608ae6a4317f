/**
 * Measures the first page of each filter through the console's API on one keep-alive connection. Runs each filter alone. Also
 * runs the combinations and id prefixes for which the gateway must skip the most records.
 */
import { Client, request } from 'undici';

import type { RecordPage } from '../../server/contract/records.ts';
import type { JournalView, Till } from '../../server/contract/setup.ts';
import type { Gateway } from './gateway.ts';
import { median } from './machine.ts';
import { filledYear } from './records.ts';

export type FilterCost = {
  name: string;
  /** `medianMs` and `mostMs` are the median and the maximum of all calls. */
  medianMs: number;
  mostMs: number;
  rows: number;
  /** The number of matching records; null if the server does not report it. */
  total: number | null;
  isWhole: boolean;
};

const calls = 15;
const warmUpCalls = 3;
const pageSize = 100; // the page size of the console
const daySeconds = 86_400;
const dayStart = filledYear.startMs / 1000 + 150 * daySeconds;

/** A console session: its address, the path that contains its key, and the browser's cookie. */
export type ConsoleSession = { origin: string; path: string; cookie: { name: string; value: string } };

/** Opens a session with the gateway's one-time link. */
export async function enterConsole({ link }: Gateway): Promise<ConsoleSession> {
  const { statusCode, headers, body } = await request(link);
  await body.dump();
  const [, name, value, path] = /^([^=]+)=([^;]+); Path=([^;]+)/.exec(String(headers['set-cookie'])) ?? [];
  if (name === undefined || value === undefined || path === undefined)
    throw new Error(`the link into the console answered ${statusCode}`);
  return { origin: new URL(link).origin, path, cookie: { name, value } };
}

export async function measureFilters({ origin, path: base, cookie }: ConsoleSession): Promise<FilterCost[]> {
  const client = new Client(origin, { headersTimeout: 60_000, bodyTimeout: 60_000 });
  const get = async <Answer>(path: string): Promise<Answer> => {
    const headers = { cookie: `${cookie.name}=${cookie.value}` };
    const { statusCode, body } = await client.request({ method: 'GET', path: base + path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 200)}`);
    return JSON.parse(text) as Answer;
  };
  try {
    const journals = await get<JournalView[]>('/api/journals');
    const journal = journals.find(({ mode }) => mode === 'production');
    if (journal === undefined) throw new Error('there is no journal');
    const [till] = await get<Till[]>(`/api/tills?journal=${journal.id}`);
    const costs: FilterCost[] = [];
    for (const [name, filter] of filtersFor(till?.id ?? 0)) {
      const path = `/api/records?${new URLSearchParams({ journal: String(journal.id), limit: String(pageSize), ...filter })}`;
      const times: number[] = [];
      let page: RecordPage | undefined;
      for (let call = -warmUpCalls; call < calls; call += 1) {
        const startedAt = performance.now();
        page = await get<RecordPage>(path);
        if (call >= 0) times.push(performance.now() - startedAt);
      }
      costs.push({
        name,
        medianMs: median(times),
        mostMs: Math.max(...times),
        rows: page?.records.length ?? 0,
        total: page?.total ?? null,
        isWhole: page?.next === null || page?.records.length === pageSize,
      });
    }
    return costs;
  } finally {
    await client.close();
  }
}

function filtersFor(till: number): [name: string, filter: Record<string, string>][] {
  const tillId = String(till);
  const day = { from: String(dayStart), to: String(dayStart + daySeconds) };
  return [
    ['none, newest first', {}],
    ['none, oldest first', { order: 'oldest' }],
    ['status NEW', { status: 'NEW' }],
    ['status IGNORED', { status: 'IGNORED' }],
    ['status ERROR', { status: 'ERROR' }],
    ['delivery waiting', { delivery: 'waiting' }],
    ['delivery delivered', { delivery: 'delivered' }],
    ['delivery held', { delivery: 'held' }],
    ['delivery set aside', { delivery: 'set aside' }],
    ['type sale', { type: 'sale' }],
    ['type refund', { type: 'refund' }],
    ['type that there is not', { type: 'none' }],
    ['till', { till: tillId }],
    ['interface current', { interface: 'current' }],
    ['interface earlier', { interface: 'earlier' }],
    ['sold on a day', day],
    ['sold in a minute', { from: day.from, to: String(dayStart + 60) }],
    ['id, whole', { id: 'fill-1000100000' }],
    ['id, beginning of all', { id: 'f' }],
    ['id, beginning of few', { id: 'rare-1' }],
    ['id of all + ERROR', { id: 'f', status: 'ERROR' }],
    ['id of all + type refund', { id: 'f', type: 'refund' }],
    ['id of all + earlier', { id: 'f', interface: 'earlier' }],
    ['id of all + set aside', { id: 'f', delivery: 'set aside' }],
    ['id of all + till + day', { id: 'f', till: tillId, ...day }],
    ['id of few + earlier + IGNORED', { id: 'rare', interface: 'earlier', status: 'IGNORED' }],
    ['amount', { amount: '4001' }],
    ['amount that there is not', { amount: '12,50' }],
    ['amount + till + day', { amount: '4001', till: tillId, ...day }],
    ['amount + refund, oldest first', { amount: '2', type: 'refund', order: 'oldest' }],
    ['end of an id', { idEnd: '100000' }],
    ['end of an id that there is not', { idEnd: 'none' }],
    ['end of an id + day', { idEnd: '0001', ...day }],
    ['till + delivered + sale, newest first', { till: tillId, delivery: 'delivered', type: 'sale' }],
    ['till + waiting + refund', { till: tillId, delivery: 'waiting', type: 'refund' }],
    ['till + held, oldest first', { till: tillId, delivery: 'held', order: 'oldest' }],
    ['delivered, newest first, on the last day', { delivery: 'delivered', from: day.from }],
  ];
}
