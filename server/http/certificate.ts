// The TLS certificate from the shop's files. It is checked before use and reloaded after a renewal, without a restart. An invalid
// pair of files never replaces a valid one.

import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';

import type { CertificateFiles } from '../config.ts';
import { OperatorError } from '../errors.ts';
import type { Log } from '../log.ts';

const DAY_MS = 86_400_000;
/** A certificate that expires within this time causes warnings in the log. */
const NOTICE_MS = 14 * DAY_MS;
const POLL_MS = 1000;
const MAX_BYTES = 1024 * 1024;

/** A certificate that a server presents. */
export interface ServedCertificate extends Contents {
  readonly validFrom: Date;
  readonly expiresAt: Date;
  /** SHA-256 of the certificate, as browsers show it. */
  readonly fingerprint: string;
}

export interface Certificate extends ServedCertificate {
  readonly files: CertificateFiles;
}

/** The certificate with its chain, and the key; both in PEM. */
interface Contents {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface CertificateWatch {
  inUse(): Certificate;
  /** Stops watching. */
  close(): void;
}

/** Reads and checks the files. Throws an OperatorError that names the file and what to do. Accepts an expired certificate. */
export function loadCertificate(files: CertificateFiles): Certificate {
  const read = (path: string): Buffer => {
    try {
      assertReadable(statSync(path));
      return readFileSync(path);
    } catch (error) {
      throw explainReading(path, error);
    }
  };
  return checkCertificate(files, { cert: read(files.certificate), key: read(files.key) });
}

/** Throws unless this is a regular file within the size limit. Reading a pipe might never end. */
function assertReadable(stats: Stats): void {
  if (stats.isFile() && stats.size <= MAX_BYTES) return;
  const code = stats.isDirectory() ? 'EISDIR' : stats.isFile() ? 'EFBIG' : 'EFTYPE';
  throw Object.assign(new Error('not a file, or too large'), { code });
}

/** The TLS options of a server. After a renewal, all of them must be set again. */
export function contextOptions({ cert, key }: Contents): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' };
}

function checkCertificate(files: CertificateFiles, contents: Contents): Certificate {
  const first = parseCertificate(files.certificate, contents.cert);
  if (!first.checkPrivateKey(parseKey(files.key, contents.key)))
    throw new OperatorError(
      `The key in ${files.key} does not belong to the first certificate in ${files.certificate}: give the two that were made together. The gateway's own certificate must be the first in its file.`,
    );
  try {
    createSecureContext(contextOptions(contents)); // validates the whole chain and rejects weak keys
  } catch (error) {
    throw new OperatorError(
      `The certificate in ${files.certificate} cannot be used (${reasonOf(error)}): give the whole file as it was issued.`,
      { cause: error },
    );
  }
  const { validFromDate: validFrom, validToDate: expiresAt, fingerprint256: fingerprint } = first;
  return { ...contents, files, validFrom, expiresAt, fingerprint };
}

function parseCertificate(path: string, content: Buffer): X509Certificate {
  try {
    // Node could read DER here, but a server cannot use it
    if (!content.includes('-----BEGIN ')) throw new Error('not PEM');
    return new X509Certificate(content);
  } catch (error) {
    throw new OperatorError(
      `${path} holds no readable certificate: it must be a PEM file with -----BEGIN CERTIFICATE-----.`,
      { cause: error },
    );
  }
}

function parseKey(path: string, content: Buffer): KeyObject {
  if (/^(-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/m.test(content.toString('latin1')))
    throw new OperatorError(
      `The key in ${path} is encrypted, but the gateway cannot ask for its passphrase: write it without one (openssl pkey -in FILE -out NEWFILE) to a file that only the gateway's user may read.`,
    );
  try {
    return createPrivateKey(content);
  } catch (error) {
    throw new OperatorError(
      `${path} holds no readable key: it must be a PEM file with -----BEGIN PRIVATE KEY-----, or RSA or EC PRIVATE KEY.`,
      { cause: error },
    );
  }
}

function explainReading(path: string, error: unknown): OperatorError {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  const whatToDo =
    {
      ENOENT: 'does not exist: check the path',
      EACCES: "may not be read: give the gateway's user the right to read it",
      EISDIR: 'is a folder: give the file in it',
      EFBIG: 'is too large to be a certificate or key: check the path',
      EFTYPE: 'is not a regular file: check the path',
    }[code] ?? `cannot be read (${code}): check what it is`;
  return new OperatorError(`${path} ${whatToDo}.`, { cause: error });
}

/** The reason of the TLS library, without error numbers. */
function reasonOf(error: unknown): string {
  const { reason, message } = error as Error & { reason?: string };
  return reason ?? message.split(':').at(-1)?.trim() ?? message;
}

/**
 * Reads both files every second and calls `use` with a new valid certificate. Uses new files only when two reads in a row are
 * equal, because a file may be half written. Logs an invalid pair once. Warns at most once a day about a certificate that
 * expires soon.
 */
export function watchCertificate(
  first: Certificate,
  { log, use }: { readonly log: Log; readonly use: (certificate: Certificate) => void },
): CertificateWatch {
  const { files } = first;
  let inUse = first;
  let markInUse = markOf(first);
  let lastSeen = markInUse;
  let lastRefused: string | undefined;
  let warnedAt = -Infinity;
  let isLooking = false;
  let isClosed = false;

  function warn(): void {
    const now = Date.now();
    const warning = findWarning(inUse, now);
    if (warning === undefined || Math.abs(now - warnedAt) < DAY_MS) return;
    warnedAt = now;
    log.warn({ certificate_file: files.certificate, expires_at: inUse.expiresAt }, warning);
  }

  function replace(read: Contents | OperatorError, mark: string): void {
    try {
      if (read instanceof OperatorError) throw read;
      const next = checkCertificate(files, read);
      if (isExpired(next) && !isExpired(inUse))
        throw new OperatorError(`The new certificate in ${files.certificate} has already expired: renew it again.`);
      use(next);
      [inUse, markInUse, lastRefused, warnedAt] = [next, mark, undefined, -Infinity];
    } catch (error) {
      if (mark !== lastRefused) log.error({ err: error }, 'a new certificate cannot be used; the old one stays in use');
      lastRefused = mark;
      return;
    }
    const { fingerprint, expiresAt } = inUse;
    log.info(
      { certificate_file: files.certificate, fingerprint, expires_at: expiresAt },
      'a new certificate is in use',
    );
  }

  async function look(): Promise<void> {
    if (isLooking) return; // the previous read has not finished; on a network drive, a read may be slow
    isLooking = true;
    const read = await readContents(files);
    isLooking = false;
    if (isClosed) return;
    const mark = markOf(read);
    const isSettled = mark === lastSeen;
    lastSeen = mark;
    if (mark === markInUse) lastRefused = undefined;
    else if (isSettled) replace(read, mark);
  }

  warn();
  const timer = setInterval(() => {
    warn();
    void look();
  }, POLL_MS).unref();
  return {
    inUse: () => inUse,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

function isExpired({ expiresAt }: Certificate): boolean {
  return expiresAt.getTime() <= Date.now();
}

async function readContents(files: CertificateFiles): Promise<Contents | OperatorError> {
  const read = async (path: string): Promise<Buffer> => {
    try {
      assertReadable(await stat(path));
      return await readFile(path);
    } catch (error) {
      throw explainReading(path, error);
    }
  };
  try {
    const [cert, key] = await Promise.all([read(files.certificate), read(files.key)]);
    return { cert, key };
  } catch (error) {
    return error as OperatorError;
  }
}

/** Returns a text for the comparison of two reads. Reads with equal contents, or with the same error, give the same text. */
function markOf(read: Contents | OperatorError): string {
  if (read instanceof OperatorError) return read.message;
  const hash = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
  return hash(read.cert) + hash(read.key);
}

function findWarning({ validFrom, expiresAt }: Certificate, now: number): string | undefined {
  if (expiresAt.getTime() <= now) return 'the certificate has expired, and tills refuse it: renew it';
  if (expiresAt.getTime() - now <= NOTICE_MS) return 'the certificate expires within 14 days: renew it';
  if (validFrom.getTime() > now) return "the certificate is not valid yet: check it and this machine's clock";
  return undefined;
}
