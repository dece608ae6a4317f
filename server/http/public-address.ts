// Finds the addresses that the gateway prints for other machines. The host of such an address is in the certificate and leads
// to this machine.

import { X509Certificate } from 'node:crypto';

import { canonicalHost, inUrl } from '../lib/host.ts';
import { isEverywhere } from '../lib/own-address.ts';
import type { ServedCertificate } from './certificate.ts';
import type { ListeningAt } from './listen.ts';

/**
 * The names and addresses in a certificate, in canonical form: lower case, and IPv6 addresses in their short form. OpenSSL
 * writes the long form, such as FD00:0:0:0:0:0:0:2.
 */
export function hostsIn({ subjectAltName }: X509Certificate): readonly string[] {
  const names = subjectAltName?.split(', ') ?? [];
  return names.map((each) => canonicalHost(each.replace(/^(DNS|IP Address):/, '')));
}

/** The same as `hostsIn`, but for the certificate that a server uses. */
export function hostsOf({ cert }: ServedCertificate): readonly string[] {
  return hostsIn(new X509Certificate(cert));
}

/**
 * The console's HTTPS address for other machines. `ownHost` is a host in the console's certificate that leads to this machine.
 * If it is undefined, the address is only for this machine.
 */
export function publicConsoleUrl(
  { host, port }: ListeningAt,
  hosts: readonly string[],
  ownHost: string | undefined,
): string {
  const local = isEverywhere(`https://${host}:`) ? '127.0.0.1' : hosts.find((each) => !each.includes('*'));
  return `https://${inUrl(ownHost ?? local ?? '127.0.0.1')}:${port}`;
}
