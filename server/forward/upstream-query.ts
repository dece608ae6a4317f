// One query to an upstream (docs/interface.md#query). It sends one GET, without a retry, and reads the whole answer.

import type { IncomingHttpHeaders } from 'node:http';

import type { Dispatcher } from 'undici';

import type { Upstream } from '../store/outbox/ledger.ts';
import { placeOf } from './place.ts';

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body. At most `maxBytes` are read. */
  readonly text: string;
}

/** Maximum bytes of a page. A page of 500 records with ids of maximum length fits. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** Sends a query, and reads at most `maxBytes` of the answer. Without an answer, rejects with undici's error. */
export async function queryUpstream(
  dispatcher: Dispatcher,
  { url, token }: Upstream,
  parameters: Readonly<Record<string, string>>,
  { signal, maxBytes }: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<UpstreamAnswer> {
  const { origin, base } = placeOf(url);
  return ask(dispatcher, {
    origin,
    method: 'GET',
    path: `${base}/v1/raw_transactions?${new URLSearchParams(parameters).toString()}`,
    headers: { 'user-agent': 'counterfoil', token },
    signal,
    maxBytes,
  });
}

/** Sends any request, and reads at most `maxBytes` of the answer. Without an answer, rejects with undici's error. */
export async function ask(
  dispatcher: Dispatcher,
  { maxBytes, ...question }: Dispatcher.RequestOptions & { readonly maxBytes: number },
): Promise<UpstreamAnswer> {
  const { statusCode, headers, body } = await dispatcher.request(question);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > maxBytes) break;
  }
  return { status: statusCode, headers, text: Buffer.concat(pieces).toString('utf8') };
}
