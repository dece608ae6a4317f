// Finds the addresses at which other machines can reach this machine. Also chooses the host of the certificate that they should
// use.

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const EVERYWHERE = /(?<=:\/\/)(0\.0\.0\.0|\[::\])(?=:)/;
/** Time-out of a DNS look-up. A silent DNS server must not delay the start. */
const LOOKUP_TIMEOUT_MS = 1000;
/**
 * Network interfaces of containers and virtual machines, which have no tills. The pattern does not match some similar names,
 * because these interfaces carry a shop's network: br0, br-lan, macOS's bridge0, and each vEthernet that shares a network card
 * with virtual machines.
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

/** Replaces a wildcard host, such as 0.0.0.0, by `host`. Without `host`, it uses an address of this machine. */
export function reachableUrl(url: string, host = listLanAddresses()[0] ?? '127.0.0.1'): string {
  return url.replace(EVERYWHERE, host);
}

/**
 * Chooses the host of the certificate that other machines should use. Prefers a name that resolves to this machine, then an
 * address of this machine. After these come a name that resolves to another address, which is usual behind a router, and any
 * other IP address. Never chooses loopback or a wildcard. Undefined if no host is left.
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
