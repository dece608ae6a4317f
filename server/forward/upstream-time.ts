// Finds the time that upstreams report in the Date header of their answers (RFC 9110, 6.6.1). It reads undici's diagnostics
// channels, so forwarding has no extra cost while nobody listens.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { isOtherMachine } from '../lib/peer.ts';

/** undici's message about a call. It has `socket` when the call is sent, and `response` when the answer begins. */
interface Message {
  readonly request: object;
  readonly socket?: Parameters<typeof isOtherMachine>[0];
  readonly response?: { readonly headers: readonly Buffer[] | Readonly<Record<string, unknown>> };
}

/**
 * Calls `onTime` with the time in each answer from another machine, in epoch milliseconds. Returns a function that stops this.
 * Ignores an upstream or proxy on this machine, because it has the same clock.
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

/** Finds the Date header. Headers are a list in which names and values alternate, or an object by name. */
function findDate(headers: readonly Buffer[] | Readonly<Record<string, unknown>>): string | undefined {
  if (!isPairs(headers)) return typeof headers['date'] === 'string' ? headers['date'] : undefined;
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toString().toLowerCase() === 'date');
  return at === -1 ? undefined : headers[at + 1]?.toString();
}

function isPairs(headers: readonly Buffer[] | Readonly<Record<string, unknown>>): headers is readonly Buffer[] {
  return Array.isArray(headers);
}
