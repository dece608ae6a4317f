// Calls as a well-behaved till makes them, and the bodies and queries they carry.

import { Agent, type Dispatcher, getGlobalDispatcher, request } from 'undici';

/** What came back. */
export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body parsed; throws when it is not JSON. */
  json(): Record<string, unknown>;
}

export interface Call {
  readonly method?: string;
  /** A list stands for a header that is sent more than once; undefined leaves it out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Buffer | undefined;
  /** The connections to use, instead of the ones all calls share. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** The certificates of the tests are their own; whether a till trusts one is tested where that is the question. */
const trustingAll = new Agent({ connect: { rejectUnauthorized: false } });

/** Makes one call on a kept-alive connection. */
export async function call(
  url: string,
  { method = 'GET', headers = {}, body, dispatcher }: Call = {},
): Promise<Answer> {
  const flat = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]));
  const response = await request(url, {
    method: method as 'GET',
    headers: flat,
    body: body ?? null,
    dispatcher: dispatcher ?? (url.startsWith('https:') ? trustingAll : getGlobalDispatcher()),
  });
  const text = await response.body.text();
  const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    status: response.statusCode,
    headers: Object.fromEntries(received),
    text,
    json: () => JSON.parse(text) as Record<string, unknown>,
  };
}

/** Posts a body as it is. */
export function postBody(
  apiUrl: string,
  secret: string,
  body: string | Buffer,
  path = '/v1/raw_transactions',
): Promise<Answer> {
  return call(apiUrl + path, { method: 'POST', headers: { token: secret, 'content-type': 'application/json' }, body });
}

/** Queries with the parameters given; the day 2026-11-20 unless they say otherwise. */
export function getRange(
  apiUrl: string,
  secret: string,
  parameters: Readonly<Record<string, string>> = {},
  path = '/v1/raw_transactions',
): Promise<Answer> {
  return call(`${apiUrl}${path}?${rangeParameters(parameters)}`, { headers: { token: secret } });
}

/** A query string: the day 2026-11-20, with `more` added or put in its place. */
export function rangeParameters(more: Readonly<Record<string, string>> = {}): string {
  return new URLSearchParams({
    timestamp_gte: '2026-11-20T00:00:00',
    timestamp_lt: '2026-11-21T00:00:00',
    ...more,
  }).toString();
}

export interface BodyParts {
  readonly type?: string;
  readonly external_id?: string;
  readonly timestamp?: string;
  /** JSON text, put in as it is. */
  readonly object?: string;
  /** JSON text of further members, such as `"clerk":"Ann"`. */
  readonly more?: string;
}

let lastId = 0;

/** A good body as JSON text, with an external_id of its own unless one is given. */
export function bodyOf({
  type = 'sale',
  external_id,
  timestamp = '2026-11-20T10:00:00Z',
  object = '{}',
  more,
}: BodyParts = {}): string {
  const id = external_id ?? `auto-${(lastId += 1)}`;
  const members = [
    `"type":${JSON.stringify(type)}`,
    `"external_id":${JSON.stringify(id)}`,
    `"timestamp":${JSON.stringify(timestamp)}`,
    `"object":${object}`,
  ];
  return `{${[...members, ...(more === undefined ? [] : [more])].join(',')}}`;
}
