// Checks an upstream's address before it is sent. The gateway checks it again and decides. Pure.

import { isLoopback } from '../lib/loopback.ts';

/** Whether the text is an http or https address. */
export function isWebAddress(address: string): boolean {
  return /^https?:$/.test(URL.parse(address.trim())?.protocol ?? '');
}

/** True if the address uses plain HTTP to another machine. Other people on the network could then read the key. */
export function isPlainHttp(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
}

/** Whether the stored key can stay with this address. A key belongs to the origin that it was entered for. */
export function keepsKey(address: string, current: string | null): boolean {
  if (current === null) return false;
  const [next, now] = [URL.parse(address.trim()), URL.parse(current)];
  return next !== null && now !== null && next.origin === now.origin;
}
