// The gateway's own certificate authority: made at first use, valid for ten years, and restricted by name constraints to the hosts of
// a local network. The store keeps it with its key. A replaced authority stays in the store, because tills may still trust it.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

import type { Log } from '../log.ts';
import type { NetworkLedger, StoredAuthority } from '../store/network/ledger.ts';
import { BUILT_AT } from '../version.ts';
import {
  decodeConstraints,
  type Host,
  isPermitted,
  localConstraints,
  NAME_CONSTRAINTS_ID,
  type NameConstraints,
  parseHost,
} from './name-constraints.ts';

const DAY_MS = 86_400_000;
/** Tills with slow clocks must accept a new certificate. */
const BACKDATED_MS = DAY_MS;
const AUTHORITY_YEARS = 10;
const LEAF_MS = 90 * DAY_MS;
/** Validity while this machine's clock is wrong: 825 days, the longest that Apple's systems accept. */
const LEAF_WITHOUT_CLOCK_MS = 825 * DAY_MS;
/** Remaining validity at which a certificate or an authority is replaced. */
export const RENEWAL_MS = 30 * DAY_MS;

/** The public certificate in the data directory. */
const AUTHORITY_FILE = 'ca.pem';
/** These lead to this machine from itself. */
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '::1'];

export interface Authority {
  /** PEM. */
  readonly certificate: string;
  readonly der: Buffer;
  /** SHA-256 as browsers show it. */
  readonly fingerprint: string;
  /** The absolute path of the certificate. Only the user of the gateway and administrators may open the data directory. */
  readonly file: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Whether it may issue a certificate for this name, wildcard or address. Other hosts need the shop's own certificate. */
  permits(host: string): boolean;
  /**
   * Issues a certificate for those of the hosts that it permits, in their order, and for loopback. `now` is in epoch
   * milliseconds. If `isClockRight` is false, the certificate is valid for longer.
   */
  issue(hosts: readonly string[], now: number, isClockRight?: boolean): Promise<Leaf>;
}

/** A certificate of the gateway. */
export interface Leaf {
  /** PEM. */
  readonly cert: string;
  /** PEM (PKCS #8). */
  readonly key: string;
  /** Every name and address in it. */
  readonly names: readonly string[];
  /** Hosts that the authority does not permit. They need the shop's own certificate. */
  readonly leftOut: readonly string[];
  /** Epoch milliseconds. */
  readonly validFrom: number;
  readonly expiresAt: number;
  /** SHA-256 as browsers show it. */
  readonly fingerprint: string;
}

export interface AuthorityParts {
  readonly network: Pick<NetworkLedger, 'authorities' | 'addAuthority'>;
  readonly dataDir: string;
  /** This machine's own names. A new authority permits them. A later name does not replace the authority. */
  readonly hosts: readonly string[];
  /** The domain of the customers' host names. If the present authority does not permit it, a new one is made. */
  readonly baseDomain: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** False while the machine's clock is known to be wrong or in doubt. Then no authority is replaced because of its dates. */
  readonly isClockRight?: boolean;
  readonly actor: string;
  readonly log: Log;
}

/**
 * Returns the authority in use, and makes one if there is none, or if the newest cannot be used. Writes its certificate to the data
 * directory. Safe to call in several processes at once: all get the same authority.
 */
export async function openAuthority(parts: AuthorityParts): Promise<Authority> {
  const { network, log } = parts;
  for (;;) {
    const [newest] = await network.authorities();
    const opened = newest && (await openStored(newest, parts));
    const fault = opened === undefined ? 'none' : typeof opened === 'string' ? opened : undefined;
    if (typeof opened === 'object') {
      writeAuthorityFile(opened, log);
      return opened;
    }
    const made = await makeOne(parts);
    if (await network.addAuthority(made, newest?.id, parts.actor))
      log.info({ fingerprint: made.fingerprint, replaces: newest?.fingerprint, fault }, 'a new authority was made');
  }
}

async function makeOne({ hosts, baseDomain, now }: AuthorityParts) {
  const { makeAuthority } = await loadMaker();
  const from = Math.max(now, BUILT_AT);
  const notAfter = new Date(from);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + AUTHORITY_YEARS);
  const made = await makeAuthority(
    { name: hostname(), constraints: localConstraints([...hosts, ...(baseDomain ? [baseDomain] : [])]) },
    { notBefore: new Date(from - BACKDATED_MS), notAfter },
  );
  return { ...made, fingerprint: new X509Certificate(made.certificate).fingerprint256 };
}

/** Returns why a stored authority cannot be used, or the authority. */
async function openStored(stored: StoredAuthority, parts: AuthorityParts): Promise<Authority | string> {
  const { now, baseDomain, isClockRight = true } = parts;
  if (stored.key === undefined) return 'its key was sealed by another keyring';
  const { findExtension } = await loadMaker();
  const parsed = new X509Certificate(stored.certificate);
  const key = createPrivateKey(stored.key);
  if (!parsed.checkPrivateKey(key)) return 'its key belongs to another certificate';
  const constraints = findExtension(stored.certificate, NAME_CONSTRAINTS_ID);
  if (constraints === undefined) return 'it has no name constraints';
  const authority = authorityOf({ stored, parsed, key, constraints: decodeConstraints(constraints) }, parts.dataDir);
  if (baseDomain && !authority.permits(baseDomain)) return 'it does not permit the base domain';
  if (!isClockRight || now < BUILT_AT) return authority;
  if (now < parsed.validFromDate.getTime()) return 'the clock was ahead when it was made';
  if (authority.expiresAt - now < RENEWAL_MS) return 'it expires soon';
  return authority;
}

function authorityOf(
  {
    stored: { certificate, fingerprint, createdAt },
    parsed,
    key,
    constraints,
  }: {
    readonly stored: StoredAuthority;
    readonly parsed: X509Certificate;
    readonly key: KeyObject;
    readonly constraints: NameConstraints;
  },
  dataDir: string,
): Authority {
  const validFrom = parsed.validFromDate.getTime();
  const expiresAt = parsed.validToDate.getTime();
  const permitted = (text: string): Host | undefined => {
    const host = parseHost(text);
    return host && isPermitted(constraints, host) ? host : undefined;
  };
  return {
    certificate,
    der: parsed.raw,
    fingerprint,
    file: join(dataDir, AUTHORITY_FILE),
    createdAt,
    expiresAt,
    permits: (host) => permitted(host) !== undefined,
    async issue(wanted, now, isClockRight = true) {
      const { issueCertificate } = await loadMaker();
      const hosts = new Map<string, Host>();
      const leftOut = new Set<string>();
      for (const text of [...wanted, ...LOOPBACK_HOSTS]) {
        const host = permitted(text);
        if (host === undefined) leftOut.add(text);
        else hosts.set(host.text, host);
      }
      const isInDoubt = !isClockRight || now < Math.max(BUILT_AT, validFrom);
      const from = Math.max(now, BUILT_AT, validFrom + BACKDATED_MS);
      const made = await issueCertificate({ certificate, key }, [...hosts.values()], {
        notBefore: new Date(from - BACKDATED_MS),
        notAfter: new Date(Math.min(from + (isInDoubt ? LEAF_WITHOUT_CLOCK_MS - BACKDATED_MS : LEAF_MS), expiresAt)),
      });
      const leaf = new X509Certificate(made.certificate);
      return {
        cert: made.certificate,
        key: made.key,
        names: [...hosts.keys()],
        leftOut: [...leftOut],
        validFrom: leaf.validFromDate.getTime(),
        expiresAt: leaf.validToDate.getTime(),
        fingerprint: leaf.fingerprint256,
      };
    },
  };
}

/** Keeps the file equal to the authority. A failure is only logged: tills can also download the certificate. */
function writeAuthorityFile({ file, certificate }: Authority, log: Log): void {
  const fresh = `${file}.${process.pid}.new`;
  try {
    if (existsSync(file) && readFileSync(file, 'latin1') === certificate) return;
    writeFileSync(fresh, certificate, { mode: 0o644 });
    renameSync(fresh, file);
  } catch (err) {
    rmSync(fresh, { force: true });
    log.warn({ err, file }, "cannot write the authority's certificate for people");
  }
}

async function loadMaker(): Promise<typeof import('./certificate-maker.ts')> {
  return import('./certificate-maker.ts');
}
