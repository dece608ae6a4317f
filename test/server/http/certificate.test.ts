// The files of the certificate: which files a start accepts, and when a running gateway uses new files.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { CertificateFiles } from '../../../server/config.ts';
import { OperatorError } from '../../../server/errors.ts';
import { loadCertificate, watchCertificate } from '../../../server/http/certificate.ts';
import { makeCertificate, type TestCertificate, writeCertificate } from '../../support/certificate.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const DAY_MS = 86_400_000;
const good = makeCertificate();
const other = makeCertificate();
const half = (text: string): string => text.slice(0, text.length / 2);
const bytesOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64');
const locked = (type: 'pkcs8' | 'sec1'): string =>
  good.privateKey.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' }).toString();

function writeFiles(cert: string | Buffer, key: string | Buffer): CertificateFiles {
  const folder = temporaryFolder();
  const files = { certificate: join(folder, 'shop.crt'), key: join(folder, 'shop.key') };
  writeFileSync(files.certificate, cert);
  writeFileSync(files.key, key);
  return files;
}

describe('the start is refused with one sentence that names the file and the fix', () => {
  test.each<[string, string | Buffer, string | Buffer, RegExp]>([
    ['an empty certificate', '', good.key, /shop\.crt holds no readable certificate: it must be a PEM file/],
    ['a certificate that is text', 'tls', good.key, /shop\.crt holds no readable certificate: it must be a PEM file/],
    ['a certificate in DER', bytesOf(good.cert), good.key, /shop\.crt holds no readable certificate: .* PEM file/],
    ['half a certificate', half(good.cert), good.key, /shop\.crt holds no readable certificate: .* PEM file/],
    ['the key in place of the certificate', good.key, good.key, /shop\.crt holds no readable certificate/],
    ['a chain that ends half-way', good.cert + half(other.cert), good.key, /shop\.crt cannot be used \(.+\): .*whole/],
    ['an empty key', good.cert, '', /shop\.key holds no readable key: it must be a PEM file/],
    ['a key in DER', good.cert, bytesOf(good.key), /shop\.key holds no readable key: it must be a PEM file/],
    ['half a key', good.cert, half(good.key), /shop\.key holds no readable key: it must be a PEM file/],
    ['the certificate in place of the key', good.cert, good.cert, /shop\.key holds no readable key/],
    ['an encrypted key', good.cert, locked('pkcs8'), /shop\.key is encrypted.*\(openssl pkey/],
    ['an encrypted key in the older format', good.cert, locked('sec1'), /shop\.key is encrypted.*\(openssl pkey/],
    ['the key of another certificate', good.cert, other.key, /shop\.key does not belong to .*shop\.crt: give the two/],
    ['a chain that begins with its root', other.cert + good.cert, good.key, /shop\.key does not belong .*first/],
  ])('%s', (_name, cert, key, message) => {
    const load = (): unknown => loadCertificate(writeFiles(cert, key));
    expect(load).toThrow(OperatorError);
    expect(load).toThrow(message);
    expect(load).toThrow(/^[^\n]+\.$/);
  });

  test.each(['certificate', 'key'] as const)('a missing or unreadable %s', (which) => {
    const files = writeFiles(good.cert, good.key);
    unlinkSync(files[which]);
    expect(() => loadCertificate(files)).toThrow(new OperatorError(`${files[which]} does not exist: check the path.`));
    mkdirSync(files[which]);
    expect(() => loadCertificate(files)).toThrow(
      new OperatorError(`${files[which]} is a folder: give the file in it.`),
    );
  });

  test('a key that only its owner may read is accepted', (context) => {
    if (process.getuid?.() === 0 || process.platform === 'win32')
      return context.skip('skipped: root may read every file, and Windows has other rights');
    const files = writeFiles(good.cert, good.key);
    chmodSync(files.key, 0o000);
    expect(() => loadCertificate(files)).toThrow(/shop\.key may not be read: give the gateway's user the right/);
  });
});

test.each([
  ['with its chain', () => good.cert + other.cert, good],
  ['with text around it', () => `Bag Attributes\n${good.cert}# end\n`, good],
  ['with Windows line ends', () => good.cert.replaceAll('\n', '\r\n'), good],
])('a certificate %s is accepted', (_name, cert, { key }) => {
  expect(loadCertificate(writeFiles(cert(), key)).expiresAt.getTime()).toBeGreaterThan(Date.now());
});

/**
 * Watches a certificate's files on a fake clock. Collects the log lines, and the certificates that the gateway starts to use.
 */
function watch(first: TestCertificate, now = Date.now()) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now });
  onTestFinished(() => void vi.useRealTimers());
  const folder = temporaryFolder();
  const files = writeCertificate(folder, first);
  const logged: { level: number; msg: string; err?: { message: string } }[] = [];
  const taken: string[] = [];
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line) as (typeof logged)[number]) });
  const watching = watchCertificate(loadCertificate(files), {
    log,
    use: ({ cert }) => void taken.push(cert.toString()),
  });
  onTestFinished(() => watching.close());
  return {
    folder,
    files,
    taken,
    watching,
    write: (certificate: Pick<TestCertificate, 'cert' | 'key'>) => void writeCertificate(folder, certificate),
    faults: () => logged.filter(({ level }) => level === 50).map(({ err }) => err?.message),
    warnings: () => logged.filter(({ level }) => level === 40).map(({ msg }) => msg),
    messages: () => logged.map(({ msg }) => msg),
    /** Writes a new certificate and resolves when it is in use. By then, all earlier changes have been polled. */
    async settle() {
      const next = makeCertificate();
      writeCertificate(folder, next);
      await until(() => taken.includes(next.cert));
    },
  };
}

/** Advances the clock by seconds until the condition holds. One poll of the files takes several turns of the event loop. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pass(1);
}

/** Runs one poll of the files, with its turns of the event loop. */
async function look(): Promise<void> {
  vi.advanceTimersByTime(1000);
  await turns();
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    vi.advanceTimersByTime(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a replaced pair of files', () => {
  test('is used, logged, and used only once', async () => {
    const { write, settle, taken, watching, messages } = watch(good);
    write(other);
    await until(() => taken.length > 0);
    expect(taken).toEqual([other.cert]);
    expect(watching.inUse().cert.toString()).toBe(other.cert);
    expect(messages()).toEqual(['a new certificate is in use']);
    await settle();
    expect(taken).toHaveLength(2);
  });

  test('may be symbolic links that change their targets', async () => {
    const folder = temporaryFolder();
    for (const [name, certificate] of [['old', good] as const, ['new', other] as const]) {
      mkdirSync(join(folder, name));
      writeCertificate(join(folder, name), certificate);
    }
    const { files, taken } = watch(good);
    const point = (to: string): void => {
      for (const path of [files.certificate, files.key]) {
        symlinkSync(join(folder, to, path.endsWith('.crt') ? 'tls.crt' : 'tls.key'), `${path}.link`);
        renameSync(`${path}.link`, path);
      }
    };
    point('old');
    point('new');
    await until(() => taken.length > 0);
    expect(taken).toEqual([other.cert]);
  });

  test.each(['certificate', 'key'] as const)('may be replaced with the %s first, after any delay', async (first) => {
    const { files, faults, taken } = watch(good);
    const content = { certificate: other.cert, key: other.key };
    const last = first === 'key' ? 'certificate' : 'key';
    writeFileSync(files[first], content[first]);
    await until(() => faults().length > 0);
    expect(taken).toEqual([]);
    writeFileSync(files[last], content[last]);
    await until(() => taken.length > 0);
    expect(taken).toEqual([other.cert]);
    expect(faults()).toHaveLength(1);
    expect(faults()[0]).toMatch(/does not belong/);
  });

  test('that does not match leaves the old pair in use, and is logged once for each content', async () => {
    const { write, files, settle, faults, taken, watching } = watch(good);
    const bad: [() => void, RegExp][] = [
      [() => write({ cert: half(other.cert), key: other.key }), /no readable certificate/],
      [() => write({ cert: other.cert, key: good.key }), /does not belong/],
      [() => write({ cert: other.cert, key: locked('pkcs8') }), /is encrypted/],
      [() => unlinkSync(files.key), /does not exist/],
    ];
    for (const [i, [spoil, message]] of bad.entries()) {
      spoil();
      await until(() => faults().length > i);
      expect(faults()[i]).toMatch(message);
      await pass(60);
    }
    expect(watching.inUse().cert.toString()).toBe(good.cert);
    expect(taken).toEqual([]);
    await settle();
    expect(faults()).toHaveLength(bad.length);
  });

  test('is used once it stays unchanged, not while it still changes', async () => {
    const { write, taken } = watch(good);
    const last = makeCertificate();
    write(other);
    await look();
    write(last);
    await look();
    expect(taken).toEqual([]);
    await until(() => taken.length > 0);
    expect(taken).toEqual([last.cert]);
  });

  test('does not replace a valid pair if it has already expired', async () => {
    const { write, faults, taken, watching, settle } = watch(good);
    write(makeCertificate({ from: new Date(Date.now() - 2 * DAY_MS), until: new Date(Date.now() - DAY_MS) }));
    await until(() => faults().length > 0);
    expect(faults()).toEqual([expect.stringMatching(/has already expired: renew it again/)]);
    expect(taken).toEqual([]);
    expect(watching.inUse().cert.toString()).toBe(good.cert);
    await settle();
  });

  test.runIf(process.platform !== 'win32')('may temporarily be a pipe, which is not read', async () => {
    const { files, faults, settle } = watch(good);
    unlinkSync(files.key);
    execFileSync('mkfifo', [files.key]);
    await until(() => faults().length > 0);
    expect(faults()).toEqual([expect.stringMatching(/is not a regular file: check the path/)]);
    unlinkSync(files.key);
    await settle();
  });

  test('is tried again if only the time was wrong: a pair that returns unchanged is used', async () => {
    const { write, files, settle, faults, taken, messages } = watch(good);
    unlinkSync(files.certificate);
    await until(() => faults().length > 0);
    write(good);
    await settle();
    expect(taken).toHaveLength(1);
    expect(messages().filter((message) => message === 'a new certificate is in use')).toHaveLength(1);
  });

  test('is ignored after the watch is closed', async () => {
    const { write, watching, taken, messages } = watch(good);
    vi.advanceTimersByTime(1000);
    watching.close();
    write(other);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(10_000);
    expect(taken).toEqual([]);
    expect(messages()).toEqual([]);
  });

  test('is ignored when the watch is closed during a poll', async () => {
    const { write, watching, taken } = watch(good);
    write(other);
    await look();
    vi.advanceTimersByTime(1000);
    watching.close();
    await turns();
    expect(taken).toEqual([]);
  });
});

describe('a certificate that expires soon', () => {
  const now = Date.UTC(2026, 10, 21);
  const ending = (inMs: number): TestCertificate =>
    makeCertificate({ from: new Date(now - 300 * DAY_MS), until: new Date(now + inMs) });

  test.each([
    ['has expired', -1000, /has expired/],
    ['expires this second', 0, /has expired/],
    ['expires in 14 days', 14 * DAY_MS, /expires within 14 days/],
    ['expires later', 14 * DAY_MS + 1000, undefined],
  ])('is used with a warning if it %s', (_name, inMs, warning) => {
    const { warnings, watching } = watch(ending(inMs), now);
    expect(watching.inUse().expiresAt.getTime()).toBe(now + inMs);
    expect(warnings()).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)]);
  });

  test('is used with a warning before it is valid', () => {
    const young = makeCertificate({ from: new Date(now + DAY_MS), until: new Date(now + 99 * DAY_MS) });
    expect(watch(young, now).warnings()).toEqual([expect.stringMatching(/not valid yet/)]);
  });

  test('causes one warning a day, and none after its renewal', async () => {
    const { warnings, write, taken, settle } = watch(ending(16 * DAY_MS), now);
    expect(warnings()).toEqual([]);
    const warnedBy = async (days: number): Promise<number> => {
      const from = now + days * DAY_MS;
      vi.setSystemTime(from);
      await pass(60);
      return warnings().length;
    };
    expect([await warnedBy(1), await warnedBy(2), await warnedBy(3), await warnedBy(4)]).toEqual([0, 1, 2, 3]);
    expect(await warnedBy(17)).toBe(4);
    expect(warnings().at(-1)).toMatch(/has expired/);
    write(makeCertificate({ from: new Date(now), until: new Date(now + 400 * DAY_MS) }));
    await until(() => taken.length > 0);
    expect(await warnedBy(20)).toBe(4);
    await settle();
  });
});
