// Whether an upstream's address is this very gateway. What it sends there would come back, be taken for a duplicate and
// count as delivered, without having gone anywhere.

import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Says what is wrong when `url` leads to one of these ports of this machine. A name that cannot be resolved now leads
 * nowhere; and what a router or a proxy leads back here is found when the first record goes.
 */
export async function findOwnAddressFault(url: string, ports: readonly number[]): Promise<string | undefined> {
  const { hostname, port: given, protocol } = new URL(url);
  const port = given === '' ? DEFAULT_PORTS.get(protocol) : Number(given);
  if (port === undefined || !ports.includes(port) || !(await isThisMachine(hostname))) return undefined;
  return `${url} is this gateway itself, whose port ${port} is; give the upstream's address. If another gateway is to be there, start this one at a port of its own first.`;
}

const DEFAULT_PORTS = new Map([
  ['https:', 443],
  ['http:', 80],
]);

async function isThisMachine(hostname: string): Promise<boolean> {
  const own = ownAddresses();
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  return found.some(({ address, family }) => own.check(address, family === 6 ? 'ipv6' : 'ipv4'));
}

function ownAddresses(): BlockList {
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8, 'ipv4');
  own.addAddress('::1', 'ipv6');
  // Whoever connects to "all addresses" gets to this machine.
  own.addAddress('0.0.0.0', 'ipv4');
  own.addAddress('::', 'ipv6');
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
    own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return own;
}
