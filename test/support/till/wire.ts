// One till's connection to a gateway. It sends one call at a time on one keep-alive connection and returns the outcome of each
// attempt. Its caller decides about retries.

import { Client } from 'undici';
import { z } from 'zod';

import { STATUSES } from '../../../server/contract/codes.ts';
import { addressOf, type Dialect } from './dialect.ts';
import type { Receipt } from './plan.ts';

export type Attempt =
  | { readonly kind: 'kept'; readonly receipt: Receipt }
  /** Refused permanently: a retry is useless. */
  | { readonly kind: 'refused'; readonly code: string; readonly detail: string }
  /** No answer, or an answer that asks to retry. `mayBeKept`: the gateway may have received the call. */
  | { readonly kind: 'failed'; readonly cause: string; readonly mayBeKept: boolean; readonly retryAfterMs: number };

export interface Wire {
  /** Sends a body once. Rejects if `signal` is aborted or this program itself is at fault. */
  attempt(body: Buffer, signal?: AbortSignal): Promise<Attempt>;
  close(): Promise<void>;
}

/** A gateway answers within milliseconds. A till that waits longer than this retries. */
const MAX_ANSWER_MS = 15_000;
const MAX_CONNECT_MS = 5000;
/** Faults of this program, not of the connection. */
const OWN_FAULTS = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_ABORTED', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

const receiptBody = z.object({
  record_id: z.int(),
  external_id: z.string(),
  status: z.enum(STATUSES),
  original_record_id: z.int().optional(),
  differences: z.array(z.string()).optional(),
});
const problemBody = z.object({ code: z.string(), detail: z.string() });

/** `url` is the gateway's base address. Connects at the first attempt. */
export function openWire(url: string, key: string, dialect: Dialect): Wire {
  const { origin, pathname } = new URL(addressOf(url, dialect));
  const client = new Client(origin, {
    allowH2: false,
    headersTimeout: MAX_ANSWER_MS,
    bodyTimeout: MAX_ANSWER_MS,
    connect: { timeout: MAX_CONNECT_MS },
  });
  const headers = dialect.headersFor(key);
  let couldConnect = true;
  client.on('connectionError', () => (couldConnect = false));

  return {
    async attempt(unpacked, signal) {
      const { method, query, body } = dialect.pack(unpacked);
      couldConnect = true;
      try {
        const answer = await client.request({ method, path: pathname + query, headers, body, signal: signal ?? null });
        return readAnswer(answer.statusCode, answer.headers['retry-after'], await answer.body.text());
      } catch (error) {
        const code =
          error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
        if (signal?.aborted === true || code === undefined || OWN_FAULTS.has(code)) throw error;
        return { kind: 'failed', cause: code, mayBeKept: couldConnect, retryAfterMs: 0 };
      }
    },
    close: () => client.destroy(),
  };
}

function readAnswer(http: number, retryAfter: string | string[] | undefined, text: string): Attempt {
  const body = parseJson(text);
  const { data: problem } = problemBody.safeParse(body);
  if (http === 408 || http === 429 || http >= 500) {
    // If the answer names an error code of the gateway, the gateway has stored nothing. Any other answer may come from a
    // proxy, after the call reached the gateway.
    const cause = problem === undefined ? `HTTP ${http}` : `${http} ${problem.code}`;
    return {
      kind: 'failed',
      cause,
      mayBeKept: http !== 429 && problem === undefined,
      retryAfterMs: readRetryAfter(retryAfter),
    };
  }
  const { data: receipt } = receiptBody.safeParse(body);
  if (http >= 300 || receipt === undefined) {
    return {
      kind: 'refused',
      code: problem?.code ?? `http_${http}`,
      detail: problem?.detail ?? `HTTP ${http} with an answer that is none of this interface's`,
    };
  }
  const { record_id: recordId, external_id: externalId, status, original_record_id: originalId, differences } = receipt;
  return { kind: 'kept', receipt: { http, recordId, externalId, status, originalId, differences } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Milliseconds until Retry-After, which holds seconds or a date (RFC 9110, 10.2.3). */
function readRetryAfter(value: string | string[] | undefined): number {
  if (typeof value !== 'string') return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
