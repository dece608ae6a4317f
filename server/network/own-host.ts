// Lists the names and addresses of this machine: those in its certificate, and those that tills may call.

import { hostname } from 'node:os';

import { TEST_HOST_PREFIX } from '../contract/codes.ts';
import type { ServedCertificate } from '../http/certificate.ts';
import { hostsOf } from '../http/public-address.ts';
import { isLoopback } from '../lib/host.ts';
import type { Administration } from '../store/setup/ledger.ts';
import type { OwnInterface } from './addresses.ts';

/** The machine's own name, also with the ending .local, as mDNS uses it. */
export function listMachineNames(name = hostname().toLowerCase()): readonly string[] {
  if (name === 'localhost' || name === '') return [];
  return name.includes('.') ? [name] : [name, `${name}.local`];
}

/** The host names of all customers under the base domain, for production and test. */
export async function listCustomerHosts(
  setup: { listAdministrations(): Promise<readonly Pick<Administration, 'customer'>[]> },
  baseDomain: string,
): Promise<readonly string[]> {
  if (baseDomain === '') return [];
  const administrations = await setup.listAdministrations();
  const hosts = administrations.flatMap(({ customer }) =>
    customer === null ? [] : [`${customer.name}.${customer.id}.${baseDomain}`],
  );
  return [baseDomain, ...hosts.flatMap((host) => [host, `${TEST_HOST_PREFIX}.${host}`])];
}

/** The addresses of these interfaces. */
export function listAddresses(interfaces: readonly OwnInterface[]): readonly string[] {
  return interfaces.flatMap(({ addresses }) => addresses);
}

/**
 * Returns a function that says whether a host belongs to this machine. It accepts `hosts`, the loopback hosts, and all names
 * under the base domain.
 */
export function ownHosts(hosts: Iterable<string>, baseDomain: string): (host: string) => boolean {
  // With these three entries, the check is fast for the usual loopback hosts.
  const own = new Set([...hosts, 'localhost', '127.0.0.1', '::1']);
  return (host) =>
    own.has(host) ||
    own.has(host.replace(/^[^.]+/, '*')) ||
    isLoopback(host) ||
    (baseDomain !== '' && host.endsWith(`.${baseDomain}`));
}

/** The names and addresses in a certificate. */
export function certifiedHosts(certificate: ServedCertificate): ReadonlySet<string> {
  return new Set(hostsOf(certificate));
}
