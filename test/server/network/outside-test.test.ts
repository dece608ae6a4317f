// What a person reads when a till could not send to an address. Each fault comes from a real server.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttp, type RequestListener, type Server as HttpServer } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server } from 'node:net';
import { createServer as createTls } from 'node:tls';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { NetworkTestView } from '../../../server/contract/network.ts';
import { listLanAddresses } from '../../../server/lib/own-address.ts';
import { firewallSentence, testNetwork } from '../../../server/network/outside-test.ts';
import { makeCertificate, type CertificateParts } from '../../support/certificate.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const DAY_MS = 86_400_000;
const authority = makeCertificate({ name: 'Counterfoil authority', hosts: [] });
const health: RequestListener = (_request, response) => void response.end('{"status":"ok"}');

/** Listens on a free port of an address, and returns the port. */
async function listenOn(server: Server | HttpServer, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** An HTTPS server with a certificate of the authority. */
async function serve(parts: CertificateParts = {}, answer = health, host = '127.0.0.1'): Promise<number> {
  const { cert, key } = makeCertificate({ issuer: authority, ...parts });
  return listenOn(createHttps({ cert, key }, answer), host);
}

/** A stopped process whose queue of new connections is full, so that the system drops further connections. Returns its port. */
async function listenWithoutAccepting(): Promise<number> {
  const script = `const server = require('net').createServer();
    server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(String(line));
  child.kill('SIGSTOP');
  const fillers = Array.from({ length: 4 }, () => connect({ host: '127.0.0.1', port }).on('error', () => {}));
  onTestFinished(() => fillers.forEach((socket) => socket.destroy()));
  await Promise.all(fillers.slice(0, 2).map((socket) => once(socket, 'connect')));
  return port;
}

/** Tests one address. The time-out is short only where the test waits for it. */
async function testOne(address: string, options: Parameters<typeof testNetwork>[2] = {}, ca?: string) {
  const [result] = await testNetwork([address], ca ?? authority.cert, options);
  return result?.fault;
}

test('an address is fine if a till that trusts only the authority gets an answer', async () => {
  const port = await serve();
  expect(await testOne(`https://127.0.0.1:${port}`)).toBeNull();
});

test('a name is fine if it leads to an address in the network and the certificate has it', async ({ skip }) => {
  const [own = skip('not run: this machine has no address in a network')] = listLanAddresses();
  const port = await serve({ hosts: ['counterfoil.local'] }, health, own);
  const options = { resolve: async () => Promise.resolve(['127.0.1.1', own]) };
  expect(await testOne(`https://counterfoil.local:${port}`, options)).toBeNull();
});

test('a gateway without HTTPS is fine at an address with http', async () => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  expect(await testOne(gateway.apiUrl)).toBeNull();
});

test('each of several addresses gets its own result, in their order', async () => {
  const [fine, foreign] = [await serve(), await serve({ hosts: ['10.0.0.1'] })];
  const addresses = [`https://127.0.0.1:${foreign}`, `https://127.0.0.1:${fine}`, 'not an address'];
  const results = await testNetwork(addresses, authority.cert);
  expect(results.map(({ address, fault }) => [address, fault?.step])).toEqual([
    [addresses[0], 'name'],
    [addresses[1], undefined],
    [addresses[2], 'answer'],
  ]);
});

describe('the name', () => {
  const ask = async (host: string, resolve: (name: string) => Promise<readonly string[]>, stepTimeoutMs = 3000) =>
    testOne(`https://${host}:7410`, { resolve, stepTimeoutMs });

  test('does not resolve', async () => {
    const resolve = async () => Promise.reject(new Error('ENOTFOUND'));
    expect(await ask('till.example', resolve)).toEqual({
      step: 'resolve',
      detail:
        'The name till.example is not found. Add it to the DNS of your network, or give tills an address with numbers.',
    });
    expect((await ask('counterfoil.local', resolve))?.detail).toContain('cannot look up names by mDNS');
  });

  test('gets no answer from the DNS', async () => {
    const resolve = async () => new Promise<never>(() => {});
    expect(await ask('till.example', resolve, 20)).toMatchObject({
      step: 'resolve',
      detail: expect.stringContaining('Check the DNS of your network'),
    });
  });

  test('leads each machine to itself', async () => {
    expect(await ask('till-server', async () => Promise.resolve(['127.0.1.1']))).toMatchObject({
      step: 'resolve',
      detail: expect.stringContaining('leads only to 127.0.1.1, which is each machine itself'),
    });
  });
});

describe('the connection', () => {
  test('meets no program', async () => {
    const server = createTcp();
    const port = await listenOn(server);
    await new Promise((resolve) => void server.close(resolve));
    expect(await testOne(`https://127.0.0.1:${port}`)).toEqual({
      step: 'connect',
      detail: `No program listens at 127.0.0.1:${port}. Check that the gateway runs and that the network is open.`,
    });
  });

  test.skipIf(process.platform !== 'linux')('is dropped, as by a firewall', async () => {
    const port = await listenWithoutAccepting();
    const fault = await testOne(`https://127.0.0.1:${port}`, { stepTimeoutMs: 50 });
    expect(fault).toMatchObject({ step: 'connect', detail: expect.stringContaining(firewallSentence(port)) });
  });

  test('cannot leave this machine', async () => {
    const fault = await testOne('https://255.255.255.255:7410');
    expect(fault).toMatchObject({ step: 'connect', detail: expect.stringContaining(firewallSentence(7410)) });
  });

  test.each([
    ['linux', 'sudo ufw allow 7410/tcp'],
    ['win32', 'localport=7410'],
    ['darwin', 'System Settings'],
  ] as const)('gets the hint for the firewall of %s', (platform, hint) => {
    expect(firewallSentence(7410, platform)).toContain(hint);
  });
});

describe('the certificate', () => {
  const expectForeign = (fault: NetworkTestView['fault'] | undefined): void =>
    expect(fault).toMatchObject({
      step: 'certificate',
      detail: expect.stringMatching(/comes from Another authority, not from this gateway’s authority .* stop it/),
    });

  test('comes from another authority', async () => {
    const other = makeCertificate({ name: 'Another authority', hosts: [] });
    expectForeign(await testOne(`https://127.0.0.1:${await serve({ issuer: other })}`));
  });

  test('is one that signed itself', async () => {
    const { cert, key } = makeCertificate({ name: 'Another authority' });
    expectForeign(await testOne(`https://127.0.0.1:${await listenOn(createHttps({ cert, key }, health))}`));
  });

  test('of the shop is unknown to this machine', async () => {
    const [result] = await testNetwork([`https://127.0.0.1:${await serve()}`], undefined);
    expect(result?.fault).toMatchObject({
      step: 'certificate',
      detail: expect.stringMatching(/comes from Counterfoil authority, which this machine does not trust .* tlsCert/),
    });
  });

  test('of the shop is fine if it signed itself', async () => {
    const { cert, key } = makeCertificate();
    const port = await listenOn(createHttps({ cert, key }, health));
    const results = await testNetwork([`https://127.0.0.1:${port}`], undefined, { shopFile: cert });
    expect(results[0]?.fault).toBeNull();
    const unreadable = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----';
    const others = await testNetwork([`https://127.0.0.1:${port}`], undefined, { shopFile: unreadable });
    expect(others[0]?.fault?.step).toBe('certificate');
  });

  test('is missing, because another program answers without HTTPS', async () => {
    expect(await testOne(`https://127.0.0.1:${await listenOn(createHttp(health))}`)).toMatchObject({
      step: 'certificate',
      detail: expect.stringMatching(/does not answer by HTTPS .* another port with --port/),
    });
  });

  test('never comes, because another program stays silent', async () => {
    const server = createTcp((socket) => void socket.on('error', () => {}));
    expect(await testOne(`https://127.0.0.1:${await listenOn(server)}`, { stepTimeoutMs: 50 })).toMatchObject({
      step: 'certificate',
      detail: expect.stringContaining('not within 0.05 seconds'),
    });
  });

  test('comes with a TLS version that tills refuse', async () => {
    const { cert, key } = makeCertificate({ issuer: authority });
    const server = createTls({ cert, key, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
    expect((await testOne(`https://127.0.0.1:${await listenOn(server)}`))?.step).toBe('certificate');
  });
});

test('the address is not in the certificate', async () => {
  expect(await testOne(`https://127.0.0.1:${await serve({ hosts: ['10.0.0.1', 'counterfoil.local'] })}`)).toEqual({
    step: 'name',
    detail:
      'The address 127.0.0.1 is not in the certificate, which has: 10.0.0.1, counterfoil.local. Let tills use one of these, or restart the gateway for a new certificate.',
  });
});

describe('the time', () => {
  const at = async (parts: CertificateParts, now?: number) =>
    testOne(`https://127.0.0.1:${await serve(parts)}`, now === undefined ? {} : { now: () => now });

  test('is after the end of the certificate', async () => {
    expect(await at({ until: new Date(Date.now() - DAY_MS), from: new Date(Date.now() - 2 * DAY_MS) })).toMatchObject({
      step: 'time',
      detail: expect.stringMatching(
        /The certificate ended at .*Z\. The clock of this machine shows .*Z\. If the clock is right, restart the gateway/,
      ),
    });
  });

  test('is before the begin of the certificate', async () => {
    expect(await at({ from: new Date(Date.now() + DAY_MS) })).toMatchObject({
      step: 'time',
      detail: expect.stringMatching(/The certificate begins at .* Set the clock\.$/),
    });
  });

  test('is before this program was built', async () => {
    expect(await at({}, 0)).toEqual({
      step: 'time',
      detail: 'The clock of this machine shows 1970-01-01 00:00Z, before this program was built. Set the clock.',
    });
  });

  test('is after the end of the authority', async () => {
    const old = makeCertificate({ name: 'Old authority', hosts: [], until: new Date(Date.now() - DAY_MS) });
    const port = await serve({ issuer: old });
    expect(await testOne(`https://127.0.0.1:${port}`, {}, old.cert)).toMatchObject({
      step: 'time',
      detail: expect.stringContaining('The authority of the certificate is not valid'),
    });
  });
});

describe('the answer', () => {
  const ask = async (answer: RequestListener, stepTimeoutMs = 3000) =>
    testOne(`https://127.0.0.1:${await serve({}, answer)}`, { stepTimeoutMs });

  test.each<[string, RequestListener]>([
    ['has another status', (_request, response) => void response.writeHead(404).end('{"status":"ok"}')],
    ['has another body', (_request, response) => void response.end('<h1>It works!</h1>')],
  ])('%s', async (_what, answer) => {
    expect(await ask(answer)).toMatchObject({
      step: 'answer',
      detail: expect.stringMatching(/does not answer as a gateway does \(status \d+\)\. Perhaps another program/),
    });
  });

  test.each<[string, RequestListener, number]>([
    ['never comes', () => {}, 50],
    ['is cut off', (request) => void request.socket.destroy(), 3000],
    ['never ends', (_request, response) => void response.write('{'), 50],
    ['is far too long', (_request, response) => void response.end('x'.repeat(1e6)), 3000],
  ])('%s', async (_what, answer, stepTimeoutMs) => {
    expect(await ask(answer, stepTimeoutMs)).toMatchObject({
      step: 'answer',
      detail: expect.stringContaining('accepts connections, but gives no answer'),
    });
  });

  test('refuses HTTP', async () => {
    const port = await listenOn(
      createHttp((_request, response) => void response.writeHead(400).end('{"code":"https_required"}')),
    );
    expect(await testOne(`http://127.0.0.1:${port}`)).toMatchObject({
      step: 'answer',
      detail: expect.stringContaining('Give tills an address with https'),
    });
  });
});
