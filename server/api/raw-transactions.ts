// The current interface (docs/interface.md#current-interface). A POST stores one record. A GET counts or lists records.

import type { z } from 'zod';

import { MAX_WINDOW_SECONDS, type FieldError, type Status } from '../contract/codes.ts';
import { GatewayError } from '../errors.ts';
import { invalidFields, invalidQuery, parameterFault, queryParameters, validate } from '../http/validation.ts';
import {
  compareInstants,
  type ExactInstant,
  formatInstant,
  getInstant,
  readBound,
  readInstant,
  restorePlus,
  roundUp,
} from '../lib/instant.ts';
import { isOtherMachine } from '../lib/peer.ts';
import { outlineMembers, pickMembers } from '../store/records/exact-json.ts';
import type { Range } from '../store/records/ledger.ts';
import { sendJson, sendReceipt } from './answer.ts';
import { assertStillAdmitted, authenticateToken } from './authentication.ts';
import { assertJsonBody } from './body.ts';
import type { Call, Intake } from './call.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { parseJsonBody, repeatedFields } from './json-body.ts';
import { refuseOwn, viaOf } from './loop.ts';
import type { QueryGate } from './query-gate.ts';
import { rangeQuery, type RangeDocument, rawTransaction } from './schema.ts';
import { formsOfBody, formsOfQuery, noteUnusualForms } from './unusual-form.ts';

/** The paths of the current interface; both are valid (docs/interface.md#current-interface). */
export const RAW_TRANSACTIONS_PATHS = ['/v1/raw_transactions', '/api/v1/raw_transactions'];

/** Stores the record of a call. Then answers 201 for NEW, and 200 for IGNORED and ERROR. Returns the status of the record. */
export async function postRawTransaction(call: Call, { store, via, readBody, trials }: Intake): Promise<Status> {
  const begunAt = trials.monotonic();
  refuseOwn(call, via);
  const key = authenticateToken(call, store);
  const { id: keyId, journalId, tillId } = key;
  assertJsonBody(call.req);
  await store.records.waitForRoom(keyId);
  const body = (call.body = await readBody(call));
  assertStillAdmitted(call, store, key, 'current');
  const { type, externalId, timestamp, soldAt } = parseRawTransaction(body);
  await via.note(journalId, 'current', viaOf(call));
  const receivedAt = Date.now();
  const trial = trials.find(keyId)?.receive({ externalId, soldAt, receivedAt, begunAt, method: null, body });
  const isTimedElsewhere = isOtherMachine(call.req.socket);
  const arrival = { journalId, tillId, keyId, externalId, type, soldAt, isTimedElsewhere, receivedAt, body };
  const outcome = await store.records.append(arrival);
  if (trial !== undefined && !(await trial.hold(call.res, outcome))) return outcome.status;
  sendReceipt(call.res, outcome.status === 'NEW' ? 201 : 200, { type, externalId, timestamp, receivedAt }, outcome);
  noteUnusualForms(store.records, keyId, receivedAt, formsOfBody(call, { externalId, timestamp }));
  return outcome.status;
}

/** The fields that the gateway reads from a body. It stores the whole body as sent. */
interface RawTransaction {
  readonly type: string;
  readonly externalId: string;
  /** As sent. */
  readonly timestamp: string;
  /** The timestamp in epoch seconds. */
  readonly soldAt: number;
}

/** Parses a body. Throws with a code and the field if it is invalid. */
function parseRawTransaction(body: Buffer): RawTransaction {
  const { text, value } = parseJsonBody(body, FIELDS);
  const picked = needsPicking(text) ? pickMembers(text, FIELDS) : undefined;
  if (picked !== undefined && picked.repeatedNames.length > 0) throw repeatedFields(picked.repeatedNames);
  const result = validate(rawTransaction, picked === undefined ? value : outlineMembers(picked.members));
  if (result.kind === 'invalid') throw invalidFields(result.errors);
  const { type, external_id: externalId, timestamp } = result.value;
  return { type, externalId, timestamp, soldAt: getInstant(timestamp, readInstant).seconds };
}

const FIELDS = Object.keys(rawTransaction.shape);
const QUOTED_FIELD = new RegExp(`"(?:${FIELDS.join('|')})"`, 'g');

/**
 * Whether a body may repeat a member. JSON.parse keeps only the last of several members with the same name. So if this returns
 * true, another parser must read the body again. This check only counts names, and takes a tenth of that parser's time.
 */
function needsPicking(text: string): boolean {
  if (text.includes('\\')) return true;
  let names = 0;
  QUOTED_FIELD.lastIndex = 0;
  while (names <= FIELDS.length && QUOTED_FIELD.test(text)) names += 1;
  return names !== FIELDS.length;
}

/** Counts the NEW records of a range. With `expand`, lists them page by page. */
export async function getRawTransactions(
  call: Call,
  { store, trials }: Pick<Intake, 'store' | 'trials'>,
  gate: QueryGate,
): Promise<void> {
  const { res } = call;
  const key = authenticateToken(call, store);
  const trial = trials.find(key.id);
  trial?.receiveQuery();
  const query = parseRangeQuery(call.url);
  const scope = { journalId: key.journalId, range: parseRange(query), type: query.type };
  const continuation =
    query.cursor === undefined ? undefined : readCursor(store.records.cursorSecret, scope, query.cursor);

  const isExpanded = query.expand === 'raw_transactions';
  let limit = Number(query.limit);
  const answer = await gate.run({ journalId: key.journalId, keyId: key.id }, async () => {
    if (trial?.isPaging === true && isExpanded) {
      const { count } = await store.records.queryRange({ ...scope, limit: 0, continuation });
      limit = trial.limitPage(count, limit);
    }
    return store.records.queryRange({ ...scope, limit: isExpanded ? limit : 0, continuation });
  });
  if (res.headersSent) return; // the call was refused during the query, because its later bytes were malformed
  res.setHeader('Server-Timing', `store;dur=${answer.elapsedMs.toFixed(3)}`);
  const nextCursor =
    answer.continuation === undefined ? null : writeCursor(store.records.cursorSecret, scope, answer.continuation);
  sendJson(res, 200, {
    timestamp_gte: query.timestamp_gte,
    timestamp_lt: query.timestamp_lt,
    raw_transaction_count: answer.count,
    limit,
    next_cursor: nextCursor,
    ...(isExpanded && {
      raw_transactions: answer.rows.map(({ externalId, type, soldAt }) => ({
        external_id: externalId,
        type,
        timestamp: formatInstant(soldAt),
      })),
    }),
  } satisfies RangeDocument);
  const { cursor } = query;
  trial?.noteQuery({ cursor, nextCursor, isExpanded, records: answer.rows.length, count: answer.count });
  noteUnusualForms(store.records, key.id, Date.now(), formsOfQuery(call, PARAMETERS));
}

function parseRangeQuery(url: string) {
  const result = validate(rangeQuery, readRangeParameters(url));
  const errors = result.kind === 'invalid' ? result.errors : cursorFaults(result.value);
  if (result.kind === 'invalid' || errors.length > 0) throw invalidQuery(errors);
  return result.value;
}

const PARAMETERS = Object.keys(rangeQuery.shape);

/** The parameters of a query. Leaves out an empty `cursor` or `type`, because an empty value means no filter. */
function readRangeParameters(url: string): Record<string, string> {
  const given = Object.entries(queryParameters(url, PARAMETERS));
  return Object.fromEntries(
    given
      .filter(([name, value]) => value !== '' || (name !== 'cursor' && name !== 'type'))
      .map(([name, value]) => [name, name.startsWith('timestamp_') ? restorePlus(value) : value]),
  );
}

function cursorFaults({ cursor, expand }: z.infer<typeof rangeQuery>): FieldError[] {
  if (cursor === undefined || expand === 'raw_transactions') return [];
  return [parameterFault('cursor', 'value', 'needs expand=raw_transactions, as on the previous page')];
}

/** The range of a query in epoch seconds. Throws `range_invalid`. */
function parseRange(query: z.infer<typeof rangeQuery>): Range {
  const from = getInstant(query.timestamp_gte, readBound);
  const to = getInstant(query.timestamp_lt, readBound);
  const fault = findRangeFault(from, to);
  if (fault === undefined) return { from: roundUp(from), to: roundUp(to) };
  const error = parameterFault('timestamp_lt', 'range', fault);
  throw new GatewayError('range_invalid', { detail: `${error.detail}.`, errors: [error] });
}

function findRangeFault(from: ExactInstant, to: ExactInstant): string | undefined {
  if (compareInstants(from, to) >= 0) return 'must be later than timestamp_gte';
  const latest = { ...from, seconds: from.seconds + MAX_WINDOW_SECONDS };
  if (compareInstants(to, latest) > 0) return 'must be at most 32 days after timestamp_gte';
  return undefined;
}
