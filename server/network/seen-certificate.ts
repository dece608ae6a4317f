// Checks the certificate that a till on another machine would get: who issued it, for which names, and whether it is valid now.
// Pure.

import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';

import type { NetworkTestFault } from '../contract/network.ts';
import { hostsIn } from '../http/public-address.ts';
import { BUILT_AT } from '../version.ts';

export interface SeenCertificate {
  readonly certificate: X509Certificate;
  /** OpenSSL's error code if the chain of certificates is not trusted; otherwise null or undefined. */
  readonly chainFault: string | null | undefined;
  /** The host name or IP address that was called. An IPv6 address has no brackets here. */
  readonly host: string;
  /** Host and port, in the form that a URL needs. */
  readonly place: string;
}

/**
 * Returns the fault that a person must fix first, if any. `authority` is the certificate (PEM) of the gateway's authority;
 * undefined if the shop uses its own certificate.
 */
export function judgeCertificate(
  { certificate, chainFault, host, place }: SeenCertificate,
  authority: string | undefined,
  now: number,
): NetworkTestFault | undefined {
  if (chainFault != null && !TIME_FAULTS.has(chainFault))
    return { step: 'certificate', detail: untrustedSentence(place, certificate, authority, chainFault) };
  if (checkServerIdentity(host, certificate.toLegacyObject()) !== undefined)
    return { step: 'name', detail: foreignNameSentence(host, certificate, authority) };
  const detail = findTimeFault(certificate, authority, chainFault, now);
  return detail === undefined ? undefined : { step: 'time', detail };
}

/** OpenSSL's error codes for a certificate that has expired or is not valid yet. */
const TIME_FAULTS: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

function untrustedSentence(
  place: string,
  { issuer }: X509Certificate,
  authority: string | undefined,
  code: string,
): string {
  const by = nameIn(issuer);
  return authority === undefined
    ? `The certificate at ${place} comes from ${by}, which this machine does not trust (${code}). Add the certificates between both to the file of tlsCertificate. With an authority of your own, each till must trust it.`
    : `The certificate at ${place} comes from ${by}, not from this gateway’s authority (${code}). Perhaps another program uses this address: stop it, or give the gateway another port with --port.`;
}

/** Returns the common name of an issuer; without one, the whole issuer in one line. */
function nameIn(issuer: string): string {
  return /^CN=(.+)$/m.exec(issuer)?.[1] ?? issuer.replaceAll('\n', ', ');
}

function foreignNameSentence(host: string, certificate: X509Certificate, authority: string | undefined): string {
  const what = isIP(host) === 0 ? 'name' : 'address';
  const names = hostsIn(certificate).join(', ') || 'none';
  const todo =
    authority === undefined
      ? 'Have a certificate issued that includes it, or let tills use a name of the certificate.'
      : 'Let tills use one of these, or restart the gateway for a new certificate.';
  return `The ${what} ${host} is not in the certificate, which has: ${names}. ${todo}`;
}

function findTimeFault(
  { validFromDate, validToDate }: X509Certificate,
  authority: string | undefined,
  chainFault: string | null | undefined,
  now: number,
): string | undefined {
  const shown = timeOf(now);
  if (now < BUILT_AT) return `The clock of this machine shows ${shown}, before this program was built. Set the clock.`;
  if (now < validFromDate.getTime())
    return `The certificate begins at ${timeOf(validFromDate)}, but the clock of this machine shows ${shown}. Set the clock.`;
  const todo =
    authority === undefined
      ? 'renew the files of tlsCertificate and tlsKey'
      : 'restart the gateway, which then makes a new one';
  if (now >= validToDate.getTime())
    return `The certificate ended at ${timeOf(validToDate)}. The clock of this machine shows ${shown}. If the clock is right, ${todo}; otherwise set the clock.`;
  const own = authority === undefined ? undefined : new X509Certificate(authority);
  const isOwnOver = own !== undefined && (now < own.validFromDate.getTime() || now >= own.validToDate.getTime());
  if (chainFault != null || isOwnOver)
    return `The authority of the certificate is not valid at ${shown}, the time of this machine. If the clock is right, ${todo}; otherwise set the clock.`;
  return undefined;
}

function timeOf(time: Date | number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
