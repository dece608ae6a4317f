// The certificates of the gateway's own authority, checked by the TLS clients that tills use.

import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { issueCertificate, type MadeAuthority, makeAuthority } from '../../../server/network/certificate-maker.ts';
import { localConstraints } from '../../../server/network/local-constraints.ts';
import { type Host, parseHost } from '../../../server/network/name-constraints.ts';
import { temporaryFolder } from '../../support/temp-store.ts';
import { ACCEPTED, MISSING_OPENSSL, TLS_CLIENTS } from '../../support/tls-clients.ts';

const DAY_MS = 86_400_000;
const MADE_AT = Date.now();
const VALIDITY = { notBefore: new Date(MADE_AT - DAY_MS), notAfter: new Date(MADE_AT + 90 * DAY_MS) };
const OWN_NAMES = ['kassa-pc', 'till-pc.lan', 'bakery.com', 'gateway.example.com'];

let authority: MadeAuthority;
beforeAll(async () => {
  authority = await makeAuthority({ name: 'till-pc', constraints: await localConstraints(OWN_NAMES) }, VALIDITY);
});

function hostsOf(names: readonly string[]): Host[] {
  return names.map((name) => parseHost(name) ?? expect.fail(`no host: ${name}`));
}

async function issue(names: readonly string[], { issuer, key } = authority): Promise<{ cert: string; key: string }> {
  const made = await issueCertificate({ certificate: issuer, key: createPrivateKey(key) }, hostsOf(names), VALIDITY);
  return { cert: made.certificate, key: made.key };
}

function writeFile(content: string, name = 'file.pem'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

/** Serves a certificate with the certificate of its issuer, and returns the port. */
async function serve({ cert, key }: { cert: string; key: string }): Promise<number> {
  const server = createServer({ cert: cert + authority.issuer, key }, (_, answer) => answer.end());
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

describe.each(TLS_CLIENTS)('$name', ({ missing, connect }) => {
  test('accepts every host that the authority permits', async (context) => {
    if (missing !== undefined) return context.skip(missing);
    const names = [
      ['localhost', '127.0.0.1', '::1', 'counterfoil.local', 'kassa-pc', 'till-pc.lan', 'gateway.example.com'],
      ['bakery.com', 'tills.bakery.com', '*.7.bakery.com', 'dev-plem.bakery.1207.bakery.com'],
      ['*.7.gateway.example.com', '192.168.1.20', '10.1.2.3', '172.31.0.9', '169.254.7.7', 'fd00::12', 'fe80::1'],
    ].flat();
    const port = await serve(await issue(names));
    const targets = names.map((name) => ({ host: name.replace('*', 'bakery'), port }));
    const results = await connect(writeFile(authority.root), targets);
    expect(targets.map(({ host }, i) => [host, results[i]])).toEqual(targets.map(({ host }) => [host, ACCEPTED]));
  });

  test('refuses every other host, because of the name constraints', async (context) => {
    if (missing !== undefined) return context.skip(missing);
    const others = ['example.com', 'notlocal', 'kassa-pc-2', 'notbakery.com', 'shop.example.com'];
    const names = [...others, '8.8.8.8', '172.32.0.1', '2001:4860:4860::8888'];
    const targets = await Promise.all(
      names.map(async (host) => ({ host, port: await serve(await issue(['localhost', host])) })),
    );
    const results = await connect(writeFile(authority.root), targets);
    for (const [i, { host }] of targets.entries())
      expect([host, results[i]]).toEqual([host, expect.stringMatching(/permitted subtree|name constraints/i)]);
  });

  test('refuses a certificate for another host, and one of another authority', async (context) => {
    if (missing !== undefined) return context.skip(missing);
    const port = await serve(await issue(['192.168.1.20', 'kitchen.local']));
    const root = writeFile(authority.root);
    for (const result of await connect(root, [
      { host: 'counterfoil.local', port },
      { host: '192.168.1.21', port },
    ]))
      expect(result).toMatch(/mismatch|match|does not|No subject alternative|altnames/i);
    const other = await makeAuthority({ name: 'till-pc', constraints: await localConstraints([]) }, VALIDITY);
    expect(await connect(writeFile(other.root), [{ host: 'kitchen.local', port }])).not.toEqual([ACCEPTED]);
  });
});

describe.skipIf(MISSING_OPENSSL !== undefined)(`openssl verify -x509_strict ${MISSING_OPENSSL ?? ''}`, () => {
  function verify(cert: string, options: readonly string[] = [], issuers = authority.issuer): string {
    const args = ['-x509_strict', '-purpose', 'sslserver', '-CAfile', writeFile(authority.root)];
    try {
      const untrusted = ['-untrusted', writeFile(issuers)];
      return execFileSync('openssl', ['verify', ...args, ...untrusted, ...options, writeFile(cert)], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    } catch (error) {
      return (error as { stderr: string }).stderr;
    }
  }

  /** Makes a certificate with the given extensions, and signs it with the issuer's key. */
  function forge(subject: string, extensions: string): { cert: string; key: string } {
    const key = execFileSync('openssl', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const request = execFileSync('openssl', ['req', '-new', '-key', writeFile(key), '-subj', subject], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const signing = ['-CA', writeFile(authority.issuer), '-CAkey', writeFile(authority.key), '-days', '30'];
    const asked = ['-req', '-in', writeFile(request), '-extfile', writeFile(extensions)];
    const cert = execFileSync('openssl', ['x509', ...asked, ...signing], { encoding: 'utf8', stdio: 'pipe' });
    return { cert, key };
  }

  const identifiers = 'subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n';

  test('passes for a server, but for no other purpose', async () => {
    const { cert } = await issue(['counterfoil.local', '192.168.1.20']);
    expect(verify(cert, ['-verify_hostname', 'counterfoil.local'])).toMatch(/: OK$/m);
    expect(verify(cert, ['-verify_ip', '192.168.1.20'])).toMatch(/: OK$/m);
    expect(verify(cert, ['-purpose', 'sslclient'])).toMatch(/unsuitable certificate purpose/);
    expect(verify(cert, ['-purpose', 'smimesign'])).toMatch(/unsuitable certificate purpose/);
  });

  test('refuses an authority below the issuer, even for a permitted host', async () => {
    const below = forge(
      '/CN=Below',
      `basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n${identifiers}`,
    );
    const { cert } = await issue(['counterfoil.local'], { ...authority, issuer: below.cert, key: below.key });
    expect(verify(cert, [], below.cert + authority.issuer)).toMatch(/path length constraint exceeded/);
  });

  test('refuses a public name that is only the common name', () => {
    const { cert } = forge('/CN=www.example.com', `extendedKeyUsage=serverAuth\n${identifiers}`);
    expect(verify(cert)).toMatch(/permitted subtree violation/);
  });
});

test('the constraints, key identifiers and lengths of path are what openssl reads', (context) => {
  if (MISSING_OPENSSL !== undefined) return context.skip(MISSING_OPENSSL);
  const read = (pem: string): string =>
    execFileSync('openssl', ['x509', '-noout', '-text'], { input: pem, encoding: 'utf8' }).replaceAll(/\s+/g, ' ');
  const constraints =
    'X509v3 Name Constraints: critical Permitted: DNS:local DNS:localhost DNS:kassa-pc DNS:till-pc.lan ' +
    'DNS:bakery.com DNS:gateway.example.com ' +
    'IP:10.0.0.0/255.0.0.0 IP:172.16.0.0/255.240.0.0 IP:192.168.0.0/255.255.0.0 IP:127.0.0.0/255.0.0.0 ' +
    'IP:169.254.0.0/255.255.0.0 IP:0:0:0:0:0:0:0:1/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF ' +
    'IP:FC00:0:0:0:0:0:0:0/FE00:0:0:0:0:0:0:0 IP:FE80:0:0:0:0:0:0:0/FFC0:0:0:0:0:0:0:0 ';
  for (const [pem, pathLength] of [
    [authority.root, 1],
    [authority.issuer, 0],
  ] as const) {
    expect(read(pem)).toContain(`Basic Constraints: critical CA:TRUE, pathlen:${pathLength} `);
    expect(read(pem)).toContain('Key Usage: critical Certificate Sign, CRL Sign ');
    expect(read(pem)).toContain(constraints);
    expect(read(pem)).toMatch(/Subject Key Identifier: (\w\w:){19}/);
    expect(read(pem)).toMatch(/Authority Key Identifier: (\w\w:){19}/);
    expect(read(pem)).toContain('ASN1 OID: prime256v1');
  }
});

test('each authority has its own name, with the name of the machine in UTF-8, of at most 64 characters', async (context) => {
  if (MISSING_OPENSSL !== undefined) return context.skip(MISSING_OPENSSL);
  const name = `Bäckerei "Süß" <Zürich>, +=; ${'東京'.repeat(40)}\n`;
  const made = await Promise.all(
    [1, 2].map(async () => makeAuthority({ name, constraints: await localConstraints([]) }, VALIDITY)),
  );
  const subjects = made.flatMap(({ root, issuer }) => [root, issuer].map((pem) => new X509Certificate(pem).subject));
  expect(new Set(subjects).size).toBe(4);
  const [pem = ''] = made.map(({ root }) => root);
  const read = execFileSync('openssl', ['x509', '-noout', '-subject', '-nameopt', 'sname,utf8,show_type'], {
    input: pem,
    encoding: 'utf8',
  }).trim();
  expect(read).toMatch(/^subject=CN=UTF8STRING:Counterfoil Bäckerei "Süß" <Zürich>, \+=; 東.* [0-9a-f]{8}$/);
  expect([...read.replace('subject=CN=UTF8STRING:', '')]).toHaveLength(64);
});

test('a serial number has 127 random bits and is positive', async () => {
  const serials = await Promise.all(Array.from({ length: 20 }, async () => issue(['localhost'])));
  const read = serials.map(({ cert }) => new X509Certificate(cert).serialNumber);
  expect(new Set(read).size).toBe(20);
  for (const serial of read) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
});

test('dates after 2049 are read back to the second', async () => {
  const validity = { notBefore: new Date('2049-06-30T23:59:59.987Z'), notAfter: new Date('2059-06-30T12:00:00.001Z') };
  const { root } = await makeAuthority({ name: 'x', constraints: await localConstraints([]) }, validity);
  const { validFromDate, validToDate } = new X509Certificate(root);
  expect([validFromDate.toISOString(), validToDate.toISOString()]).toEqual([
    '2049-06-30T23:59:59.000Z',
    '2059-06-30T12:00:00.000Z',
  ]);
});
