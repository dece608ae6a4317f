// HTTPS in a shop, set up by flags, variables and files of `serve`. The certificate is replaced while the gateway runs.

import { once } from 'node:events';
import { unlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { connect as connectPlainly } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';

import { expect, onTestFinished, test } from 'vitest';

import { makeCertificate, type TestCertificate, writeCertificate } from '../support/certificate.ts';
import { exitOf, type Site, spawnCommand, spawnProgram } from '../support/gateway-process.ts';
import { bodyOf, call, postBody } from '../support/http-call.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { loadBakerySales, openTestSite } from './test-site.ts';

function flagsFor({ certificate, key }: ReturnType<typeof writeCertificate>): string[] {
  return ['--tls-certificate', certificate, '--tls-key', key];
}

/** The certificate that the gateway shows on a new connection. */
async function presented(url: string): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate()?.toString();
  socket.destroy();
  return certificate;
}

/** Runs `serve` with flags that must make it fail. */
function serve(site: Site, ...flags: string[]) {
  return site.run('serve', '--port', '0', '--console-port', '0', '--json', ...flags);
}

test('serve accepts records over HTTPS, uses a renewed certificate, and ends with 0', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const folder = temporaryFolder();
  const first = makeCertificate();
  const gateway = await site.startGateway(0, ...flagsFor(writeCertificate(folder, first)));
  expect(gateway.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(gateway.consoleUrl).toMatch(/^http:/);
  expect((await postBody(gateway.url, key, bodyOf())).status).toBe(201);
  expect(await presented(gateway.url)).toBe(first.cert);

  const renewed = makeCertificate();
  writeCertificate(folder, renewed);
  await expect.poll(() => presented(gateway.url)).toBe(renewed.cert);
  expect((await postBody(gateway.url, key, bodyOf())).status).toBe(201);

  const halfWay = connectPlainly(gateway.port, '127.0.0.1');
  onTestFinished(() => void halfWay.destroy());
  halfWay.on('error', () => {}); // the gateway may reset this connection
  await once(halfWay, 'connect');
  halfWay.write('\x16\x03\x01');
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
  expect(await site.runJson('check')).toMatchObject({ ok: true, records: 2 });
});

test('the settings may name a certificate next to their file', async () => {
  const site = await openTestSite();
  await mkdir(site.dataDir, { recursive: true });
  const certificate = makeCertificate();
  writeCertificate(site.dataDir, certificate);
  writeFileSync(
    join(site.dataDir, 'settings.json'),
    JSON.stringify({ tlsCertificate: 'tls.crt', tlsKey: 'tls.key', host: '0.0.0.0' }),
  );
  const gateway = await site.startGateway();
  expect(gateway.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/); // the only address of this machine in the certificate
  expect(await presented(gateway.url)).toBe(certificate.cert);
  expect((await gateway.stop()).code).toBe(0);
});

test('serve prints https addresses, and with the first key the options for curl', async () => {
  const { certificate, key } = writeCertificate(temporaryFolder(), makeCertificate());
  const files = ['--tls-certificate', certificate, '--tls-key', key];
  const ports = ['--port', '0', '--console-port', '0'];
  const child = spawnCommand(['serve', '--data', temporaryFolder(), '--welcome', ...ports, ...files]);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitOf(child);
  });
  let printed = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    printed += String(part);
    if (printed.includes('--cacert')) break;
  }
  expect(printed).toMatch(/for tills +https:\/\/127\.0\.0\.1:\d+\/v1/);
  expect(printed).toMatch(/described +https:\/\/127\.0\.0\.1:\d+\/docs/);
  expect(printed).toMatch(/metrics +http:\/\/127\.0\.0\.1:\d+\/metrics/);
  expect(printed).toMatch(/curl 'https:\/\/127\.0\.0\.1:\d+\/v1/);
});

test('the till reports an untrusted certificate and names a remedy that works', async () => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const files = writeCertificate(temporaryFolder(), makeCertificate({ hosts: ['127.0.0.1'] }));
  const gateway = await site.startGateway(0, ...flagsFor(files));
  const [sale] = await loadBakerySales();
  const file = join(temporaryFolder(), 'sales.jsonl');
  writeFileSync(file, sale?.body ?? '');
  const runTill = async (url: string, variables: NodeJS.ProcessEnv) => {
    const till = spawnProgram('test/support/till.ts', ['--url', url, '--key', key, '--file', file], variables);
    onTestFinished(() => void till.kill('SIGKILL'));
    const [stderr, { code }] = await Promise.all([text(till.stderr), exitOf(till), text(till.stdout)]);
    return { code, stderr };
  };
  const trusting = { NODE_EXTRA_CA_CERTS: files.certificate };

  const untrusted = await runTill(gateway.url, {});
  expect(untrusted.code).toBe(2);
  expect(untrusted.stderr).toMatch(/^error: the gateway answers at .* is not trusted \(.*NODE_EXTRA_CA_CERTS=tls\.crt/);
  const misnamed = await runTill(gateway.url.replace('127.0.0.1', 'localhost'), trusting);
  expect(misnamed.code).toBe(2);
  expect(misnamed.stderr).toMatch(/^error: the gateway answers at .* for another name/);
  expect(await runTill(gateway.url, trusting)).toEqual({ code: 0, stderr: '' });
});

test('without a certificate serve uses its own in the LAN, which no public address can have', async () => {
  const site = await openTestSite();
  const refused = await serve(site, '--host', '203.0.113.7');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    /^counterfoil: The host 203\.0\.113\.7 is a public .*--tls-certificate and --tls-key.*--plain-http\.\n$/,
  );
  const own = await site.startGateway(0, '--host', '0.0.0.0');
  expect(await presented(own.url)).toContain('BEGIN CERTIFICATE');
  expect((await call(`http://127.0.0.1:${own.port}/ca.pem`)).text).toContain('BEGIN CERTIFICATE');
  await own.stop();
  const gateway = await site.startGateway(0, '--host', '0.0.0.0', '--plain-http');
  expect(gateway.url).toMatch(/^http:\/\/(?!0\.0\.0\.0)/);
  expect((await call(`${gateway.url}/readyz`)).status).toBe(200);
});

test('a certificate without its key is wrong usage', async () => {
  const site = await openTestSite();
  const { certificate } = writeCertificate(temporaryFolder(), makeCertificate());
  const { code, stderr } = await serve(site, '--tls-certificate', certificate);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^counterfoil: tlsKey is missing: .+\n$/);
});

test('an unusable certificate ends the start with 1 and one sentence', async () => {
  const site = await openTestSite();
  const [good, other] = [makeCertificate(), makeCertificate()];
  const start = async (pair: Pick<TestCertificate, 'cert' | 'key'>, spoil?: 'spoil') => {
    const files = writeCertificate(temporaryFolder(), pair);
    if (spoil !== undefined) unlinkSync(files.key);
    return serve(site, ...flagsFor(files));
  };
  const ends = await Promise.all([
    start(good, 'spoil'),
    start({ cert: 'none', key: good.key }),
    start({ cert: good.cert, key: other.key }),
  ]);
  expect(ends.map(({ code, stdout }) => ({ code, stdout }))).toEqual(ends.map(() => ({ code: 1, stdout: '' })));
  expect(ends.map(({ stderr }) => stderr)).toEqual([
    expect.stringMatching(/^counterfoil: .+tls\.key does not exist: check the path\.\n$/),
    expect.stringMatching(/^counterfoil: .+tls\.crt holds no readable certificate: .+\n$/),
    expect.stringMatching(/^counterfoil: The key in .+tls\.key does not belong to .+tls\.crt.+\n$/),
  ]);
});
