// Groups callers by network: one IPv6 customer has billions of addresses.

import { isIPv6 } from 'node:net';

/** The network of an address: its first half for IPv6 (/64), as one customer has it; for IPv4 the address itself. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
