// The first request of a till: its call, and the lines to run it in a shell. Pure. With the gateway's own authority, the lines
// first download the authority's certificate and compare its fingerprint. So the till needs no other preparation.

import type { KeyInterface, Mode } from './codes.ts';

/** Replaces the key in a request that must not show the key. */
export const KEY_PLACEHOLDER = 'KEY';
/** The names of the files in which a till stores the authority's certificate. Windows opens only files with the second name. */
export const CA_FILE = 'counterfoil-ca.pem';
export const CA_DER_FILE = 'counterfoil-ca.cer';
export const OTHER_CERTIFICATE = 'The certificate has another fingerprint.';

export interface Authority {
  /** The SHA-256 of the authority's certificate: pairs of capital hexadecimal digits with colons. */
  readonly fingerprint: string;
  /** The base address for downloading the authority's certificate by HTTP, such as http://192.168.1.20:7410. */
  readonly from: string;
}

export interface JoinRequestParts {
  /** The gateway's base address for this till, such as https://192.168.1.20:7410. */
  readonly address: string;
  /** The gateway's own authority. Null if a till already trusts the gateway's certificate, or uses HTTP. */
  readonly authority: Authority | null;
  /** The secret text of the key. If it is null, the request shows a placeholder instead. */
  readonly secret: string | null;
  /** Data about the key. `createdAt` is in epoch milliseconds. */
  readonly key: { readonly id: number; readonly interface: KeyInterface; readonly createdAt: number };
  readonly mode: Mode;
}

/** `sale` posts a test sale, `count` asks for a number of sales, `health` proves only the connection. */
export type JoinRequestKind = 'sale' | 'count' | 'health';

/** The call of a request. */
export interface Ask {
  readonly url: string;
  /** The header with the key; undefined for a call that needs no key. */
  readonly keyHeader: readonly [name: string, value: string] | undefined;
  /** The members of the posted sale; undefined for a GET. */
  readonly sale: readonly Member[] | undefined;
  /** The beginning of the sale's id. The time of the call is added to it, so each run sends a new sale. */
  readonly idStart: string;
}

type Member = readonly [name: string, value: Value];
type Value =
  | { readonly text: string }
  | { readonly number: string }
  | { readonly of: readonly Member[] }
  | 'id'
  | 'now';

/** The authority that a till must trust before it calls an address. Null for HTTP, and if the shop has its own certificate. */
export function authorityAt(address: string, own: { readonly fingerprint: string } | null): Authority | null {
  if (own === null || !address.startsWith('https:')) return null;
  return { fingerprint: own.fingerprint, from: address.replace(/^https:/, 'http:') };
}

/** The address to enter in a till's settings: the base address with the path for records. */
export function recordsUrl(address: string, by: KeyInterface): string {
  return `${address}${by === 'earlier' ? '/v1/transaction' : '/v1/raw_transactions'}`;
}

/**
 * Chooses the request for a key. Only a test key posts a sale, because a production key would book a false sale permanently.
 * With a production key of the earlier interface, the request proves only the connection, because that interface has no query.
 */
export function joinRequestKind({ key, mode }: Pick<JoinRequestParts, 'key' | 'mode'>): JoinRequestKind {
  if (mode === 'test') return 'sale';
  return key.interface === 'earlier' ? 'health' : 'count';
}

export function askOf(parts: JoinRequestParts): Ask {
  const { address, key, secret } = parts;
  const presented = secret ?? KEY_PLACEHOLDER;
  const isEarlier = key.interface === 'earlier';
  const keyHeader = isEarlier ? (['Authorization', `Bearer ${presented}`] as const) : (['token', presented] as const);
  const idStart = `T${key.id}-`;
  const records = recordsUrl(address, key.interface);
  switch (joinRequestKind(parts)) {
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

/** How a programming language writes an object. */
export interface Syntax {
  readonly open: string;
  readonly close: string;
  readonly separator: string;
  member(name: string, value: string): string;
  text(text: string): string;
  number(digits: string): string;
  id(start: string): string;
  readonly now: string;
}

export function writeObject(members: readonly Member[], idStart: string, syntax: Syntax): string {
  const write = (value: Value): string => {
    if (value === 'now') return syntax.now;
    if (value === 'id') return syntax.id(idStart);
    if ('of' in value) return writeObject(value.of, idStart, syntax);
    return 'text' in value ? syntax.text(value.text) : syntax.number(value.number);
  };
  const written = members.map(([name, value]) => syntax.member(name, write(value))).join(syntax.separator);
  return `${syntax.open}${written}${syntax.close}`;
}

/** Lines of text. Several lines that belong together can be one item. */
export type Lines = readonly string[];

/**
 * Returns the lines for a POSIX shell, with curl and openssl. The lines print the answer of the gateway. They fail if the
 * downloaded certificate does not have the fingerprint in `authority`.
 */
export function writeInShell({ url, keyHeader, sale, idStart }: Ask, authority: Authority | null): Lines {
  const body = sale && writeObject(sale, idStart, SHELL);
  const call = [
    authority === null ? `curl '${url}'` : `curl --cacert ${CA_FILE} '${url}'`,
    ...(keyHeader === undefined ? [] : [`-H '${keyHeader.join(': ')}'`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${body}'`]),
  ].join(' \\\n  ');
  const now = sale === undefined ? [] : ['NOW=$(date -u +%Y-%m-%dT%H:%M:%SZ)'];
  if (authority === null) return [...now, call];
  return [
    ...now,
    `curl -sSo ${CA_FILE} '${authority.from}/ca.pem' &&`,
    `if openssl x509 -in ${CA_FILE} -noout -fingerprint -sha256 | grep -F '${authority.fingerprint}'`,
    `then ${call}`,
    `else echo 'The certificate has another fingerprint, or openssl is missing.' >&2; false; fi`,
  ];
}
const SHELL: Syntax = {
  open: '{',
  close: '}',
  separator: ',',
  member: (name, value) => `"${name}":${value}`,
  text: (text) => `"${text}"`,
  number: (digits) => digits,
  id: (start) => `"${start}'$NOW'"`,
  now: `"'$NOW'"`,
};
