// The network state for people and commands, and the addresses to print. Pure.

import { isIPv4 } from 'node:net';

import type { Config } from '../config.ts';
import type {
  AnnouncementState,
  AuthorityView,
  CertificateView,
  ListenFailure,
  NetworkSettings,
  NetworkView,
} from '../contract/network.ts';
import type { ServedCertificate } from '../http/certificate.ts';
import { hostsOf, publicConsoleUrl } from '../http/public-address.ts';
import { inUrl, isLoopback, isSharedAddress } from '../lib/host.ts';
import type { Key } from '../store/setup/ledger.ts';
import type { Authority } from './authority.ts';
import type { FixedOpening, Opening } from './opening.ts';
import { certifiedHosts, listAddresses, listMachineNames } from './own-host.ts';
import { isWildcard, type NewFailure, type Port } from './port.ts';
import { listBaseAddresses } from './printed-address.ts';
import { listTillsAtOldAddress, listTillsToTrust } from './till-address.ts';

/** The network state after the settings were applied. */
export interface AppliedNetwork {
  readonly config: Pick<Config, 'host' | 'consoleHost'>;
  readonly settings: NetworkSettings;
  readonly fixed: FixedOpening;
  readonly opening: Opening;
  readonly failures: readonly ListenFailure[];
  readonly tills: Port;
  readonly console: Port;
  /** The certificate in use; undefined if the gateway uses only HTTP. */
  readonly served: ServedCertificate | undefined;
  readonly source: CertificateView['source'];
  /** The names and addresses in the certificate of the shop's files. */
  readonly fileHosts: readonly string[];
  /** The host from `fileHosts` that other machines should use. */
  readonly fileHost: string | undefined;
  readonly authority: Authority | undefined;
  readonly announcement: AnnouncementState;
  /** The names that are announced by mDNS and lead to this gateway. */
  readonly names: readonly string[];
  /** The keys whose last calls the view shows. Empty while nothing is open to other machines. */
  readonly keys: readonly Key[];
  readonly isOwnHost: (host: string) => boolean;
}

export interface ShownNetwork {
  readonly view: NetworkView;
  /** The address of the gateway to print for tills. */
  readonly apiUrl: string;
  readonly consoleUrl: string;
}

export function showNetwork(applied: AppliedNetwork): ShownNetwork {
  const { config, settings, fixed, opening, tills, console: consolePort, served, source, authority, keys } = applied;
  const certified = served && certifiedHosts(served);
  const addresses = listPrinted(
    applied,
    { host: config.host, port: tills },
    fixed.isPlainOnly || opening.allowsPlainHttp,
  );
  const consoleAddresses = listPrinted(applied, { host: config.consoleHost, port: consolePort }, false);
  const localAddress = localUrl(tills);
  const view: NetworkView = {
    settings,
    interfaces: opening.interfaces,
    failures: applied.failures,
    fixedBy: fixed.by,
    addresses,
    names: [...applied.names, ...listMachineNames().filter((name) => certified?.has(name))],
    consoleAddresses,
    localAddress,
    announcement: applied.announcement,
    certificate: served === undefined ? null : viewOfCertificate(served, source),
    authority: authority === undefined ? null : viewOfAuthority(authority),
    tillsAtOldAddress: listTillsAtOldAddress(keys, applied.isOwnHost),
    tillsToTrust: authority === undefined ? [] : listTillsToTrust(keys, authority.createdAt),
  };
  const isLocalSecure = source === 'files' && certified?.has(tills.local ?? '') === true;
  const closedConsoleUrl = fixed.isConsoleOpen
    ? publicConsoleUrl(consolePort.at, applied.fileHosts, applied.fileHost)
    : localUrl(consolePort);
  return {
    view,
    apiUrl: addresses[0] ?? (isLocalSecure ? localAddress.replace('http:', 'https:') : localAddress),
    consoleUrl: consoleAddresses[0] ?? closedConsoleUrl,
  };
}

/** The address that programs on this machine can use. It is HTTP, so it needs no trusted certificate. */
export function localUrl({ local, at, port }: Port): string {
  return `http://${local ?? at.host}:${port}`;
}

/**
 * Lists the base domain and the open IPv4 addresses that tills cannot use by HTTPS, because the certificate does not contain
 * them. Leaves out public IPv6 addresses. A machine usually has one in addition to its private addresses, so this is no fault.
 */
export function listUncertified({
  tills,
  served,
  source,
  allowsPlainHttp,
  baseDomain,
}: Pick<AppliedNetwork, 'tills' | 'served' | 'source'> &
  Pick<Opening, 'allowsPlainHttp'> &
  Pick<Config, 'baseDomain'>): readonly NewFailure[] {
  if (served === undefined || allowsPlainHttp) return [];
  const certified = certifiedHosts(served);
  const addresses = tills.opened().filter((host) => isIPv4(host) && !certified.has(host));
  const isDomainLeftOut = source === 'own' && baseDomain !== '' && !certified.has(baseDomain);
  return [
    ...addresses.map((host) => ({ address: `https://${host}:${tills.port}`, detail: explainAddress(host, source) })),
    ...(isDomainLeftOut ? [{ address: baseDomain, detail: SHARED_DOMAIN }] : []),
  ].map((each) => ({ kind: 'uncertified', ...each }));
}

/**
 * The sentence for a base domain that is a public suffix. The gateway's own certificate can contain every other base domain.
 */
const SHARED_DOMAIN =
  "The gateway's own certificate cannot contain this base domain, because anyone may have a host below it. Use a domain of the shop, such as tills.bakery.com, or a certificate of the shop (--tls-certificate, --tls-key).";

/** Explains why tills refuse an address that is not in the certificate. */
function explainAddress(host: string, source: CertificateView['source']): string {
  if (source === 'files')
    return "The shop's certificate does not contain this address. Tills must call a name or address that it contains.";
  const why = isSharedAddress(host)
    ? "This address belongs to a carrier or a VPN, so the gateway's own certificate cannot contain it."
    : "This is a public address, which the gateway's own certificate cannot contain.";
  return `${why} Tills use the other addresses. To use this one, start the gateway with a certificate of the shop (--tls-certificate, --tls-key).`;
}

/** The addresses of a port to print for other machines, best first. */
function listPrinted(
  { fixed, opening, served, names, fileHost }: AppliedNetwork,
  { host, port }: { readonly host: string; readonly port: Port },
  allowsPlainHttp: boolean,
): readonly string[] {
  const hosts = listOpenHosts(host, port, opening.interfaces);
  if (hosts.length === 0) return [];
  const isPlain = allowsPlainHttp && fixed.isPlainOnly;
  const certified = isPlain || served === undefined ? undefined : certifiedHosts(served);
  const listed = listBaseAddresses({
    port: port.port,
    hosts,
    names: fixed.isPlainOnly ? [] : names,
    certified,
    allowsPlainHttp,
  });
  const first = fileHost === undefined || certified === undefined ? [] : [`https://${inUrl(fileHost)}:${port.port}`];
  return [...new Set([...first, ...listed])];
}

/**
 * The addresses at which a port listens for other machines. If it listens at all addresses, leaves out virtual interfaces,
 * because no tills are there.
 */
function listOpenHosts(host: string, port: Port, interfaces: Opening['interfaces']): readonly string[] {
  if (isWildcard(host))
    return listAddresses(interfaces.filter(({ isVirtual }) => !isVirtual)).filter(
      (each) => host === '::' || isIPv4(each),
    );
  if (isLoopback(host)) {
    const opened = new Set(port.opened());
    return listAddresses(interfaces).filter((each) => opened.has(each));
  }
  return [port.at.host.replace(/^\[|\]$/g, '')];
}

export function viewOfCertificate(certificate: ServedCertificate, source: CertificateView['source']): CertificateView {
  const { expiresAt, fingerprint } = certificate;
  return { source, names: hostsOf(certificate), expiresAt: expiresAt.getTime(), fingerprint };
}

function viewOfAuthority({ fingerprint, file, createdAt, expiresAt }: Authority): AuthorityView {
  return { fingerprint, file, createdAt, expiresAt };
}
