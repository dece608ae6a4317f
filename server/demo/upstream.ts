// The upstream of the demo, on loopback and in memory. It accepts records of the current interface, deduplicates them and
// answers queries (docs/interface.md#current-interface). Its only fault is an outage: it can stop listening for a while.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { MAX_PAGE_SIZE, MAX_WINDOW_SECONDS, type Status } from '../contract/codes.ts';
import { UsageError } from '../errors.ts';
import { type Clock, machineClock } from '../lib/clock.ts';
import { formatInstant, parseBound, parseInstant } from '../lib/instant.ts';

/** The upstream listens for `upMs`, then is down for `downMs`, and so on. */
export interface Outages {
  readonly upMs: number;
  readonly downMs: number;
}

export interface DemoUpstreamOptions {
  /** The only key that this upstream accepts. */
  readonly token: string;
  /** When the upstream simulates outages. Undefined for an upstream that always listens. */
  readonly outages?: Outages | undefined;
  readonly clock?: Clock;
}

export interface DemoUpstream {
  readonly url: string;
  close(): Promise<void>;
}

const PATH = '/v1/raw_transactions';
/** Delay before another attempt to listen, because the port may still be in use. */
const RETRY_MS = 100;

/**
 * Reads `accept`, or a text such as `accept for 20s, down for 10s, repeat`, in whole seconds. Throws a UsageError for any other
 * text.
 */
export function readOutages(script: string): Outages | undefined {
  if (script === 'accept') return undefined;
  const [, up, down] = /^accept for ([1-9]\d{0,4})s, down for ([1-9]\d{0,4})s, repeat$/.exec(script) ?? [];
  if (up === undefined || down === undefined) {
    throw new UsageError(
      `--demo is "${script}", but must be "accept", or "accept for 20s, down for 10s, repeat" with other seconds.`,
    );
  }
  return { upMs: Number(up) * 1000, downMs: Number(down) * 1000 };
}

/** Opens the upstream at a free port. */
export async function openDemoUpstream({
  token,
  outages,
  clock = machineClock,
}: DemoUpstreamOptions): Promise<DemoUpstream> {
  const records = openReceivedRecords();
  const server = createServer((req, res) => void receive(req, res).catch(() => res.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let isClosed = false;
  let cancel = (): void => {};
  if (outages !== undefined) cancel = clock.after(outages.upMs, () => goDown(outages));

  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    const { status, answer } = answerTo(req, body);
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  }

  function answerTo({ method, url = '', headers }: IncomingMessage, body: string): Answer {
    const { pathname, searchParams } = new URL(url, 'http://upstream');
    if (pathname !== PATH) return refuse(404, `the path is ${PATH}`);
    if (headers['token'] !== token) return refuse(401, 'the header token has another key');
    if (method === 'GET') return records.query(searchParams);
    return method === 'POST' ? records.accept(body, clock.now()) : refuse(405, 'the method is GET or POST');
  }

  function goDown({ upMs, downMs }: Outages): void {
    server.close();
    server.closeAllConnections();
    cancel = clock.after(downMs, () => listenAgain({ upMs, downMs }));
  }

  function listenAgain(times: Outages): void {
    const onListening = (): void => {
      server.off('error', retry);
      if (isClosed) server.close();
      else cancel = clock.after(times.upMs, () => goDown(times));
    };
    const retry = (): void => {
      server.off('listening', onListening);
      cancel = clock.after(RETRY_MS, () => listenAgain(times));
    };
    server.once('error', retry).once('listening', onListening).listen(port, '127.0.0.1');
  }

  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      isClosed = true;
      cancel();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Answer {
  readonly status: number;
  readonly answer: unknown;
}

function refuse(status: number, detail: string): Answer {
  return { status, answer: { status, detail } };
}

/** An accepted record. */
interface Received {
  readonly id: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** The record's number in the order of acceptance, from 1. */
  readonly arrival: number;
  /** The body in canonical form: bodies that differ only in the order of members have the same form. */
  readonly content: string;
}

/** Keeps the accepted records by id. Answers calls that send records or query them. */
function openReceivedRecords() {
  const byId = new Map<string, Received>();
  let calls = 0;

  function accept(body: string, now: number): Answer {
    const record = readRecord(body);
    if (record === undefined) return refuse(400, 'the body is not a record');
    const { id, type, soldAt, content } = record;
    const original = byId.get(id);
    calls += 1;
    if (original === undefined) byId.set(id, { id, type, soldAt, content, arrival: calls });
    const status: Status = original === undefined ? 'NEW' : original.content === content ? 'IGNORED' : 'ERROR';
    const answer = {
      record_id: calls,
      external_id: id,
      type,
      timestamp: `${formatInstant(soldAt)}Z`,
      status,
      received_at: new Date(now).toISOString(),
      original_record_id: original?.arrival,
    };
    return { status: status === 'NEW' ? 201 : 200, answer };
  }

  /** Answers one page of a query. The cursor in the answer is the position of the page's last record. */
  function query(parameters: URLSearchParams): Answer {
    const from = parseBound(parameters.get('timestamp_gte') ?? '');
    const to = parseBound(parameters.get('timestamp_lt') ?? '');
    const limit = Number(parameters.get('limit') ?? MAX_PAGE_SIZE);
    const type = parameters.get('type');
    if (from === undefined || to === undefined || from >= to || to - from > MAX_WINDOW_SECONDS)
      return refuse(400, 'timestamp_gte and timestamp_lt bound at most 32 days');
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE)
      return refuse(400, `limit is a whole number from 1 to ${MAX_PAGE_SIZE}`);
    const cursor = parameters.get('cursor');
    const after = cursor === null ? BEGINNING : parseCursor(cursor);
    if (after === undefined) return refuse(400, 'cursor is not a next_cursor of this upstream');
    const isExpanded = parameters.get('expand') === 'raw_transactions';
    const found = [...byId.values()]
      .filter((record) => record.soldAt >= from && record.soldAt < to && (type === null || record.type === type))
      .sort(compareReceived);
    const rest = found.filter((record) => compareReceived(record, after) > 0);
    const page = isExpanded ? rest.slice(0, limit) : [];
    const last = page.length < rest.length ? page.at(-1) : undefined;
    const answer = {
      timestamp_gte: parameters.get('timestamp_gte'),
      timestamp_lt: parameters.get('timestamp_lt'),
      raw_transaction_count: found.length,
      limit,
      next_cursor: last === undefined ? null : `${last.soldAt}.${last.arrival}`,
      raw_transactions: isExpanded
        ? page.map((record) => ({
            external_id: record.id,
            type: record.type,
            timestamp: formatInstant(record.soldAt),
          }))
        : undefined,
    };
    return { status: 200, answer };
  }

  return { accept, query };
}

type Place = Pick<Received, 'soldAt' | 'arrival'>;

const BEGINNING: Place = { soldAt: Number.NEGATIVE_INFINITY, arrival: 0 };

function compareReceived(a: Place, b: Place): number {
  return a.soldAt - b.soldAt || a.arrival - b.arrival;
}

function parseCursor(cursor: string): Place | undefined {
  const [, soldAt, arrival] = /^(-?\d+)\.(\d+)$/.exec(cursor) ?? [];
  return soldAt === undefined ? undefined : { soldAt: Number(soldAt), arrival: Number(arrival) };
}

function readRecord(body: string): Omit<Received, 'arrival'> | undefined {
  const record = parseObject(body);
  const { type, external_id: id, timestamp, object } = record ?? {};
  const soldAt = typeof timestamp === 'string' ? parseInstant(timestamp) : undefined;
  const isRecord = typeof id === 'string' && id !== '' && typeof type === 'string' && type !== '' && isObject(object);
  return isRecord && soldAt !== undefined ? { id, type, soldAt, content: canonicalText(record) } : undefined;
}

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`).join(',')}}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
