// The base addresses to give to others: only those at which the gateway listens and that its certificate contains.

import { inUrl } from '../lib/host.ts';

/** A port as others see it. */
export interface Reachable {
  readonly port: number;
  /** The addresses at which it listens for other machines, in the order in which a till should try them. */
  readonly hosts: readonly string[];
  /** Names that lead here, such as that of mDNS. */
  readonly names: readonly string[];
  /** The names and addresses in the certificate; undefined without HTTPS. */
  readonly certified: ReadonlySet<string> | undefined;
  /** Whether other machines may use HTTP. */
  readonly allowsPlainHttp: boolean;
}

/** Lists the base addresses, best first: HTTPS by address, HTTPS by name, then HTTP where HTTPS is impossible. */
export function listBaseAddresses({ port, hosts, names, certified, allowsPlainHttp }: Reachable): readonly string[] {
  const isCertified = (host: string): boolean => certified?.has(host) ?? false;
  const secure = [...hosts, ...names].filter(isCertified);
  const plain = allowsPlainHttp ? hosts.filter((host) => !isCertified(host)) : [];
  return [
    ...secure.map((host) => `https://${inUrl(host)}:${port}`),
    ...plain.map((host) => `http://${inUrl(host)}:${port}`),
  ];
}
