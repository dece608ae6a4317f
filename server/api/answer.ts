// The answers to accepted calls.

import type { ServerResponse } from 'node:http';

import { assertNever } from '../errors.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import type { Outcome } from '../store/records/ledger.ts';
import type { DayTotalDocument, RangeDocument, Receipt } from './schema.ts';

/** The fields that a receipt copies from the call. */
interface Received {
  readonly type: string;
  readonly externalId: string;
  /** The timestamp exactly as the till sent it. */
  readonly timestamp: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
}

export function sendReceipt(res: ServerResponse, status: number, received: Received, outcome: Outcome): void {
  sendJson(res, status, receiptOf(received, outcome));
}

function receiptOf({ type, externalId, timestamp, receivedAt }: Received, outcome: Outcome): Receipt {
  const { status, recordId } = outcome;
  const base = {
    record_id: recordId,
    external_id: externalId,
    type,
    timestamp,
    status,
    received_at: formatMilliseconds(receivedAt),
  };
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

/**
 * Sends JSON. Sends nothing if the call already got a refusal. This can happen during the handling, if malformed bytes follow
 * the call.
 */
export function sendJson(res: ServerResponse, status: number, value: Receipt | RangeDocument | DayTotalDocument): void {
  if (res.headersSent) return;
  const body = JSON.stringify(value);
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  res.end(body);
}
