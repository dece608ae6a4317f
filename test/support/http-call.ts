// Calls of a well-behaved till, with their bodies and queries.

import { Agent, type Dispatcher, getGlobalDispatcher, request } from 'undici';

export interface Answer {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body. Throws if it is not JSON. */
  json(): Record<string, unknown>;
}

export interface Call {
  readonly method?: string;
  /** A list sends the header once for each value of the list. Undefined omits the header. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Buffer | undefined;
  /** A separate connection pool instead of the shared pool. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** Accepts every certificate, because the tests make their own. Tests about trust check certificates separately. */
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

/** Posts a body unchanged. */
export function postBody(
  apiUrl: string,
  secret: string,
  body: string | Buffer,
  path = '/v1/raw_transactions',
): Promise<Answer> {
  return call(apiUrl + path, { method: 'POST', headers: { token: secret, 'content-type': 'application/json' }, body });
}

/** Queries with the given parameters; the default range is the day 2026-11-20. */
export function getRange(
  apiUrl: string,
  secret: string,
  parameters: Readonly<Record<string, string>> = {},
  path = '/v1/raw_transactions',
): Promise<Answer> {
  return call(`${apiUrl}${path}?${rangeParameters(parameters)}`, { headers: { token: secret } });
}

/** A query string for the day 2026-11-20. `more` adds or replaces parameters. */
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
  /** The sold object as JSON text, inserted unchanged. */
  readonly object?: string;
  /** JSON text of more members, such as `"clerk":"Ann"`. */
  readonly more?: string;
}

let lastId = 0;

/** A good body as JSON text. Without a given external_id it gets a unique one. */
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
