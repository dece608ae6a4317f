// A cursor holds the position of the next page in a fixed set of records. It is signed, and valid only for one journal and one
// query. It never expires.

import { createHmac, timingSafeEqual } from 'node:crypto';

import { GatewayError } from '../errors.ts';
import type { Continuation, RangeQuery } from '../store/records/ledger.ts';

/** The journal and the query for which a cursor is valid. */
export type CursorScope = Pick<RangeQuery, 'journalId' | 'range' | 'type'>;

/**
 * The payload holds soldAt, recordId, highWaterId and count, each as a 64-bit float. A float holds these whole numbers exactly.
 */
const PAYLOAD_BYTES = 4 * 8;
const SIGNATURE_BYTES = 16;

/** Returns the cursor of the next page. It needs no URL encoding. The same page always gets the same cursor. */
export function writeCursor(
  secret: Uint8Array,
  scope: CursorScope,
  { after, highWaterId, count }: Continuation,
): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  [after.soldAt, after.recordId, highWaterId, count].forEach((number, i) => payload.writeDoubleBE(number, i * 8));
  return Buffer.concat([payload, sign(secret, scope, payload)]).toString('base64url');
}

/** Reads a cursor. Throws `cursor_invalid` unless the gateway issued the cursor for this journal and query. */
export function readCursor(secret: Uint8Array, scope: CursorScope, cursor: string): Continuation {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  const isGenuine =
    bytes.length === PAYLOAD_BYTES + SIGNATURE_BYTES &&
    bytes.toString('base64url') === cursor &&
    timingSafeEqual(bytes.subarray(PAYLOAD_BYTES), sign(secret, scope, payload));
  if (!isGenuine) {
    throw new GatewayError('cursor_invalid', {
      detail:
        'Pass next_cursor unchanged, with the same key, timestamp_gte, timestamp_lt and type as for the previous page.',
      errors: [{ pointer: '/cursor', code: 'value', detail: 'cursor was not issued for this query' }],
    });
  }
  const [soldAt, recordId, highWaterId, count] = [0, 8, 16, 24].map((at) => payload.readDoubleBE(at)) as [
    number,
    number,
    number,
    number,
  ];
  return { after: { soldAt, recordId }, highWaterId, count };
}

function sign(secret: Uint8Array, { journalId, range, type }: CursorScope, payload: Buffer): Buffer {
  const scope = JSON.stringify([journalId, range.from, range.to, type ?? null]);
  return createHmac('sha256', secret).update(scope).update(payload).digest().subarray(0, SIGNATURE_BYTES);
}
