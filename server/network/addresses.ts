// The network interfaces of this machine and their addresses, in the order in which a till should try them. Physical networks
// come first, then VPNs, then containers and virtual machines. Within each of these three groups, private IPv4 addresses come
// first. Addresses that a till cannot use are left out.

import { isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

import type { NetworkInterface } from '../contract/network.ts';
import type { Clock } from '../lib/clock.ts';
import { isPrivateAddress } from '../lib/host.ts';
import { distanceOf, type Interfaces, isVirtualInterface } from '../lib/own-address.ts';

/** Polling interval, because Node cannot report a changed address. */
const POLL_MS = 2000;

export type OwnInterface = Omit<NetworkInterface, 'isUsed'>;

/** Lists the interfaces and their addresses. Leaves out loopback. */
export function listInterfaces(interfaces: Interfaces = networkInterfaces()): readonly OwnInterface[] {
  const byName = Map.groupBy(Object.entries(interfaces), ([name]) => withoutLabel(name));
  const all = Array.from(byName, ([name, entries]) => ({
    name,
    addresses: entries
      .flatMap(([, found = []]) => found)
      .filter(({ internal }) => !internal)
      .map(({ address }) => address),
    isVirtual: isVirtualInterface(name),
  }));
  const hasUsual = all.some(({ addresses }) => addresses.some((address) => isIPv4(address) && !isLinkLocal(address)));
  return all
    .map((each) => ({
      ...each,
      addresses: each.addresses.filter((address) => isUsable(address, hasUsual)).toSorted((a, b) => rank(a) - rank(b)),
    }))
    .filter(({ addresses }) => addresses.length > 0)
    .toSorted((a, b) => distanceOf(a.name) - distanceOf(b.name) || rankOf(a) - rankOf(b));
}

/** Removes the label from an interface name. Linux lists a labelled address, such as lan0:2, as a separate interface. */
export function withoutLabel(name: string): string {
  return name.replace(/(?<=^[^:\s]+):[^:\s]+$/, '');
}

/**
 * Link-local IPv6 addresses are never usable, because the caller would also have to name one of its interfaces. A link-local
 * IPv4 address is usable only if the machine has no other IPv4 address.
 */
function isUsable(address: string, hasUsual: boolean): boolean {
  return !isLinkLocal(address) || (isIPv4(address) && !hasUsual);
}

function isLinkLocal(address: string): boolean {
  return /^(169\.254\.|fe[89ab][\da-f]:)/i.test(address);
}

/**
 * The position of an address in this order: private IPv4, public IPv4, private IPv6, public IPv6. Many tills do not support
 * IPv6, and the network of a shop rarely uses public IPv4 addresses.
 */
function rank(address: string): number {
  return (isIPv6(address) ? 2 : 0) + (isPrivateAddress(address) ? 0 : 1);
}

function rankOf({ addresses: [first = ''] }: OwnInterface): number {
  return rank(first);
}

export interface AddressWatch {
  /** The interfaces as last read. */
  interfaces(): readonly OwnInterface[];
  close(): void;
}

/** Polls the interfaces every two seconds. Calls `onChange` if they have changed. */
export function watchAddresses({
  clock,
  readInterfaces = networkInterfaces,
  onChange,
}: {
  readonly clock: Pick<Clock, 'after'>;
  readonly readInterfaces?: (() => Interfaces) | undefined;
  onChange(): void;
}): AddressWatch {
  let known = listInterfaces(readInterfaces());
  const look = (): void => {
    let found = known;
    try {
      found = listInterfaces(readInterfaces());
    } catch {
      // Fails while the process has no free file or memory. The next look tries again.
    }
    const hasChanged = JSON.stringify(found) !== JSON.stringify(known);
    known = found;
    cancel = clock.after(POLL_MS, look);
    if (hasChanged) onChange();
  };
  let cancel = clock.after(POLL_MS, look);
  return { interfaces: () => known, close: () => cancel() };
}
