// What is known of an upstream's address before it is sent to the gateway, which has the last word. Pure.

import { isLoopback } from '../lib/loopback.ts';

/** Whether it has the form of an address of the web. */
export function isWebAddress(address: string): boolean {
  return /^https?:$/.test(URL.parse(address.trim())?.protocol ?? '');
}

/** Whether it is plain http that leaves this machine, where the key can be read on the way. */
export function isPlainHttp(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
}

/** Whether the key that is set may go with this address: it belongs to the origin it was entered for. */
export function keepsKey(address: string, current: string | null): boolean {
  if (current === null) return false;
  const [next, now] = [URL.parse(address.trim()), URL.parse(current)];
  return next !== null && now !== null && next.origin === now.origin;
}
