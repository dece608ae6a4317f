// Finds the network of an IP address. Limits apply to networks, because one site with IPv6 has billions of addresses.

import { isIP, isIPv6 } from 'node:net';

/**
 * The network of an address. For IPv6, it is the /64 network, which belongs to one site. For IPv4, it is the address itself.
 */
export function networkOf(address: string): string {
  return groupsOf(address)?.slice(0, 4).join(':') ?? address;
}

/**
 * Lists the networks of an address, largest first, then the address itself. For IPv6, the networks are /48, /56 and /64. For
 * IPv4, there is only the address itself.
 */
export function listNetworks(address: string): readonly string[] {
  const groups = groupsOf(address);
  if (groups === undefined) return [address];
  const site = groups.slice(0, 3).join(':');
  const subnet = (groups[3] ?? '').padStart(4, '0');
  return [`${site}/48`, `${site}:${subnet.slice(0, 2)}/56`, `${site}:${subnet}/64`, address];
}

/** An IP network. A single address is a network with the longest prefix. */
export interface IpNetwork {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Reads an address or a network in CIDR form, such as 10.0.0.0/24. Undefined for any other text. */
export function findNetwork(text: string): IpNetwork | undefined {
  const [address = '', prefix, ...more] = text.trim().split('/');
  const version = isIP(address);
  const longest = version === 4 ? 32 : 128;
  const length = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN;
  if (version === 0 || more.length > 0 || !(length <= longest)) return undefined;
  return { address, prefix: length, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** The hexadecimal groups of an IPv6 address. Undefined for any other address. */
function groupsOf(address: string): readonly string[] | undefined {
  if (!isIPv6(address) || address.includes('.')) return undefined;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail];
}
