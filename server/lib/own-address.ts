// Finds the addresses at which other machines can reach this machine. Also finds the name in the certificate that resolves to
// this machine.

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const EVERYWHERE = /(?<=:\/\/)(0\.0\.0\.0|\[::\])(?=:)/;
/** Time-out of a DNS look-up. A silent DNS server must not delay the start. */
const LOOKUP_TIMEOUT_MS = 1000;
/**
 * Network interfaces of containers and virtual machines, which have no tills. Some interfaces with similar names carry a shop's
 * network, so the pattern does not match them. These are br0, br-lan, macOS's bridge0, and each vEthernet that shares a network
 * card with virtual machines.
 */
const VIRTUAL =
  /^(br-[0-9a-f]{12}$|docker|veth|virbr|vboxnet|vmnet|cni|flannel|podman|lxcbr|lxdbr|bridge1\d\d$|VMware |VirtualBox |vEthernet \((Default Switch|WSL|nat\)))/;
/** Network interfaces of VPNs. In a few shops, tills connect through a VPN. */
const VPN = /^(tun|tap|utun|ppp|wg|ipsec|zt|tailscale|openvpn|wireguard|zerotier)/i;

/** Resolves a name to addresses. Rejects if it does not resolve. */
export type Resolve = (name: string) => Promise<readonly string[]>;
export type Interfaces = ReturnType<typeof networkInterfaces>;

/** Whether an interface belongs to containers or virtual machines. */
export function isVirtualInterface(name: string): boolean {
  return VIRTUAL.test(name);
}

/** Whether the host of a URL is a wildcard address, such as 0.0.0.0. */
export function isEverywhere(url: string): boolean {
  return EVERYWHERE.test(url);
}

/** The IPv4 addresses of this machine: physical networks first, then VPNs, then virtual networks. */
export function listLanAddresses(interfaces: Interfaces = networkInterfaces()): readonly string[] {
  return Object.entries(interfaces)
    .toSorted(([a], [b]) => distanceOf(a) - distanceOf(b))
    .flatMap(([, addresses]) => addresses ?? [])
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    .map(({ address }) => address);
}

/** Orders interfaces by how likely a till is behind them: 0 for a physical network, 1 for a VPN, 2 for a virtual network. */
export function distanceOf(name: string): number {
  return VIRTUAL.test(name) ? 2 : Number(VPN.test(name));
}

/** Replaces a wildcard host, such as 0.0.0.0, by `host`. By default, that is an address of this machine. */
export function reachableUrl(url: string, host = listLanAddresses()[0] ?? '127.0.0.1'): string {
  return url.replace(EVERYWHERE, host);
}

/**
 * Chooses the host of the certificate that other machines should use. Prefers a name that resolves to this machine, then one of
 * its addresses, then a name that resolves elsewhere. That last case is usual behind a router. Undefined if no such host is
 * left. Loopback is never chosen.
 */
export async function chooseHost(
  hosts: readonly string[],
  resolve: Resolve = resolveInTime,
  interfaces: Interfaces = networkInterfaces(),
): Promise<string | undefined> {
  const own = new Set(Object.values(interfaces).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []));
  const usable = hosts.filter((host) => !host.includes('*') && !LOOPBACK.test(host));
  const names = usable.filter((host) => isIP(host) === 0);
  const found = await Promise.all(names.map(async (name) => resolve(name).catch(() => [])));
  const leadsHere = names.find((_, i) => found[i]?.some((address) => own.has(address)));
  return (
    leadsHere ??
    usable.find((host) => own.has(host)) ??
    names.find((_, i) => (found[i]?.length ?? 0) > 0) ??
    usable.find((host) => isIP(host) !== 0)
  );
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

async function resolveInTime(name: string): Promise<readonly string[]> {
  const found = lookup(name, { all: true }).then((addresses) => addresses.map(({ address }) => address));
  return Promise.race([found, delay(LOOKUP_TIMEOUT_MS, [], { ref: false })]);
}
