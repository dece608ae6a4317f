// Finds addresses that an upstream must not have: link-local addresses (RFC 3927, RFC 4291), and the metadata addresses of
// clouds, which give keys to anyone who asks. The name of an upstream must never resolve to one of these addresses
// (docs/security.md, promise S9). If a person types one of them as an IP address, the command line warns and the console
// refuses it. Loopback and private networks are allowed, because the upstream may be in the shop.

import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Looks up all addresses of a name. */
export type Resolve = (
  name: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** The resolver of this machine. */
export const resolveHere: Resolve = lookup;

const LINK_LOCAL = new BlockList();
for (const [address, bits, hex] of [
  ['169.254.0.0', 16, 'a9fe:0'],
  ['100.100.100.200', 32, '6464:64c8'],
  ['168.63.129.16', 32, 'a83f:8110'],
  ['192.0.0.192', 32, 'c000:c0'],
] as const) {
  LINK_LOCAL.addSubnet(address, bits, 'ipv4'); // also matches the mapped form ::ffff:169.254.0.0/112
  // IPv6 addresses that contain the address: compatible, translated (RFC 7915 and NAT64) and tunnelled (6to4).
  for (const prefix of ['::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'])
    LINK_LOCAL.addSubnet(`${prefix}${hex}`, 96 + bits, 'ipv6');
  LINK_LOCAL.addSubnet(`2002:${hex}::`, 16 + bits, 'ipv6');
}
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
LINK_LOCAL.addSubnet('fd00:ec2::', 32, 'ipv6');
LINK_LOCAL.addAddress('fd20:ce::254', 'ipv6');

function isLinkLocal(address: string): boolean {
  return LINK_LOCAL.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the host of a URL if it is a link-local IP address, in any notation. Otherwise returns undefined. */
export function findLinkLocalHost(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && isLinkLocal(host) ? host : undefined;
}

/** True if all addresses of a name are link-local. Nothing may then be sent to this name. */
export function areLinkLocal(addresses: readonly LookupAddress[]): boolean {
  return addresses.length > 0 && addresses.every(({ address }) => isLinkLocal(address));
}

/** Returns a warning if the host is a link-local IP address. A host name is checked later, when the gateway connects. */
export function findLinkLocalWarning(url: string): string | undefined {
  const host = findLinkLocalHost(new URL(url));
  if (host === undefined) return undefined;
  return `${host} is a link-local or metadata address: no upstream has one, and clouds give their keys away there. The gateway still sends our key and the sales to it. Check the address.`;
}

/** Thrown if the name of an upstream resolves to link-local addresses only. */
export class LinkLocalError extends Error {
  override readonly name = 'LinkLocalError';
  readonly code = 'ERR_LINK_LOCAL';
  readonly addresses: string;

  constructor(found: readonly LookupAddress[]) {
    super('the name resolves to a link-local address');
    this.addresses = listOf(found);
  }
}

/** Returns a look-up function for connections. It leaves out link-local addresses, and fails if no other address is left. */
export function prepareLookup(resolve: Resolve): LookupFunction {
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const allowed = found.filter(({ address }) => !isLinkLocal(address));
      const [first] = allowed;
      if (first === undefined) callback(new LinkLocalError(found), '');
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function listOf(found: readonly LookupAddress[]): string {
  return found.map(({ address }) => address).join(', ');
}
