// The gateway's own authority: when the gateway makes a new one, and what its certificates contain.

import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';

import { type Authority, type AuthorityParts, openAuthority } from '../../../server/network/authority.ts';
import { makeAuthority } from '../../../server/network/certificate-maker.ts';
import { localConstraints } from '../../../server/network/local-constraints.ts';
import type { Store } from '../../../server/store/store.ts';
import { BUILT_AT } from '../../../server/version.ts';
import { openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

const DAY_MS = 86_400_000;
const NOW = BUILT_AT + 100 * DAY_MS;
const AUTHORITY_ENDS = new Date(NOW).setUTCFullYear(new Date(NOW).getUTCFullYear() + 10);
/** An instant in UTC, as YYYY-MM-DDTHH:MM. */
const isoOf = (time: number | Date): string => new Date(time).toISOString().slice(0, 16);

interface Site {
  readonly store: Store;
  readonly dataDir: string;
  readonly lines: string[];
  open(parts?: Partial<AuthorityParts>): Promise<Authority>;
}

async function openSite(dataDir = temporaryFolder(), sealKey?: Uint8Array): Promise<Site> {
  const store = await openTemporaryStore({ dataDir, now: () => NOW, ...(sealKey && { sealKey }) });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  return {
    store,
    dataDir,
    lines,
    open: async (parts = {}) =>
      openAuthority({
        network: store.network,
        dataDir,
        hosts: ['till-pc.lan'],
        baseDomain: undefined,
        now: NOW,
        actor: 'gateway',
        log,
        ...parts,
      }),
  };
}

/** Changes the last byte of a certificate in PEM. That byte is part of the signature. */
function changeLastByte(pem: string): string {
  const { raw } = new X509Certificate(pem);
  const changed = Buffer.concat([raw.subarray(0, -1), Buffer.from([(raw.at(-1) ?? 0) ^ 1])]);
  return `-----BEGIN CERTIFICATE-----\n${changed.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

describe('the authority', () => {
  test('is made at first use, lasts ten years, and survives a restart', async () => {
    const site = await openSite();
    const made = await site.open();
    expect(isoOf(made.expiresAt)).toBe(isoOf(AUTHORITY_ENDS));
    expect(isoOf(new X509Certificate(made.certificate).validFromDate)).toBe(isoOf(NOW - DAY_MS));
    expect(made.createdAt).toBe(NOW);
    await site.store.close();
    const again = await openSite(site.dataDir);
    expect((await again.open()).fingerprint).toBe(made.fingerprint);
    expect(again.lines).toEqual([]);
    expect(await again.store.network.authorities()).toHaveLength(1);
  });

  test('is one root certificate for tills, in PEM and DER, with its fingerprint', async () => {
    const { certificate, der, fingerprint } = await (await openSite()).open();
    expect(certificate.match(/-----BEGIN CERTIFICATE-----/g)).toHaveLength(1);
    const parsed = new X509Certificate(der);
    expect(parsed.fingerprint256).toBe(fingerprint);
    expect(new X509Certificate(certificate).raw.equals(der)).toBe(true);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
  });

  test('leaves no key that could sign another issuer', async () => {
    const { store, open } = await openSite();
    const root = new X509Certificate((await open()).certificate);
    const [stored] = await store.network.authorities();
    expect(root.checkPrivateKey(createPrivateKey(stored?.key ?? ''))).toBe(false);
  });

  test('is the same for processes that make it at the same time', async () => {
    const site = await openSite();
    const other = await openTemporaryStore({ dataDir: site.dataDir, role: 'command' });
    const opened = await Promise.all([
      site.open(),
      site.open({ network: other.network }),
      site.open(),
      site.open({ network: other.network }),
    ]);
    expect(new Set(opened.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(await site.store.network.authorities()).toHaveLength(1);
  });
});

describe('a new authority', () => {
  test.each<[string, Partial<AuthorityParts>]>([
    ['a base domain that the present one does not permit', { baseDomain: 'gateway.example.com' }],
    ['a base domain of two labels', { baseDomain: 'bakery.com' }],
    ['its last 30 days', { now: AUTHORITY_ENDS - 29 * DAY_MS }],
    ['its expiry', { now: AUTHORITY_ENDS + DAY_MS }],
    ['a clock that was ahead when it was made', { now: NOW - 2 * DAY_MS }],
  ])('is made for %s, and the old one stays listed', async (_, change) => {
    const { store, open } = await openSite();
    const before = await open();
    const after = await open(change);
    expect(after.fingerprint).not.toBe(before.fingerprint);
    expect((await open(change)).fingerprint).toBe(after.fingerprint);
    const listed = (await store.network.authorities()).map(({ fingerprint }) => fingerprint);
    expect(listed).toEqual([after.fingerprint, before.fingerprint]);
  });

  test.each<[string, Partial<AuthorityParts>]>([
    ['a base domain below .local', { baseDomain: 'gateway.local' }],
    ['a base domain below a permitted one', { baseDomain: 'shop.till-pc.lan' }],
    ['an empty base domain', { baseDomain: '' }],
    ['a base domain that no certificate may contain', { baseDomain: `${'a.'.repeat(130)}example` }],
    ['another name of the machine, as a container gets at each start', { hosts: ['3f9a1c2b'] }],
    ['31 days before its end', { now: AUTHORITY_ENDS - 31 * DAY_MS }],
    ['a clock that is two days behind and known to be wrong', { now: NOW - 2 * DAY_MS, isClockRight: false }],
    ['a clock in 1970', { now: 0 }],
  ])('is not made for %s', async (_, change) => {
    const { open } = await openSite();
    expect((await open()).fingerprint).toBe((await open(change)).fingerprint);
  });

  test('is made when the keyring is another one, and the old one is in use again with its own keyring', async () => {
    const dataDir = temporaryFolder();
    const [one, two] = [randomBytes(32), randomBytes(32)];
    const before = await openSite(dataDir, one);
    const first = await before.open();
    await before.store.close();
    const during = await openSite(dataDir, two);
    const second = await during.open();
    expect(second.fingerprint).not.toBe(first.fingerprint);
    expect(during.lines.join('')).toContain('its key was sealed by another keyring');
    await during.store.close();
    const after = await openSite(dataDir, one);
    expect((await after.open()).fingerprint).toBe(first.fingerprint);
  });

  test('is made when the stored one is damaged', async () => {
    const { store, open, lines } = await openSite();
    const damaged = { certificate: 'x', key: 'y', fingerprint: 'AA:BB' };
    expect(await store.network.addAuthority(damaged, undefined, 'test')).toBe(true);
    const made = await open();
    expect(made.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(lines.join('')).toContain('AA:BB: it cannot be read');
  });

  test.each([0, 1])('is made when one byte of the stored certificate %i has changed', async (damaged) => {
    const site = await openSite();
    const { fingerprint } = await site.open();
    const [stored] = await site.store.network.authorities();
    await site.store.close();
    const certificates = (stored?.certificate ?? '').split(/(?=-----BEGIN)/);
    const database = new Database(join(site.dataDir, 'counterfoil.db'));
    database
      .prepare('UPDATE authorities SET certificate = ?')
      .run(certificates.map((pem, i) => (i === damaged ? changeLastByte(pem) : pem)).join(''));
    database.close();
    const again = await openSite(site.dataDir);
    expect((await again.open()).fingerprint).not.toBe(fingerprint);
    expect(again.lines.join('')).toContain(`${fingerprint}: it is damaged`);
  });

  test.each(['shop', 'edeka', 'nl', 'co.uk', 'github.io'])(
    'is not made again and again for the base domain %s',
    async (baseDomain) => {
      const { store, open } = await openSite();
      const made = await open({ baseDomain });
      expect(made.permits(`kassa.${baseDomain}`)).toBe(false);
      expect(await store.network.authorities()).toHaveLength(1);
    },
  );

  test('is made for a new base domain once, and going back uses the first one again', async () => {
    const { store, open } = await openSite();
    const a = await open({ baseDomain: 'a.example' });
    const b = await open({ baseDomain: 'b.example' });
    expect((await open({ baseDomain: 'a.example' })).fingerprint).toBe(a.fingerprint);
    expect((await open({ baseDomain: 'b.example' })).fingerprint).toBe(b.fingerprint);
    expect(await store.network.authorities()).toHaveLength(2);
  });

  /** Opens a store with an authority that permits only local names and till-pc.lan, as earlier versions made it. */
  async function openEarlierSite(): Promise<Site & { readonly fingerprint: string }> {
    const site = await openSite();
    const { networks } = await localConstraints([]);
    const { root, issuer, key } = await makeAuthority(
      { name: 'till-pc', constraints: { networks, names: ['local', 'localhost', 'till-pc.lan'] } },
      { notBefore: new Date(NOW - DAY_MS), notAfter: new Date(AUTHORITY_ENDS) },
    );
    const { fingerprint256: fingerprint } = new X509Certificate(root);
    await site.store.network.addAuthority({ certificate: root + issuer, key, fingerprint }, undefined, 'test');
    return { ...site, fingerprint };
  }

  test.each<[string, Partial<AuthorityParts>]>([
    ['without a base domain', {}],
    ['with a base domain that it permits', { baseDomain: 'shop.till-pc.lan' }],
    ['with a base domain that no authority permits', { baseDomain: 'co.uk' }],
  ])('does not replace one of an earlier version that lacks the bare name of the machine, %s', async (_, parts) => {
    const { open, fingerprint, lines } = await openEarlierSite();
    const kept = await open({ hosts: ['kassa-pc'], ...parts });
    expect(kept.fingerprint).toBe(fingerprint);
    expect((await kept.issue(['kassa-pc', 'kassa-pc.local'], NOW)).leftOut).toEqual(['kassa-pc']);
    expect(lines).toEqual([]);
  });

  test('replaces one of an earlier version for a base domain of two labels, and the log says why', async () => {
    const { open, fingerprint, lines } = await openEarlierSite();
    const made = await open({ hosts: ['kassa-pc'], baseDomain: 'bakery.com' });
    expect(lines).toEqual([expect.stringContaining(`${fingerprint}: it does not permit the base domain`)]);
    const { leftOut } = await made.issue(['kassa-pc', 'bakery.com', 'dev-plem.bakery.1207.bakery.com'], NOW);
    expect(leftOut).toEqual([]);
    expect((await open({ baseDomain: 'bakery.com' })).fingerprint).toBe(made.fingerprint);
  });

  test('is noted in the log of acts and in the log file', async () => {
    const { store, open, lines } = await openSite();
    const { fingerprint } = await open({ actor: 'Ann' });
    expect(await store.setup.listActs({ limit: 10 })).toMatchObject([
      { actor: 'Ann', act: { kind: 'make authority', fingerprint } },
    ]);
    expect(lines).toEqual([expect.stringContaining(fingerprint)]);
    expect(lines.join('')).not.toContain('PRIVATE KEY');
  });
});

describe('a wrong clock', () => {
  test('in 1970 makes an authority that is valid from the build date', async () => {
    const { open } = await openSite();
    const { certificate, expiresAt, issue } = await open({ now: 1000 });
    expect(isoOf(new X509Certificate(certificate).validFromDate)).toBe(isoOf(BUILT_AT - DAY_MS));
    expect(expiresAt).toBeGreaterThan(BUILT_AT + 3650 * DAY_MS);
    const leaf = await issue([], 1000);
    expect(isoOf(leaf.validFrom)).toBe(isoOf(BUILT_AT - DAY_MS));
    expect(isoOf(leaf.expiresAt)).toBe(isoOf(BUILT_AT + 820 * DAY_MS));
  });

  test('behind the authority issues a certificate that is valid now', async () => {
    const { open } = await openSite();
    const { issue } = await open();
    const leaf = await issue([], NOW - 30 * DAY_MS, false);
    expect(isoOf(leaf.validFrom)).toBe(isoOf(NOW - DAY_MS));
    expect(isoOf(leaf.expiresAt)).toBe(isoOf(NOW + 820 * DAY_MS));
  });
});

describe('a certificate', () => {
  test('has the permitted hosts in their order, once each, then loopback, and names the others', async () => {
    const { open } = await openSite();
    const { issue, permits } = await open({ baseDomain: 'gateway.example.com' });
    const permitted = ['counterfoil.local', 'till-pc.lan', '192.168.1.20', 'fd00::12', '*.7.gateway.example.com'];
    const others = ['8.8.8.8', 'shop.example.com', 'kassa_1', '2001:db8::1'];
    const wanted = [...permitted, ...others, 'TILL-PC.LAN.', '8.8.8.8', '127.0.0.1'];
    const { cert, names, leftOut } = await issue(wanted, NOW);
    expect(names).toEqual([...permitted, '127.0.0.1', 'localhost', '::1']);
    expect(leftOut).toEqual(others);
    expect(new X509Certificate(cert).subjectAltName?.split(', ')).toHaveLength(names.length);
    expect(permitted.filter((host) => !permits(host))).toEqual([]);
    expect(others.filter((host) => permits(host))).toEqual([]);
  });

  test('lasts 90 days from now, begins a day earlier, and has a new key', async () => {
    const { open } = await openSite();
    const { issue } = await open();
    const [leaf, next] = [await issue([], NOW), await issue([], NOW)];
    expect([isoOf(leaf.validFrom), isoOf(leaf.expiresAt)]).toEqual([isoOf(NOW - DAY_MS), isoOf(NOW + 90 * DAY_MS)]);
    expect(leaf.key).not.toBe(next.key);
    expect(new X509Certificate(leaf.cert).fingerprint256).toBe(leaf.fingerprint);
  });

  test('never outlasts the authority', async () => {
    const { open } = await openSite();
    const { issue, expiresAt } = await open();
    expect((await issue([], expiresAt - 40 * DAY_MS)).expiresAt).toBe(expiresAt);
  });
});

describe('ca.pem', () => {
  test('is the root, readable by everybody, without a temporary file beside it', async () => {
    const { dataDir, open } = await openSite();
    const { file, certificate } = await open();
    expect(file).toBe(join(dataDir, 'ca.pem'));
    expect(readFileSync(file, 'utf8')).toBe(certificate);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('ca.pem'))).toEqual(['ca.pem']);
  });

  test('is written again when somebody has changed it, and is not touched otherwise', async () => {
    const { open } = await openSite();
    const { file, certificate } = await open();
    const { mtimeNs, ino } = statSync(file, { bigint: true });
    await open();
    expect(statSync(file, { bigint: true })).toMatchObject({ mtimeNs, ino });
    writeFileSync(file, 'something else');
    await open();
    expect(readFileSync(file, 'utf8')).toBe(certificate);
  });

  test('that cannot be written is only logged, once until it is written', async () => {
    const { dataDir, open, lines } = await openSite();
    const file = join(dataDir, 'ca.pem');
    const warnings = (): number => lines.filter((line) => line.includes('"level":40')).length;
    mkdirSync(file);
    for (let attempt = 0; attempt < 3; attempt++) await open();
    expect(lines.join('')).toContain("cannot write the authority's certificate for people");
    expect(warnings()).toBe(1);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('ca.pem'))).toEqual(['ca.pem']);
    rmdirSync(file);
    await open();
    rmSync(file);
    mkdirSync(file);
    await open();
    expect(warnings()).toBe(2);
  });
});
