// The names and addresses of this machine: those for its certificate, and those by which tills call it.

import { hostname } from 'node:os';

import { isLoopback } from '../config.ts';
import { TEST_HOST_PREFIX } from '../contract/codes.ts';
import type { ServedCertificate } from '../http/certificate.ts';
import { hostsOf } from '../http/public-address.ts';
import type { SetupLedger } from '../store/setup/ledger.ts';
import type { OwnInterface } from './addresses.ts';

/** The machine's own name, also as mDNS has it. */
export function listMachineNames(name = hostname().toLowerCase()): readonly string[] {
  if (name === 'localhost' || name === '') return [];
  return name.includes('.') ? [name] : [name, `${name}.local`];
}

/** The host names of customers under the base domain, in both modes. */
export async function listCustomerHosts(setup: Pick<SetupLedger, 'listAdministrations'>, baseDomain: string) {
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

/** Returns the function that says whether a host is one of these, a loopback host, or under the base domain. */
export function ownHosts(hosts: Iterable<string>, baseDomain: string): (host: string) => boolean {
  const own = new Set([...hosts, 'localhost', '127.0.0.1', '::1']); // the usual loopback hosts need only this look-up
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
