// The addresses that the gateway prints for other machines: with a host that is in its certificate and leads here.

import { X509Certificate } from 'node:crypto';

import { inUrl, isEverywhere } from '../lib/own-address.ts';
import type { ServedCertificate } from './certificate.ts';
import type { ListeningAt } from './listen.ts';

/** The names and addresses in a certificate. */
export function hostsOf({ cert }: ServedCertificate): readonly string[] {
  const names = new X509Certificate(cert).subjectAltName?.split(', ') ?? [];
  return names.map((each) => each.replace(/^(DNS|IP Address):/, ''));
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
