// The addresses of this machine that other machines can use, and which name of a certificate leads to it.

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const EVERYWHERE = /(?<=:\/\/)(0\.0\.0\.0|\[::\])(?=:)/;
/** A DNS server that does not answer must not hold up the start. */
const LOOKUP_TIMEOUT_MS = 1000;
/** Networks of containers and virtual machines: no till is on one. */
const VIRTUAL = /^(br-|docker|veth|virbr|vboxnet|vmnet|vEthernet|cni|flannel|podman)/;

/** Addresses of a name. Rejects where the name does not resolve. */
export type Resolve = (name: string) => Promise<readonly string[]>;
export type Interfaces = ReturnType<typeof networkInterfaces>;

/** Whether a URL stands for every address of this machine. */
export function isEverywhere(url: string): boolean {
  return EVERYWHERE.test(url);
}

/** The IPv4 addresses of this machine in its networks, real networks first. */
export function listLanAddresses(interfaces: Interfaces = networkInterfaces()): readonly string[] {
  return Object.entries(interfaces)
    .toSorted(([a], [b]) => Number(VIRTUAL.test(a)) - Number(VIRTUAL.test(b)))
    .flatMap(([, addresses]) => addresses ?? [])
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    .map(({ address }) => address);
}

/** The same URL, unless it stands for every address: then with `host`, by default an address of this machine. */
export function reachableUrl(url: string, host = listLanAddresses()[0] ?? '127.0.0.1'): string {
  return url.replace(EVERYWHERE, host);
}

/**
 * Chooses by which host of a certificate others reach this machine: a name that resolves to it, then one of its addresses, then
 * a name that resolves elsewhere, as behind a router. Undefined where only loopback is left, or nothing.
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
