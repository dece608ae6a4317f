// The addresses that the gateway prints for other machines: with a host that is in its certificate and leads here.

import { X509Certificate } from 'node:crypto';

import { canonicalHost, inUrl } from '../lib/host.ts';
import { isEverywhere } from '../lib/own-address.ts';
import type { ServedCertificate } from './certificate.ts';
import type { ListeningAt } from './listen.ts';

/** The names in a certificate in lower case, and its addresses as this machine writes its own: OpenSSL gives FD00:0:0:0:0:0:0:2. */
export function hostsIn({ subjectAltName }: X509Certificate): readonly string[] {
  const names = subjectAltName?.split(', ') ?? [];
  return names.map((each) => canonicalHost(each.replace(/^(DNS|IP Address):/, '')));
}

/** As `hostsIn`, of the certificate in use. */
export function hostsOf({ cert }: ServedCertificate): readonly string[] {
  return hostsIn(new X509Certificate(cert));
}

/** The console's HTTPS address: with a host of its certificate that resolves to this machine, otherwise local. */
export function publicConsoleUrl(
  { host, port }: ListeningAt,
  hosts: readonly string[],
  ownHost: string | undefined,
): string {
  const local = isEverywhere(`https://${host}:`) ? '127.0.0.1' : hosts.find((each) => !each.includes('*'));
  return `https://${inUrl(ownHost ?? local ?? '127.0.0.1')}:${port}`;
}
