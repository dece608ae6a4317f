// The addresses at which other machines reach this one, and the name in the certificate that resolves to this machine.

import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const EVERYWHERE = /(?<=:\/\/)(0\.0\.0\.0|\[::\])(?=:)/;
/** Time-out of DNS, so that a silent server does not delay the start. */
const LOOKUP_TIMEOUT_MS = 1000;
/** Network interfaces of containers and virtual machines, which have no tills. */
const VIRTUAL = /^(br-|docker|veth|virbr|vboxnet|vmnet|vEthernet|cni|flannel|podman)/;

/** Resolves a name to addresses. Rejects if it does not resolve. */
export type Resolve = (name: string) => Promise<readonly string[]>;
export type Interfaces = ReturnType<typeof networkInterfaces>;

/** Whether an interface belongs to containers or virtual machines. */
export function isVirtualInterface(name: string): boolean {
  return VIRTUAL.test(name);
}

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Whether an IP address belongs to no host of the internet: private, loopback, link-local or unique-local. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) !== 0 && PRIVATE.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** A host in the form of a URL. */
export function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The host of a URL, without the brackets of IPv6; empty if the text is no URL. */
export function hostOfUrl(url: string): string {
  return (URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, '');
}

/** A name in lower case, or an address in its short form: fd00::2. */
export function canonicalHost(host: string): string {
  return isIP(host) === 6 ? hostOfUrl(`http://[${host}]`) : host.toLowerCase();
}

/** The bytes of an IP address without a zone: 4 for IPv4, 16 for IPv6. */
export function bytesOfAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = [], tail = []] = canonicalHost(address)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Whether the host of a URL is a wildcard address, such as 0.0.0.0. */
export function isEverywhere(url: string): boolean {
  return EVERYWHERE.test(url);
}

/** The IPv4 addresses of this machine, physical networks first. */
export function listLanAddresses(interfaces: Interfaces = networkInterfaces()): readonly string[] {
  return Object.entries(interfaces)
    .toSorted(([a], [b]) => Number(VIRTUAL.test(a)) - Number(VIRTUAL.test(b)))
    .flatMap(([, addresses]) => addresses ?? [])
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    .map(({ address }) => address);
}

/** Replaces a wildcard host by `host`, or by an address of this machine. */
export function reachableUrl(url: string, host = listLanAddresses()[0] ?? '127.0.0.1'): string {
  return url.replace(EVERYWHERE, host);
}

/**
 * Chooses the host of the certificate that other machines should use. Prefers a name that resolves to this machine, then one of
 * its addresses, then a name that resolves elsewhere, as behind a router. Undefined if only loopback names are left, or none.
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
