// Detects an upstream address that is this gateway itself. A record sent there would return as a duplicate and count as
// delivered, although no other service received it.

import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Returns a sentence about the fault if `url` leads to one of these ports of this machine. Accepts a name that cannot be
 * resolved now. A router or proxy may also lead back to this gateway. `via.ts` detects that when the first record comes back.
 */
export async function findOwnAddressFault(url: string, ports: readonly number[]): Promise<string | undefined> {
  const { hostname, port: given, protocol } = new URL(url);
  const port = given === '' ? DEFAULT_PORTS.get(protocol) : Number(given);
  if (port === undefined || !ports.includes(port) || !(await isThisMachine(hostname))) return undefined;
  return `${url} is this gateway itself, which listens at port ${port}. Give the upstream's address. To run another gateway there, start this one at another port first.`;
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
  // A connection to the address 0.0.0.0 or :: also reaches this machine.
  own.addAddress('0.0.0.0', 'ipv4');
  own.addAddress('::', 'ipv6');
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
    own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return own;
}
