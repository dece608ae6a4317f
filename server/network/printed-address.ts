// Lists the base addresses for tills on other machines: HTTPS for each host in the certificate and, if allowed, HTTP for other
// addresses.

import { inUrl } from '../lib/host.ts';

/** How other machines can reach a port of the gateway. */
export interface Reachable {
  readonly port: number;
  /** The gateway's addresses for other machines, in the order in which a till should try them. */
  readonly hosts: readonly string[];
  /** Host names of this machine, such as its mDNS name. */
  readonly names: readonly string[];
  /** The names and addresses in the certificate; undefined without HTTPS. */
  readonly certified: ReadonlySet<string> | undefined;
  /** Whether other machines may use HTTP. */
  readonly allowsPlainHttp: boolean;
}

/**
 * Lists the base addresses, best first: HTTPS by address, HTTPS by name, then HTTP for addresses that are not in the
 * certificate.
 */
export function listBaseAddresses({ port, hosts, names, certified, allowsPlainHttp }: Reachable): readonly string[] {
  const isCertified = (host: string): boolean => certified?.has(host) ?? false;
  const secure = [...hosts, ...names].filter(isCertified);
  const plain = allowsPlainHttp ? hosts.filter((host) => !isCertified(host)) : [];
  return [
    ...secure.map((host) => `https://${inUrl(host)}:${port}`),
    ...plain.map((host) => `http://${inUrl(host)}:${port}`),
  ];
}
