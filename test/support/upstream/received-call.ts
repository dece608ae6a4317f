// Reads a call as the upstream would: its interface, its journal, and its record or query.
// Written from docs/interface.md alone, without the gateway's own readers, so that it can judge the gateway.

import type { IncomingHttpHeaders } from 'node:http';

import { type Interface, KEY_PREFIXES, MODES } from '../../../server/contract/codes.ts';

/** A call with its complete body. */
export interface RawCall {
  readonly method: string;
  /** The path with its query string, as sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export type ReceivedCall =
  | ReceivedRecord
  | { readonly kind: 'query'; readonly journal: string; readonly parameters: URLSearchParams }
  /** An invalid call. `what` is the text of the stand-in's answer. */
  | { readonly kind: 'invalid'; readonly status: number; readonly what: string };

export interface ReceivedRecord {
  readonly kind: 'record';
  readonly journal: string;
  readonly interface: Interface;
  readonly resource: string;
  /** The record's id; undefined if it has none. */
  readonly id: string | undefined;
  readonly type: string;
  /** The time stamp as sent; undefined if there is none. */
  readonly timestamp: string | undefined;
  /** The time of sale in epoch seconds. Not read on the earlier interface. */
  readonly soldAt: number;
  /** The bytes that must be equal in a repeated call: the body, or the query string of a GET. */
  readonly bytes: Buffer;
  /** The parsed content. Equal JSON gives equal values, in any order of members. */
  readonly content: unknown;
  /** Why the record cannot be accepted. */
  readonly fault: string | undefined;
}

export interface ReadOptions {
  /**
   * The journal of each token. By default, every token with a key's prefix is valid, and the mode in the prefix is the journal.
   */
  readonly tokens?: Readonly<Record<string, string>>;
  /** The id parameter of resources of the earlier interface whose id is not `transactionid`. */
  readonly idParameters?: Readonly<Record<string, string>>;
}

/**
 * Reads a call. A path that ends in `/v1/raw_transactions` is the current interface. Any other path that ends in
 * `/{version}/{resource}` is the earlier interface. The rest of the path belongs to the base address.
 */
export function readCall(call: RawCall, options: ReadOptions): ReceivedCall {
  const mark = call.path.indexOf('?');
  const path = mark === -1 ? call.path : call.path.slice(0, mark);
  const query = mark === -1 ? '' : call.path.slice(mark + 1);
  if (path.endsWith('/v1/raw_transactions')) return readCurrentCall(call, query, options);
  const [, version = '', resource = ''] = /\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (!/^v\d+$/.test(version)) return version === '' ? invalid(404, 'no such path') : invalid(400, 'no such end point');
  return readEarlierCall(call, resource, query, options);
}

function readCurrentCall(call: RawCall, query: string, { tokens }: ReadOptions): ReceivedCall {
  const { token } = call.headers;
  const journal = typeof token === 'string' ? findJournal(token, tokens) : undefined;
  if (journal === undefined) return invalid(401, 'the header token holds no key known here');
  if (call.method === 'GET') return { kind: 'query', journal, parameters: new URLSearchParams(query) };
  if (call.method !== 'POST') return invalid(405, 'this path takes GET and POST');
  if (!isJson(call.headers)) return invalid(415, 'the Content-Type is not application/json');
  const content = parseObject(call.bytes);
  const { type, external_id: id, timestamp, object } = content ?? {};
  const soldAt = typeof timestamp === 'string' ? readInstant(timestamp) : Number.NaN;
  return {
    kind: 'record',
    journal,
    interface: 'current',
    resource: 'raw_transactions',
    id: typeof id === 'string' && id !== '' ? id : undefined,
    type: typeof type === 'string' ? type : '',
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
    soldAt,
    bytes: call.bytes,
    content,
    fault: listFaults([
      [content !== undefined, 'the body is not a JSON object'],
      [typeof id === 'string' && id !== '', 'external_id is not a text'],
      [typeof type === 'string' && type !== '', 'type is not a text'],
      [!Number.isNaN(soldAt), 'timestamp is not YYYY-MM-DDTHH:MM:SSZ'],
      [isObject(object), 'object is not a JSON object'],
    ]),
  };
}

function readEarlierCall(call: RawCall, resource: string, query: string, options: ReadOptions): ReceivedCall {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(call.headers.authorization ?? '') ?? [];
  const journal = findJournal(token, options.tokens);
  if (journal === undefined) return invalid(401, 'the header Authorization holds no access token known here');
  if (call.method !== 'GET' && call.method !== 'POST') return invalid(405, 'this path takes GET and POST');
  if (call.method === 'POST' && !isJson(call.headers)) return invalid(415, 'the Content-Type is not application/json');
  const parameters = call.method === 'GET' ? readParameters(query) : parseParameters(call.bytes);
  const id = parameters?.[options.idParameters?.[resource] ?? 'transactionid'];
  const timestamp = parameters?.['timestamp'];
  const hasId = (typeof id === 'string' && id !== '') || typeof id === 'number';
  return {
    kind: 'record',
    journal,
    interface: 'earlier',
    resource,
    id: hasId ? String(id) : undefined,
    type: resource,
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
    soldAt: 0,
    bytes: call.method === 'GET' ? Buffer.from(query, 'latin1') : call.bytes,
    content: parameters && Object.fromEntries(Object.entries(parameters).map(([name, one]) => [name, valueOf(one)])),
    fault: listFaults([
      [parameters !== undefined, 'the body is not a JSON object'],
      [hasId, 'the id is missing'],
    ]),
  };
}

function invalid(status: number, what: string): ReceivedCall {
  return { kind: 'invalid', status, what };
}

function findJournal(token: string, tokens: ReadOptions['tokens']): string | undefined {
  if (tokens !== undefined) return Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  return MODES.find((mode) => token.startsWith(KEY_PREFIXES[mode]));
}

function isJson(headers: IncomingHttpHeaders): boolean {
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
}

function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses a body of parameters: an object, or an object whose only member `data` is the object
 * (docs/interface.md#earlier-interface).
 */
function parseParameters(bytes: Buffer): Record<string, unknown> | undefined {
  const value = parseObject(bytes);
  const isWrapped = value !== undefined && Object.keys(value).length === 1 && isObject(value['data']);
  return isWrapped ? (value['data'] as Record<string, unknown>) : value;
}

/** A repeated parameter becomes the list of its values. */
function readParameters(query: string): Record<string, unknown> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries(
    [...parameters.keys()].map((name) => {
      const [value, ...more] = parameters.getAll(name);
      return [name, more.length === 0 ? value : [value, ...more]];
    }),
  );
}

/**
 * Makes values of a body comparable with a query string, which holds only texts. A text that looks like a number becomes that
 * number. A boolean becomes a text.
 */
function valueOf(value: unknown): unknown {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? Number(value) : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listFaults(checks: readonly (readonly [isGood: boolean, what: string])[]): string | undefined {
  const faults = checks.filter(([isGood]) => !isGood).map(([, what]) => what);
  return faults.length === 0 ? undefined : faults.join('; ');
}

/**
 * Epoch seconds of `YYYY-MM-DDTHH:MM:SSZ`, rounded down; NaN for another form or an impossible day. Also reads fractions and
 * offsets, because current tills send them.
 */
export function readInstant(text: string): number {
  const [, local, zone, sign, hours = '', minutes = '0'] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?(Z|([+-])(\d{2}):?(\d{2})?)$/.exec(text) ?? [];
  if (local === undefined) return Number.NaN;
  const ms = Date.parse(`${local}Z`); // Date.parse reads 30 February and 24:00:00 as the next day
  if (new Date(ms).getUTCDate() !== Number(local.slice(8, 10))) return Number.NaN;
  const offset = zone === 'Z' ? 0 : (sign === '-' ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
  return ms / 1000 - offset;
}
