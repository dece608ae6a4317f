// The current interface (specification 4.1 and 4.2): one record per POST, count and list by GET.

import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';

import type { z } from 'zod';

import { MAX_NESTING, MAX_WINDOW_SECONDS, type FieldError, type Status } from '../contract.ts';
import { assertNever, GatewayError } from '../errors.ts';
import { formatInstant, formatMilliseconds, parseInstant } from '../instant.ts';
import type { Range } from '../store/count.ts';
import { readTopLevel } from '../store/exact-json.ts';
import type { Outcome } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import { authenticate } from './authentication.ts';
import { assertJsonBody, type ReadBody } from './body.ts';
import type { Call } from './call.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { findTooDeepMember } from './nesting.ts';
import type { QueryGate } from './query-gate.ts';
import { readQueryString } from './query-string.ts';
import { parameterFault, rangeQuery, type RangeDocument, rawTransaction, type Receipt, validate } from './schema.ts';

/** Both spellings are valid (specification 4.2). */
export const RAW_TRANSACTIONS_PATHS = ['/v1/raw_transactions', '/api/v1/raw_transactions'];

/** Takes one record: 201 for NEW, 200 for IGNORED and ERROR, after it is on disk. Returns its status. */
export async function postRawTransaction(call: Call, store: Store, readBody: ReadBody): Promise<Status> {
  const { id: keyId, journalId, tillId } = authenticate(call, store);
  assertJsonBody(call.req);
  const body = (call.body = await readBody(call));
  const transaction = parseRawTransaction(body);
  const { type, externalId, soldAt } = transaction;
  const receivedAt = Date.now();
  const outcome = await store.append({ journalId, tillId, keyId, externalId, type, soldAt, receivedAt, body });
  sendJson(call.res, outcome.status === 'NEW' ? 201 : 200, receiptOf(transaction, receivedAt, outcome));
  return outcome.status;
}

/** What the gateway works with of a body; the rest is kept and not looked at. */
interface RawTransaction {
  readonly type: string;
  readonly externalId: string;
  /** As sent. */
  readonly timestamp: string;
  /** The timestamp in epoch seconds. */
  readonly soldAt: number;
}

/** Reads a body. Throws with a code and the field for anything that is not as specified. */
function parseRawTransaction(body: Buffer): RawTransaction {
  if (!isUtf8(body)) throw malformed('The body is not UTF-8.');
  const text = body.toString('utf8');
  if (text.startsWith('\uFEFF')) throw malformed('The body begins with a byte order mark; leave it out.');
  if (/^\s*\[/.test(text)) {
    throw new GatewayError('bulk_unsupported', {
      detail: 'The body is an array. Bulk is not supported: send one record per request.',
    });
  }
  const tooDeep = findTooDeepMember(text);
  if (tooDeep !== undefined) {
    throw invalidFields([
      { pointer: tooDeep, code: 'nesting', detail: `the body is nested more than ${MAX_NESTING} deep` },
    ]);
  }
  const result = validate(rawTransaction, parseJson(text));
  if (result.kind === 'invalid') throw invalidFields(result.errors);
  const { type, external_id: externalId, timestamp } = result.value;
  return { type, externalId, timestamp, soldAt: instantOf(timestamp) };
}

/** Of a text that a schema found to be an instant. */
function instantOf(text: string): number {
  const instant = parseInstant(text, 'optional');
  if (instant === undefined) throw new Error('a schema took an instant that is none');
  return instant;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return text.includes('\\') ? readTopLevel(text) : value;
  } catch (error) {
    // The parser's message quotes the body; only the position is of use here.
    const position = /at position (\d+)/.exec((error as SyntaxError).message)?.[1];
    throw malformed(
      position === undefined
        ? 'The body is not JSON, or not all of it.'
        : `The body is not JSON: see position ${position}.`,
    );
  }
}

function malformed(detail: string): GatewayError {
  return new GatewayError('json_malformed', { detail, errors: [{ pointer: '', code: 'json', detail }] });
}

function invalidFields(errors: GatewayError['errors']): GatewayError {
  return new GatewayError('field_invalid', { detail: `${errors.map(({ detail }) => detail).join('; ')}.`, errors });
}

function receiptOf(transaction: RawTransaction, receivedAt: number, outcome: Outcome): Receipt {
  const { type, externalId: external_id, timestamp } = transaction;
  const { status, recordId: record_id } = outcome;
  const base = { record_id, external_id, type, timestamp, status, received_at: formatMilliseconds(receivedAt) };
  switch (outcome.status) {
    case 'NEW':
      return base;
    case 'IGNORED':
      return { ...base, original_record_id: outcome.originalId };
    case 'ERROR':
      return { ...base, original_record_id: outcome.originalId, differences: [...outcome.differences] };
    default:
      return assertNever(outcome);
  }
}

/** Counts the NEW records of a range and, on demand, lists them page by page. */
export async function getRawTransactions(call: Call, store: Store, gate: QueryGate): Promise<void> {
  const { req, res } = call;
  const key = authenticate(call, store);
  const query = parseRangeQuery(req.url ?? '');
  const limit = Number(query.limit);
  const scope = { journalId: key.journalId, range: parseRange(query), type: query.type };
  const continuation = query.cursor === undefined ? undefined : readCursor(store.cursorSecret, scope, query.cursor);

  const isExpanded = query.expand === 'raw_transactions';
  const answer = await gate.run(key.journalId, () =>
    store.queryRange({ ...scope, limit: isExpanded ? limit : 0, continuation }),
  );
  res.setHeader('Server-Timing', `store;dur=${answer.elapsedMs.toFixed(3)}`);
  sendJson(res, 200, {
    timestamp_gte: query.timestamp_gte,
    timestamp_lt: query.timestamp_lt,
    raw_transaction_count: answer.count,
    limit,
    next_cursor: answer.continuation === undefined ? null : writeCursor(store.cursorSecret, scope, answer.continuation),
    ...(isExpanded && {
      raw_transactions: answer.rows.map(({ externalId, type, soldAt }) => ({
        external_id: externalId,
        type,
        timestamp: formatInstant(soldAt),
      })),
    }),
  } satisfies RangeDocument);
}

function parseRangeQuery(url: string) {
  const result = validate(rangeQuery, readQueryString(url));
  const errors = result.kind === 'invalid' ? result.errors : cursorFaults(result.value);
  if (result.kind === 'invalid' || errors.length > 0) {
    throw new GatewayError('query_invalid', { detail: `${errors.map(({ detail }) => detail).join('; ')}.`, errors });
  }
  return result.value;
}

function cursorFaults({ cursor, expand }: z.infer<typeof rangeQuery>): FieldError[] {
  if (cursor === undefined || expand === 'raw_transactions') return [];
  return [parameterFault('cursor', 'value', 'needs expand=raw_transactions, as on the page before')];
}

/** The range of a query in epoch seconds. Throws `range_invalid`. */
function parseRange(query: z.infer<typeof rangeQuery>): Range {
  const range = { from: instantOf(query.timestamp_gte), to: instantOf(query.timestamp_lt) };
  const fault = findRangeFault(range);
  if (fault === undefined) return range;
  const error = parameterFault('timestamp_lt', 'range', fault);
  throw new GatewayError('range_invalid', { detail: `${error.detail}.`, errors: [error] });
}

function findRangeFault({ from, to }: Range): string | undefined {
  if (from >= to) return 'must be later than timestamp_gte';
  if (to - from > MAX_WINDOW_SECONDS) return 'must be at most 32 days after timestamp_gte';
  return undefined;
}

function sendJson(res: ServerResponse, status: number, value: Receipt | RangeDocument): void {
  const body = JSON.stringify(value);
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  res.end(body);
}
