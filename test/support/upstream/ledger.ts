// The records that the stand-in has accepted. There is one entry for each id, with the number of its calls by status. The
// ledger classifies records (docs/interface.md#statuses) and answers queries (docs/interface.md#query) as the ingestion service
// does. For each id it keeps digests, and the bytes only on request, so that a million ids fit into memory.

import { hash } from 'node:crypto';

import {
  type Interface,
  MAX_PAGE_SIZE,
  MAX_WINDOW_SECONDS,
  type Status,
  type StatusCounts,
} from '../../../server/contract/codes.ts';
import { readInstant, type ReceivedRecord } from './received-call.ts';

/** A record in effect is the first accepted call with its id. */
export interface Effect {
  readonly journal: string;
  readonly interface: Interface;
  readonly resource: string;
  readonly id: string;
  readonly type: string;
  /** Epoch milliseconds. */
  readonly takenAt: number;
  /** The bytes of the first accepted call; undefined if bodies are not kept. */
  readonly bytes: Buffer | undefined;
  /** The SHA-256 of the bytes of the first accepted call, in hex. */
  readonly sha256: string;
  /** Accepted calls, by status. */
  readonly statuses: Readonly<StatusCounts>;
  /** Calls for this id, accepted or not. */
  readonly attempts: number;
}

/** The correct answer to a call. */
export interface Good {
  readonly status: number;
  readonly body: string;
  /** The status that the record gets. Undefined for a query and for an invalid call. */
  readonly classified: Status | undefined;
}

/** What the ledger stores for an id. Its record is in effect once `arrival` is set. */
interface Entry {
  attempts: number;
  /** The record's number among all accepted calls, in order of arrival. */
  arrival: number;
  takenAt: number;
  type: string;
  soldAt: number;
  bytes: Buffer | undefined;
  /** The digest as Latin-1 text: one character per byte. */
  digest: string;
  content: string;
  new: number;
  ignored: number;
  error: number;
}

interface Collection {
  readonly journal: string;
  readonly interface: Interface;
  readonly resource: string;
  readonly entries: Map<string, Entry>;
  /** The records in effect, sorted by time stamp: a cache for queries. Undefined after a new record, until the next query. */
  sorted: Listed[] | undefined;
}

/** A record in the list that queries read. */
interface Listed {
  readonly id: string;
  readonly entry: Entry;
}

interface LedgerOptions {
  readonly keepBodies: boolean;
  /** How long a new record stays invisible to queries. At a real upstream this may take four hours. */
  readonly visibleAfterMs: number;
}

export function openLedger({ keepBodies, visibleAfterMs }: LedgerOptions) {
  const collections = new Map<string, Collection>();
  const statuses: StatusCounts = { NEW: 0, IGNORED: 0, ERROR: 0 };
  let calls = 0;

  function collectionOf({
    journal,
    interface: generation,
    resource,
  }: Pick<ReceivedRecord, 'journal' | 'interface' | 'resource'>) {
    const name = `${journal}\n${generation}\n${resource}`;
    const known = collections.get(name);
    if (known !== undefined) return known;
    const made: Collection = { journal, interface: generation, resource, entries: new Map(), sorted: undefined };
    collections.set(name, made);
    return made;
  }

  /** Counts a call. Returns its number among the calls for its id, counted from 1. */
  function countAttempt(record: ReceivedRecord): number {
    if (record.id === undefined) return 1;
    const { entries } = collectionOf(record);
    const entry = entries.get(record.id) ?? { ...UNSEEN };
    if (entry.attempts === 0) entries.set(record.id, entry);
    entry.attempts += 1;
    return entry.attempts;
  }

  /** Accepts a record. If `isTaken` is false, only finds the answer that accepting it would give. Call countAttempt first. */
  function take(record: ReceivedRecord, at: number, isTaken: boolean): Good {
    const collection = collectionOf(record);
    const entry = record.id === undefined ? undefined : collection.entries.get(record.id);
    if (entry === undefined || record.fault !== undefined) {
      return { status: 400, body: JSON.stringify({ status: 400, detail: record.fault }), classified: undefined };
    }
    const digest = hash('sha256', record.bytes, 'binary');
    const isNew = entry.arrival === 0;
    const content = isNew || digest !== entry.digest ? digestOf(record.content) : entry.content;
    const classified: Status = isNew ? 'NEW' : content === entry.content ? 'IGNORED' : 'ERROR';
    if (isTaken) {
      calls += 1;
      statuses[classified] += 1;
      if (isNew) {
        entry.arrival = calls;
        entry.takenAt = at;
        entry.type = record.type;
        entry.soldAt = record.soldAt;
        entry.digest = digest;
        entry.content = content;
        if (keepBodies) entry.bytes = record.bytes;
        collection.sorted = undefined;
      }
      if (classified === 'NEW') entry.new += 1;
      else if (classified === 'IGNORED') entry.ignored += 1;
      else entry.error += 1;
    }
    const receipt = {
      record_id: isTaken ? calls : calls + 1,
      external_id: record.id,
      type: record.type,
      timestamp: record.timestamp,
      status: classified,
      received_at: new Date(at).toISOString(),
      original_record_id: isNew ? undefined : entry.arrival,
    };
    const isCreated = isNew && record.interface === 'current';
    return { status: isCreated ? 201 : 200, body: JSON.stringify(receipt), classified };
  }

  function listSorted(journal: string): Listed[] {
    const collection = collectionOf({ journal, interface: 'current', resource: 'raw_transactions' });
    collection.sorted ??= [...collection.entries]
      .filter(([, entry]) => entry.arrival > 0)
      .map(([id, entry]) => ({ id, entry }))
      .sort((a, b) => a.entry.soldAt - b.entry.soldAt || a.entry.arrival - b.entry.arrival);
    return collection.sorted;
  }

  /** Answers a query. Pages are sorted by time stamp, then arrival. Records that arrived after the first page are left out. */
  function query(journal: string, parameters: URLSearchParams, at: number): Good {
    const range = readRange(parameters);
    if (typeof range === 'string') return refused(range);
    const { from, to, type, limit, isExpanded, scope } = range;
    const cursor = readCursor(parameters.get('cursor'), scope);
    if (cursor === undefined) return refused('cursor was not issued for this query');
    const isSeen = ({ entry }: Listed): boolean =>
      entry.arrival <= (cursor.newest ?? calls) &&
      entry.takenAt + visibleAfterMs <= (cursor.at ?? at) &&
      (type === null || entry.type === type);
    const all = listSorted(journal);
    const found = all.slice(lowerBound(all, from), lowerBound(all, to)).filter(isSeen);
    const rest = found.filter(
      ({ entry }) => entry.soldAt > cursor.soldAt || (entry.soldAt === cursor.soldAt && entry.arrival > cursor.arrival),
    );
    const page = isExpanded ? rest.slice(0, limit) : [];
    const last = page.at(-1)?.entry;
    const next =
      last === undefined || rest.length === page.length
        ? null
        : writeCursor({
            scope,
            soldAt: last.soldAt,
            arrival: last.arrival,
            newest: cursor.newest ?? calls,
            at: cursor.at ?? at,
          });
    const answer = {
      timestamp_gte: parameters.get('timestamp_gte'),
      timestamp_lt: parameters.get('timestamp_lt'),
      raw_transaction_count: found.length,
      limit,
      next_cursor: next,
      raw_transactions: isExpanded
        ? page.map(({ id, entry }) => ({
            external_id: id,
            type: entry.type,
            timestamp: new Date(entry.soldAt * 1000).toISOString().slice(0, 19),
          }))
        : undefined,
    };
    return { status: 200, body: JSON.stringify(answer), classified: undefined };
  }

  function listEffects(): Effect[] {
    return [...collections.values()].flatMap(({ entries, journal, interface: generation, resource }) =>
      [...entries]
        .filter(([, entry]) => entry.arrival > 0)
        .map(([id, { type, takenAt, bytes, digest, attempts, ...entry }]) => ({
          journal,
          interface: generation,
          resource,
          id,
          type,
          takenAt,
          bytes,
          sha256: Buffer.from(digest, 'latin1').toString('hex'),
          statuses: { NEW: entry.new, IGNORED: entry.ignored, ERROR: entry.error },
          attempts,
        })),
    );
  }

  return {
    countAttempt,
    take,
    query,
    listEffects,
    /** Accepted calls by status. NEW is the number of records in effect. */
    countStatuses: (): StatusCounts => ({ ...statuses }),
    forget(): void {
      collections.clear();
      Object.assign(statuses, { NEW: 0, IGNORED: 0, ERROR: 0 });
      calls = 0;
    },
  };
}

const UNSEEN: Readonly<Entry> = {
  attempts: 0,
  arrival: 0,
  takenAt: 0,
  type: '',
  soldAt: 0,
  bytes: undefined,
  digest: '',
  content: '',
  new: 0,
  ignored: 0,
  error: 0,
};

/** The digest of a JSON value. The order of members does not matter. */
function digestOf(value: unknown): string {
  return hash('sha256', canonicalText(value), 'binary').slice(0, 16);
}

function canonicalText(value: unknown): string {
  if (typeof value === 'number') return String(value); // JSON.stringify would write null for 1e400
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  const members = value as Record<string, unknown>;
  let text = '{';
  for (const name of Object.keys(members).sort()) text += `${JSON.stringify(name)}:${canonicalText(members[name])},`;
  return `${text}}`;
}

/** The index of the first record sold at `soldAt` or later. */
function lowerBound(sorted: readonly Listed[], soldAt: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.entry.soldAt ?? 0) < soldAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The parameters of a query, or what is wrong with them. */
function readRange(parameters: URLSearchParams) {
  const [gte, lt] = ['timestamp_gte', 'timestamp_lt'].map((name) => parameters.get(name) ?? '');
  const [from = Number.NaN, to = Number.NaN] = [gte, lt].map((text = '') =>
    readInstant(text.endsWith('Z') ? text : `${text}Z`),
  );
  if (Number.isNaN(from) || Number.isNaN(to)) return 'timestamp_gte and timestamp_lt are YYYY-MM-DDTHH:MM:SS';
  if (from >= to || to - from > MAX_WINDOW_SECONDS) return 'the range is empty, reversed or longer than 32 days';
  const limitText = parameters.get('limit') ?? String(MAX_PAGE_SIZE);
  const limit = /^\d{1,3}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MAX_PAGE_SIZE) return `limit is a whole number from 1 to ${MAX_PAGE_SIZE}`;
  const expand = parameters.get('expand') ?? 'none';
  if (expand !== 'none' && expand !== 'raw_transactions') return 'expand is none or raw_transactions';
  const type = parameters.get('type');
  return { from, to, type, limit, isExpanded: expand === 'raw_transactions', scope: JSON.stringify([from, to, type]) };
}

interface Cursor {
  readonly soldAt: number;
  readonly arrival: number;
  /** The newest arrival and the time when the first page was read. Undefined in a query for the first page. */
  readonly newest?: number;
  readonly at?: number;
}

function writeCursor(cursor: Cursor & { readonly scope: string }): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Reads a cursor. Without a cursor, returns the position before the first record. Undefined for a cursor of another query. */
function readCursor(text: string | null, scope: string): Cursor | undefined {
  if (text === null) return { soldAt: Number.NEGATIVE_INFINITY, arrival: 0 };
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Cursor & { readonly scope: string };
    return cursor.scope === scope ? cursor : undefined;
  } catch {
    return undefined;
  }
}

function refused(detail: string): Good {
  return { status: 400, body: JSON.stringify({ status: 400, detail }), classified: undefined };
}
