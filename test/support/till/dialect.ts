// What differs between the two interfaces for a till: the body of a sale, its transport, and the answer for a new sale.
// Planning, changes and retries are the same for both.

import { stringify } from 'lossless-json';

import { hasParts, type Members, readMembers } from './members.ts';

export const METHODS = ['POST', 'GET'] as const;
export type Method = (typeof METHODS)[number];

/** The parts of the HTTP request that sends a body. */
interface Packed {
  readonly method: Method;
  /** The query string with its question mark; empty if there is none. */
  readonly query: string;
  readonly body: Buffer | null;
}

export interface Dialect {
  /** The end point, below the gateway's base address. */
  readonly path: string;
  /** The query string of a GET that shows whether the key is accepted. The gateway stores nothing for it. */
  readonly greeting: string;
  /** The member of a body that contains the sale's id. */
  readonly idMember: string;
  /** The HTTP status for NEW. IGNORED and ERROR have 200. */
  readonly httpOfNew: 200 | 201;
  headersFor(key: string): Record<string, string>;
  /** Makes the body from a record of a file, `{type, external_id, timestamp, object}`. Returns any other record unchanged. */
  bodyOf(record: Buffer): Buffer;
  /** The members of a body that the gateway compares when the till resends it. */
  listCompared(body: Members): string[];
  pack(body: Buffer): Packed;
}

/** The current interface: sends records byte for byte. */
export const CURRENT: Dialect = {
  path: '/v1/raw_transactions',
  greeting: '?timestamp_gte=2000-01-01T00:00:00&timestamp_lt=2000-01-01T00:00:01',
  idMember: 'external_id',
  httpOfNew: 201,
  headersFor: (key) => ({ token: key, 'content-type': 'application/json' }),
  bodyOf: (record) => record,
  listCompared: () => ['type', 'timestamp', 'object'],
  pack: packBody,
};

/**
 * The earlier interface, resource `transaction`. Its parameters are the sale's id, its timestamp and the members of its object.
 */
export function earlierDialect(method: Method): Dialect {
  return {
    path: '/v1/transaction',
    greeting: '', // the gateway keeps nothing without an id
    idMember: 'transactionid',
    httpOfNew: 200,
    headersFor: (key) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' }),
    bodyOf: parametersOf,
    listCompared: (body) => Object.keys(body).filter((name) => name !== 'transactionid'),
    pack: method === 'GET' ? packQuery : packBody,
  };
}

/** Returns the address of the end point. `url` may have a path, or may already be the end point. */
export function addressOf(url: string, { path }: Dialect): string {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  return origin + (base.endsWith(path) ? base : base + path);
}

/**
 * Makes a parameter of each member of the object. A query string holds only texts, so null, objects and arrays become JSON
 * text.
 */
function parametersOf(record: Buffer): Buffer {
  const { external_id: transactionid, timestamp, object } = readMembers(record) ?? {};
  if (!hasParts(object)) return record;
  const details = Object.entries(object).map(([name, value]) => [
    name,
    value === null || hasParts(value) ? stringify(value) : value,
  ]);
  const own = { transactionid, timestamp };
  return Buffer.from(stringify({ ...own, ...Object.fromEntries(details), ...own }) ?? '');
}

function packBody(body: Buffer): Packed {
  return { method: 'POST', query: '', body };
}

function packQuery(body: Buffer): Packed {
  const parameters = Object.entries(readMembers(body) ?? { [body.toString()]: '' });
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)] as [string, string]));
  return { method: 'GET', query: `?${query.toString()}`, body: null };
}
