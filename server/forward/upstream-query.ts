// One question to an upstream about what it has (specification 4.2): a GET that is sent once, and its whole answer.

import type { IncomingHttpHeaders } from 'node:http';

import type { Dispatcher } from 'undici';

import type { Upstream } from '../store/outbox/ledger.ts';

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As much of the body as is read. */
  readonly text: string;
}

/** A page of 500 records whose ids are as long as they may be. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** Asks, and reads so many bytes at the most. Rejects with what undici rejects with when there is no answer. */
export async function queryUpstream(
  dispatcher: Dispatcher,
  { url, token }: Upstream,
  parameters: Readonly<Record<string, string>>,
  { signal, mostBytes }: { readonly signal: AbortSignal; readonly mostBytes: number },
): Promise<UpstreamAnswer> {
  const { origin, pathname } = new URL(url);
  return ask(dispatcher, {
    origin,
    method: 'GET',
    path: `${pathname.replace(/\/$/, '')}/v1/raw_transactions?${new URLSearchParams(parameters).toString()}`,
    headers: { 'user-agent': 'counterfoil', token },
    signal,
    mostBytes,
  });
}

/** Any question, as `queryUpstream`. */
export async function ask(
  dispatcher: Dispatcher,
  { mostBytes, ...question }: Dispatcher.RequestOptions & { readonly mostBytes: number },
): Promise<UpstreamAnswer> {
  const { statusCode, headers, body } = await dispatcher.request(question);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > mostBytes) break;
  }
  return { status: statusCode, headers, text: Buffer.concat(pieces).toString('utf8') };
}
