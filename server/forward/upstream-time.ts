// What an upstream's answers say of the time: the Date of their headers (RFC 9110, section 6.6.1). Heard from undici's diagnostics
// channels, so that forwarding bears none of it while nobody listens.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { isOtherMachine } from '../lib/peer.ts';

/** What undici publishes of a call: its socket when it is sent, its response when that has begun. */
interface Message {
  readonly request: object;
  readonly socket?: Parameters<typeof isOtherMachine>[0];
  readonly response?: { readonly headers: readonly Buffer[] | Readonly<Record<string, unknown>> };
}

/**
 * Tells the time of each answer from another machine, in epoch milliseconds as of its arrival, until the function it returns is
 * called. A machine's own answer or proxy shows but its own clock.
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

/** Headers are names and values in turn, or by name. */
function findDate(headers: readonly Buffer[] | Readonly<Record<string, unknown>>): string | undefined {
  if (!isPairs(headers)) return typeof headers['date'] === 'string' ? headers['date'] : undefined;
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toString().toLowerCase() === 'date');
  return at === -1 ? undefined : headers[at + 1]?.toString();
}

function isPairs(headers: readonly Buffer[] | Readonly<Record<string, unknown>>): headers is readonly Buffer[] {
  return Array.isArray(headers);
}
