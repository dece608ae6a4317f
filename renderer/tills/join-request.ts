// The first request of a till, ready to paste, in the languages of integrators. Pure. With the gateway's own authority, each
// request first downloads the authority's certificate and compares its fingerprint, so it needs no other preparation.

import type { KeyInterface, Mode } from '../../server/contract/codes.ts';
import { type Ask, type Authority, type Language, type Member, WRITERS } from './request-writers.ts';

/** Stands in a request for a key that is not shown. */
const KEY_PLACEHOLDER = 'KEY';

export interface JoinRequestParts {
  /** The gateway's base address for this till, such as https://192.168.1.20:7410. */
  readonly address: string;
  /** The gateway's own authority; null if a till needs to trust nothing more. */
  readonly authority: Authority | null;
  /** Null leaves the key out. */
  readonly secret: string | null;
  readonly key: { readonly id: number; readonly interface: KeyInterface; readonly createdAt: number };
  readonly mode: Mode;
}

/** `sale` posts a test sale, `count` asks for a number of sales, `health` proves only the connection. */
export type JoinRequestKind = 'sale' | 'count' | 'health';

/**
 * Only a test key posts a sale: a production key would book a false one permanently. The earlier interface has no query, so
 * its production keys are not checked.
 */
export function joinRequestKind({ key, mode }: Pick<JoinRequestParts, 'key' | 'mode'>): JoinRequestKind {
  if (mode === 'test') return 'sale';
  return key.interface === 'earlier' ? 'health' : 'count';
}

/** The address that a till's settings need: the base address with the path for records. */
export function recordsUrl(address: string, by: KeyInterface): string {
  return `${address}${by === 'earlier' ? '/v1/transaction' : '/v1/raw_transactions'}`;
}

/** The request as a script that prints the answer. Each run sends a new sale, with the time of the till's clock. */
export function joinRequest(language: Language, parts: JoinRequestParts): string {
  return WRITERS[language](askOf(parts), parts.authority).join('\n');
}

function askOf(parts: JoinRequestParts): Ask {
  const { address, key, secret } = parts;
  const kind = joinRequestKind(parts);
  const presented = secret ?? KEY_PLACEHOLDER;
  const isEarlier = key.interface === 'earlier';
  const keyHeader = isEarlier ? (['Authorization', `Bearer ${presented}`] as const) : (['token', presented] as const);
  const idStart = `T${key.id}-`;
  const records = recordsUrl(address, key.interface);
  switch (kind) {
    case 'sale':
      return { url: records, keyHeader, sale: isEarlier ? EARLIER_SALE : SALE, idStart };
    case 'count': {
      const day = new Date(key.createdAt).toISOString().slice(0, 10);
      const url = `${records}?timestamp_gte=${day}T00:00:00&timestamp_lt=${day}T23:59:59`;
      return { url, keyHeader, sale: undefined, idStart };
    }
    case 'health':
      return { url: `${address}/healthz`, keyHeader: undefined, sale: undefined, idStart };
  }
}

const SALE: readonly Member[] = [
  ['type', { text: 'sale' }],
  ['external_id', 'id'],
  ['timestamp', 'now'],
  ['object', { of: [['total', { number: '12.50' }]] }],
];
const EARLIER_SALE: readonly Member[] = [
  ['transactionid', 'id'],
  ['timestamp', 'now'],
  ['amount', { number: '12.50' }],
];
