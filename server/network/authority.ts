// The gateway's own certificate authority: made at first use, valid for ten years, and restricted by name constraints to the hosts of
// a local network. Tills trust its root. The root has signed one issuer, and its key is gone; the store keeps the key of the issuer.
// A replaced authority stays in the store, because tills may still trust it.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

import type { Log } from '../log.ts';
import type { NetworkLedger, NewAuthority, StoredAuthority } from '../store/network/ledger.ts';
import { BUILT_AT } from '../version.ts';
import type { Validity } from './certificate-maker.ts';
import { isPermittable, localConstraints } from './local-constraints.ts';
import {
  decodeConstraints,
  type Host,
  isPermitted,
  NAME_CONSTRAINTS_ID,
  type NameConstraints,
  parseHost,
} from './name-constraints.ts';

const DAY_MS = 86_400_000;
/** How long before the present time a validity begins, for tills with slow clocks. */
const BACKDATED_MS = DAY_MS;
const AUTHORITY_YEARS = 10;
const LEAF_MS = 90 * DAY_MS;
/** Validity of a certificate that is made while this machine's clock is wrong. Apple's systems accept 825 days at most. */
const LEAF_WITHOUT_CLOCK_MS = 820 * DAY_MS;
/** Remaining validity at which a certificate or an authority is replaced. */
export const RENEWAL_MS = 30 * DAY_MS;

/** The root in the data directory, for people. */
const AUTHORITY_FILE = 'ca.pem';
/** These lead from this machine to itself. */
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '::1'];

export interface Authority {
  /** The root, which tills must trust: PEM. */
  readonly certificate: string;
  readonly der: Buffer;
  /** SHA-256 as browsers show it. */
  readonly fingerprint: string;
  /**
   * The absolute path of the root, for copying to a till. Only the user of the gateway and administrators may open the data
   * directory; everybody else downloads the root from the gateway.
   */
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
  /** The certificate, then its issuer: PEM. */
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
  /** The domain of the customers' host names. If only a new authority can permit it, a new one is made. */
  readonly baseDomain: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** False while the machine's clock is known to be wrong or in doubt. Then no authority is replaced because of its dates. */
  readonly isClockRight?: boolean;
  readonly actor: string;
  readonly log: Log;
  /** When this program was built, in epoch milliseconds. An earlier clock is wrong. */
  readonly builtAt?: number;
}

/**
 * Returns the newest usable authority. Makes one if there is none. Writes its root to the data directory. Safe to call in several
 * processes at once: all get the same authority.
 */
export async function openAuthority(parts: AuthorityParts): Promise<Authority> {
  for (;;) {
    const { usable, newestId, faults } = await look(parts);
    if (usable !== undefined) {
      writeAuthorityFile(usable, parts.log);
      return usable;
    }
    const made = await makeNew(parts);
    if (await parts.network.addAuthority(made, newestId, parts.actor))
      parts.log.info({ fingerprint: made.fingerprint, unusable: faults }, 'a new authority was made');
  }
}

/** Returns the newest usable authority; undefined if there is none. Changes nothing. */
export async function findAuthority(parts: AuthorityParts): Promise<Authority | undefined> {
  return (await look(parts)).usable;
}

/** Finds the newest usable authority, and why each newer one is not usable. */
async function look(
  parts: AuthorityParts,
): Promise<{ usable: OpenAuthority | undefined; newestId: number | undefined; faults: readonly string[] }> {
  const authorities = await parts.network.authorities();
  const newestId = authorities[0]?.id;
  const faults: string[] = [];
  for (const stored of authorities) {
    const authority = await openStored(stored, parts);
    const fault = typeof authority === 'string' ? authority : await findFault(authority, parts);
    if (fault === undefined && typeof authority !== 'string') return { usable: authority, newestId, faults };
    faults.push(`${stored.fingerprint}: ${fault}`);
  }
  return { usable: undefined, newestId, faults };
}

async function makeNew({ hosts, baseDomain = '', now, builtAt = BUILT_AT }: AuthorityParts): Promise<NewAuthority> {
  const { makeAuthority } = await loadMaker();
  const from = Math.max(now, builtAt);
  const notAfter = new Date(from);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + AUTHORITY_YEARS);
  const { root, issuer, key } = await makeAuthority(
    { name: hostname(), constraints: await localConstraints([...hosts, baseDomain]) },
    { notBefore: new Date(from - BACKDATED_MS), notAfter },
  );
  return { certificate: root + issuer, key, fingerprint: new X509Certificate(root).fingerprint256 };
}

/** Returns why an authority cannot be in use at this time; undefined if it can. */
async function findFault(authority: OpenAuthority, parts: AuthorityParts): Promise<string | undefined> {
  const { now, baseDomain = '', isClockRight = true, builtAt = BUILT_AT } = parts;
  // A name such as co.uk never becomes a constraint, so a new authority would not permit it either.
  if (!authority.permits(baseDomain) && (await isPermittable(baseDomain))) return 'it does not permit the base domain';
  if (!isClockRight || now < builtAt) return undefined;
  if (now < authority.validFrom) return 'it is not valid yet, because the clock was ahead when it was made';
  if (authority.expiresAt - now < RENEWAL_MS) return 'it expires soon';
  return undefined;
}

interface OpenAuthority extends Authority {
  /** Epoch milliseconds. */
  readonly validFrom: number;
}

/** Returns the authority, or why it cannot be used. */
async function openStored(
  stored: StoredAuthority,
  { dataDir, builtAt = BUILT_AT }: AuthorityParts,
): Promise<OpenAuthority | string> {
  if (stored.key === undefined) return 'its key was sealed by another keyring';
  const maker = await loadMaker();
  try {
    const [root = '', issuer = ''] = stored.certificate.match(PEM_BLOCK) ?? [];
    const key = createPrivateKey(stored.key);
    if (!isIntact(root, issuer, stored.fingerprint)) return 'it is damaged';
    if (!new X509Certificate(issuer).checkPrivateKey(key)) return 'its key belongs to another certificate';
    const encoded = maker.findExtension(issuer, NAME_CONSTRAINTS_ID);
    if (encoded === undefined) return 'it has no name constraints';
    const constraints = decodeConstraints(encoded);
    return authorityOf({ stored, root, issuer, key, constraints, file: join(dataDir, AUTHORITY_FILE), builtAt }, maker);
  } catch (error) {
    return `it cannot be read: ${String(error)}`;
  }
}

/** Whether the certificates are those that were stored. Tills would refuse every connection with others. */
function isIntact(root: string, issuer: string, fingerprint: string): boolean {
  const { fingerprint256, publicKey } = new X509Certificate(root);
  return fingerprint256 === fingerprint && new X509Certificate(issuer).verify(publicKey);
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----\n[^-]*-----END CERTIFICATE-----\n/g;

interface AuthorityContents {
  readonly stored: StoredAuthority;
  /** PEM. */
  readonly root: string;
  readonly issuer: string;
  /** Of the issuer. */
  readonly key: KeyObject;
  readonly constraints: NameConstraints;
  readonly file: string;
  readonly builtAt: number;
}

function authorityOf(
  { stored: { fingerprint, createdAt }, root, issuer, key, constraints, file, builtAt }: AuthorityContents,
  { issueCertificate }: Maker,
): OpenAuthority {
  const { raw: der, validFromDate, validToDate } = new X509Certificate(root);
  const validFrom = validFromDate.getTime();
  const expiresAt = validToDate.getTime();
  const findPermitted = (text: string): Host | undefined => {
    const host = parseHost(text);
    return host && isPermitted(constraints, host) ? host : undefined;
  };
  /** The validity of a certificate that is made now. */
  function validityOf(now: number, isClockRight: boolean): Validity {
    const earliest = Math.max(builtAt, validFrom + BACKDATED_MS);
    const isInDoubt = !isClockRight || now < earliest;
    const from = Math.max(now, earliest);
    const until = from + (isInDoubt ? LEAF_WITHOUT_CLOCK_MS : LEAF_MS);
    return { notBefore: new Date(from - BACKDATED_MS), notAfter: new Date(Math.min(until, expiresAt)) };
  }
  return {
    certificate: root,
    der,
    fingerprint,
    file,
    createdAt,
    validFrom,
    expiresAt,
    permits: (host) => findPermitted(host) !== undefined,
    async issue(wanted, now, isClockRight = true) {
      const hosts = new Map<string, Host>();
      const leftOut = new Set<string>();
      for (const text of [...wanted, ...LOOPBACK_HOSTS]) {
        const host = findPermitted(text);
        if (host === undefined) leftOut.add(text);
        else hosts.set(host.text, host);
      }
      const validity = validityOf(now, isClockRight);
      const made = await issueCertificate({ certificate: issuer, key }, [...hosts.values()], validity);
      const leaf = new X509Certificate(made.certificate);
      return {
        cert: made.certificate + issuer,
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

/** By file: the last failure to write it. */
const fileFaults = new Map<string, string>();

/**
 * Keeps the file equal to the root. A failure is only logged, because tills can download the root. The log gets the same failure
 * once, because the gateway retries each minute.
 */
function writeAuthorityFile({ file, certificate }: Authority, log: Log): void {
  const fresh = `${file}.${process.pid}.new`;
  try {
    if (!existsSync(file) || readFileSync(file, 'latin1') !== certificate) {
      writeFileSync(fresh, certificate);
      chmodSync(fresh, 0o644); // whatever the umask, so that a copy by `cp -p` or `scp -p` is readable
      renameSync(fresh, file);
    }
    fileFaults.delete(file);
  } catch (err) {
    rmSync(fresh, { force: true });
    if (fileFaults.get(file) === String(err)) return;
    fileFaults.set(file, String(err));
    log.warn({ err, file }, "cannot write the authority's certificate for people");
  }
}

type Maker = typeof import('./certificate-maker.ts');

async function loadMaker(): Promise<Maker> {
  return import('./certificate-maker.ts');
}
