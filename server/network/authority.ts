// The gateway's own certificate authority. It is made at first use and is valid for ten years. Name constraints restrict it to
// the hosts of a local network. Tills trust its root certificate. The root's key signs one issuer certificate and is then
// discarded. The store keeps the key of the issuer. A replaced authority stays in the store, because tills may still trust it.

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
/** A certificate becomes valid this long before it is made, because the clocks of some tills are slow. */
const BACKDATED_MS = DAY_MS;
const AUTHORITY_YEARS = 10;
const LEAF_MS = 90 * DAY_MS;
/** Validity of a certificate that is made while this machine's clock may be wrong. Apple's systems accept at most 825 days. */
const LEAF_WITHOUT_CLOCK_MS = 820 * DAY_MS;
/** A certificate or an authority is replaced when its remaining validity is shorter than this. */
export const RENEWAL_MS = 30 * DAY_MS;

/** The file in the data directory that contains the root certificate, for people to copy. */
const AUTHORITY_FILE = 'ca.pem';
/** Hosts that mean this machine itself. */
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '::1'];

export interface Authority {
  /** The root certificate (PEM), which tills must trust. */
  readonly certificate: string;
  readonly der: Buffer;
  /** SHA-256 fingerprint in the form that browsers show. */
  readonly fingerprint: string;
  /**
   * The absolute path of the root certificate, for copying it to a till. Only administrators and the gateway's user may open
   * the data directory. Other people can download the root certificate from the gateway.
   */
  readonly file: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /**
   * Whether the authority may issue a certificate for this name, wildcard or address. For all other hosts, the shop needs its
   * own certificate.
   */
  permits(host: string): boolean;
  /**
   * Issues a certificate for the permitted hosts, in the given order, and for loopback. `now` is in epoch milliseconds. If
   * `isClockRight` is false, the certificate is valid for longer.
   */
  issue(hosts: readonly string[], now: number, isClockRight?: boolean): Promise<Leaf>;
}

/** A certificate that the gateway's own authority issued. */
export interface Leaf {
  /** The certificate, followed by its issuer certificate (PEM). */
  readonly cert: string;
  /** The key of the certificate, in PEM (PKCS #8). */
  readonly key: string;
  /** Every name and address in the certificate. */
  readonly names: readonly string[];
  /**
   * Hosts that are not in the certificate, because the authority does not permit them. For these, the shop needs its own
   * certificate.
   */
  readonly leftOut: readonly string[];
  /** Epoch milliseconds. */
  readonly validFrom: number;
  readonly expiresAt: number;
  /** SHA-256 fingerprint in the form that browsers show. */
  readonly fingerprint: string;
}

export interface AuthorityParts {
  readonly network: Pick<NetworkLedger, 'authorities' | 'addAuthority'>;
  readonly dataDir: string;
  /**
   * This machine's own names, which a new authority permits. If the machine gets a new name, the existing authority stays in
   * use.
   */
  readonly hosts: readonly string[];
  /**
   * The domain of the customers' host names. If the existing authority does not permit this domain, and a new authority could
   * permit it, a new authority is made.
   */
  readonly baseDomain: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /**
   * Whether the machine's clock is right. While it is wrong or may be wrong, this is false, and the dates of an authority are
   * not checked.
   */
  readonly isClockRight?: boolean;
  readonly actor: string;
  readonly log: Log;
  /** The build time of this program, in epoch milliseconds. A clock that shows an earlier time is wrong. */
  readonly builtAt?: number;
}

/**
 * Returns the newest usable authority, or makes one if there is none. Also writes its root certificate to the data directory.
 * If several processes call this at the same time, all get the same authority.
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

/** Returns the newest usable authority; undefined if there is none. Unlike `openAuthority`, it changes nothing. */
export async function findAuthority(parts: AuthorityParts): Promise<Authority | undefined> {
  return (await look(parts)).usable;
}

/** Finds the newest usable authority. Also returns the reasons why the authorities that are newer cannot be used. */
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

/** Returns why an authority cannot be used now; undefined if it can be used. */
async function findFault(authority: OpenAuthority, parts: AuthorityParts): Promise<string | undefined> {
  const { now, baseDomain = '', isClockRight = true, builtAt = BUILT_AT } = parts;
  // For example, co.uk can never be a constraint, so even a new authority would not permit it.
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

/** Opens a stored authority. Returns the reason instead if the authority cannot be opened. */
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

/** Whether the stored certificates are unchanged. With changed certificates, tills would refuse every connection. */
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
  /** The key of the issuer certificate. */
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
  /** The validity of a certificate that is made at `now`. */
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

/** The last error when writing a file, by the path of the file. */
const fileFaults = new Map<string, string>();

/**
 * Writes the root certificate to the file if the content differs. A failure is only logged, because tills can also download the
 * certificate. The same failure is logged only once, because the gateway retries each minute.
 */
function writeAuthorityFile({ file, certificate }: Authority, log: Log): void {
  const fresh = `${file}.${process.pid}.new`;
  try {
    if (!existsSync(file) || readFileSync(file, 'latin1') !== certificate) {
      writeFileSync(fresh, certificate);
      // Sets the mode of the file whatever the umask is, so that other users can read a copy that `cp -p` or `scp -p` makes.
      chmodSync(fresh, 0o644);
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
