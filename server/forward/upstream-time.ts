// The time that upstreams report: the Date header of their answers (RFC 9110, 6.6.1). Read from undici's diagnostics channels, so
// that forwarding has no cost while nobody listens.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { isOtherMachine } from '../lib/peer.ts';

/** undici's message about a call: it has the socket when the call is sent, and the response when the response begins. */
interface Message {
  readonly request: object;
  readonly socket?: Parameters<typeof isOtherMachine>[0];
  readonly response?: { readonly headers: readonly Buffer[] | Readonly<Record<string, unknown>> };
}

/**
 * Calls `onTime` with the time of each answer from another machine, in epoch milliseconds. Returns a function that stops it.
 * Ignores an upstream or proxy on this machine, which has the same clock.
 */
export function listenForTime(onTime: (epochMs: number) => void, isElsewhere = isOtherMachine): () => void {
  const asked = new WeakSet<object>();
  const onSent = (message: unknown): void => {
    const { request, socket } = message as Message;
    if (socket !== undefined && isElsewhere(socket)) asked.add(request);
  };
  const onAnswer = (message: unknown): void => {
    const { request, response } = message as Message;
    const date = asked.has(request) && response !== undefined ? findDate(response.headers) : undefined;
    const epochMs = date === undefined ? NaN : Date.parse(date);
    if (!Number.isNaN(epochMs)) onTime(epochMs);
  };
  subscribe('undici:client:sendHeaders', onSent);
  subscribe('undici:request:headers', onAnswer);
  return () => {
    unsubscribe('undici:client:sendHeaders', onSent);
    unsubscribe('undici:request:headers', onAnswer);
  };
}

/** Headers are a list of names and values in turn, or an object by name. */
function findDate(headers: readonly Buffer[] | Readonly<Record<string, unknown>>): string | undefined {
  if (!isPairs(headers)) return typeof headers['date'] === 'string' ? headers['date'] : undefined;
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toString().toLowerCase() === 'date');
  return at === -1 ? undefined : headers[at + 1]?.toString();
}

function isPairs(headers: readonly Buffer[] | Readonly<Record<string, unknown>>): headers is readonly Buffer[] {
  return Array.isArray(headers);
}
