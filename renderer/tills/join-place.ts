// Where and how a till connects: the address that works for it, and the authority that it must trust. Pure.

import type { KeyInterface } from '../../server/contract/codes.ts';
import { type Authority, authorityAt, recordsUrl } from '../../server/contract/join-request.ts';
import type { NetworkView } from '../../server/contract/network.ts';
import { isLoopback } from '../lib/loopback.ts';

export interface JoinPlace {
  /** The base address for the till, such as https://192.168.1.20:7410. */
  readonly address: string;
  /** Whether only programs on this machine reach the address. */
  readonly isLocalOnly: boolean;
  /**
   * The gateway's own authority, which the till must trust. Null if the address is only for this machine, or if the shop has
   * its own certificate.
   */
  readonly authority: Authority | null;
}

/** `view` is undefined while the state of the network is unknown; then `apiUrl` is the address. */
export function joinPlace(view: NetworkView | undefined, apiUrl: string): JoinPlace {
  const address = view?.addresses[0] ?? (isLocalOnly(apiUrl) ? view?.localAddress : undefined) ?? apiUrl;
  const own = view?.certificate?.source === 'files' ? null : (view?.authority ?? null);
  return {
    address,
    isLocalOnly: isLocalOnly(address),
    authority: isLocalOnly(address) ? null : authorityAt(address, own),
  };
}

/** The text of the QR code: JSON for the till's own set-up screen. If `secret` is null, the text has no key. */
export function qrText({ address, authority }: JoinPlace, by: KeyInterface, secret: string | null): string {
  return JSON.stringify({
    counterfoil: 1,
    url: recordsUrl(address, by),
    ...(secret !== null && { key: secret }),
    ...(authority !== null && { ca: `${authority.from}/ca.pem`, sha256: authority.fingerprint }),
  });
}

/** Whether only programs on this machine can reach the address. */
function isLocalOnly(address: string): boolean {
  return isLoopback(URL.parse(address)?.hostname ?? '');
}
