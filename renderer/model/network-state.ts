// What the console says about the network: its headline, its problems, and where files can be downloaded. Pure.

import {
  fixingSetting,
  type ListenFailure,
  type NetworkSettings,
  type NetworkView,
  type TillAtAddress,
} from '../../server/contract/network.ts';
import { isLoopback } from '../lib/loopback.ts';

/** How long before its end the console warns about the shop's own certificate, in milliseconds. */
export const CERTIFICATE_WARNING_MS = 14 * 86_400_000;

export type NetworkHeadline =
  | { readonly kind: 'closed' | 'noAddress' | 'failed' | 'applying' }
  /** `plain` means without encryption. `address` is the address that a till should try first. */
  | { readonly kind: 'open' | 'plain'; readonly address: string };

export function headlineOf(view: NetworkView): NetworkHeadline {
  const address = view.addresses.at(0);
  if (view.isApplying === true && isOpen(view) !== (address !== undefined)) return { kind: 'applying' };
  if (address !== undefined) return { kind: address.startsWith('https:') ? 'open' : 'plain', address };
  if (view.failures.length > 0) return { kind: 'failed' };
  return { kind: isOpen(view) ? 'noAddress' : 'closed' };
}

/**
 * True if tills on other machines may connect. If the start setting `host` decides this, the result is true if the gateway
 * lists any address.
 */
export function isOpen(view: NetworkView): boolean {
  return fixedBySetting(view, 'isOpen') === undefined ? view.settings.isOpen : view.addresses.length > 0;
}

/** The name of the start setting that fixes a value, so that people cannot change it. Undefined if people can change it. */
export function fixedBySetting(view: NetworkView, member: keyof NetworkSettings): string | undefined {
  return fixingSetting(view, [member]);
}

/**
 * True if tills on other machines may connect without encryption. If the start setting `host` decides this, the result is true
 * if a listed address begins with http:.
 */
export function allowsPlainHttp(view: NetworkView): boolean {
  return fixedBySetting(view, 'allowsPlainHttp') === undefined
    ? view.settings.allowsPlainHttp
    : view.addresses.some((address) => address.startsWith('http:'));
}

export type NetworkProblem =
  | { readonly kind: 'notListening'; readonly failures: readonly ListenFailure[] }
  /** Addresses that the certificate does not cover. No till uses them, so nobody needs to act. */
  | { readonly kind: 'uncertified'; readonly failures: readonly ListenFailure[] }
  /** The shop's own certificate has ended or ends soon. */
  | { readonly kind: 'certificateEnds'; readonly expiresAt: number; readonly isOver: boolean }
  | { readonly kind: 'newAuthority'; readonly tills: readonly TillAtAddress[]; readonly since: number | undefined }
  | { readonly kind: 'oldAddress'; readonly tills: readonly TillAtAddress[]; readonly address: string | undefined };

/**
 * The network's problems: first those that a manager must solve, worst first, then those that need no action. `now` is in epoch
 * milliseconds.
 */
export function listProblems(view: NetworkView, now: number): readonly NetworkProblem[] {
  const { certificate, authority, addresses, tillsToTrust, tillsAtOldAddress } = view;
  const problems: NetworkProblem[] = [];
  const notListening = findNotListening(view);
  if (notListening !== undefined) problems.push(notListening);
  if (certificate?.source === 'files' && certificate.expiresAt - now <= CERTIFICATE_WARNING_MS) {
    const { expiresAt } = certificate;
    problems.push({ kind: 'certificateEnds', expiresAt, isOver: expiresAt <= now });
  }
  if (tillsToTrust.length > 0)
    problems.push({ kind: 'newAuthority', tills: tillsToTrust, since: authority?.createdAt });
  if (tillsAtOldAddress.length > 0)
    problems.push({ kind: 'oldAddress', tills: tillsAtOldAddress, address: addresses.at(0) });
  const uncertified = view.failures.filter(({ kind }) => kind === 'uncertified');
  if (uncertified.length > 0) problems.push({ kind: 'uncertified', failures: uncertified });
  return problems;
}

/** The addresses that the gateway failed to listen on, as a problem. Undefined if there are none. */
export function findNotListening(view: Pick<NetworkView, 'failures'>): NetworkProblem | undefined {
  const failures = view.failures.filter(({ kind }) => kind === 'failed');
  return failures.length === 0 ? undefined : { kind: 'notListening', failures };
}

/**
 * The base address for downloads on the tills' port. `hostname` is the host from which this browser loaded the page, so the
 * browser can reach it.
 */
export function downloadBase({ addresses, localAddress }: NetworkView, hostname: string): string {
  if (isLoopback(hostname)) return localAddress;
  return addresses.find((address) => URL.parse(address)?.hostname === hostname) ?? addresses.at(0) ?? localAddress;
}
