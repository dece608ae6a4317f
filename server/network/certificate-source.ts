// The certificate that this gateway uses. It comes from the shop's files. If there are none, the gateway's own authority issues
// it. This authority is made at first use.

import { hostname } from 'node:os';

import type { Config } from '../config.ts';
import { ACTORS } from '../contract/codes.ts';
import { loadCertificate, type ServedCertificate } from '../http/certificate.ts';
import { hostsOf } from '../http/public-address.ts';
import { type SharedCertificate, shareCertificate } from '../http/secure-server.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { type Authority, type AuthorityParts, findAuthority, openAuthority } from './authority.ts';
import { openOwnCertificate, type OwnCertificate } from './own-certificate.ts';

export interface CertificateSource {
  readonly source: 'files' | 'own';
  /**
   * Returns the certificate. Renews it first if it does not fit the present names and addresses. Makes an authority if none is
   * usable. Rejects if no certificate can be made.
   */
  open(): Promise<SharedCertificate>;
  /** Like `open`, but never makes the first authority. Resolves to undefined if there is no authority. */
  find(): Promise<SharedCertificate | undefined>;
  /** The present certificate; undefined before the first use. */
  present(): ServedCertificate | undefined;
  /** The names and addresses in the certificate of the shop's files. Empty if there are no such files. */
  fileHosts(): readonly string[];
  /** The authority that issued the certificate in use. Undefined if the certificate comes from the shop's files. */
  authority(): Authority | undefined;
  close(): void;
}

export interface CertificateSourceParts {
  readonly config: Pick<Config, 'tls' | 'dataDir' | 'baseDomain'>;
  readonly store: { readonly network: AuthorityParts['network'] };
  /** Lists the names and addresses that the gateway's own certificate should contain. */
  readonly listHosts: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly isClockRight: () => boolean;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'addGauge'>;
  /** Called after the gateway's own certificate was replaced. */
  readonly onReplaced: () => void;
}

/** Opens the source of the certificate. Throws an OperatorError if the shop's certificate files cannot be used. */
export function openCertificateSource(parts: CertificateSourceParts): CertificateSource {
  return parts.config.tls === undefined ? ownSource(parts) : fileSource(parts.config.tls, parts);
}

function fileSource(
  files: NonNullable<Config['tls']>,
  { log, metrics }: Pick<CertificateSourceParts, 'log' | 'metrics'>,
): CertificateSource {
  const certificate = shareCertificate(loadCertificate(files), { log, metrics });
  return {
    source: 'files',
    open: async () => certificate,
    find: async () => certificate,
    present: certificate.inUse,
    fileHosts: () => hostsOf(certificate.inUse()),
    authority: () => undefined,
    close: certificate.close,
  };
}

function ownSource(parts: CertificateSourceParts): CertificateSource {
  const { config, store, listHosts, clock, isClockRight, log, metrics } = parts;
  let own: OwnCertificate | undefined;

  const authorityParts = (): AuthorityParts => ({
    network: store.network,
    dataDir: config.dataDir,
    hosts: [hostname()],
    baseDomain: config.baseDomain,
    now: clock.now(),
    isClockRight: isClockRight(),
    actor: ACTORS.gateway,
    log,
  });

  async function open(): Promise<SharedCertificate> {
    if (own !== undefined) {
      await own.refresh();
      return own;
    }
    const authority = (): Promise<Authority> => openAuthority(authorityParts());
    const opened = await openOwnCertificate({ authority, listHosts, clock, isClockRight, log });
    own = opened;
    opened.onReplaced(parts.onReplaced);
    metrics.addGauge(
      'counterfoil_tls_certificate_expires_at_seconds',
      'When the certificate in use expires, in seconds since 1970.',
      () => opened.inUse().expiresAt.getTime() / 1000,
    );
    return opened;
  }

  return {
    source: 'own',
    open,
    async find() {
      if (own === undefined && (await findAuthority(authorityParts())) === undefined) return undefined;
      return open();
    },
    present: () => own?.inUse(),
    fileHosts: () => [],
    authority: () => own?.authority(),
    close: () => own?.close(),
  };
}
