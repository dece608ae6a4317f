// Who may read the metrics besides this machine. Other callers must see the same answers as without these settings.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { Config } from '../../../server/config.ts';
import { openMetricsAccess } from '../../../server/http/metrics-access.ts';
import { makeCertificate, type TestCertificate } from '../../support/certificate.ts';
import { type Answer, call } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const TOKEN = 'a-token-that-nobody-guesses';

function tokenFile(content = `${TOKEN}\n`): string {
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, content);
  return file;
}

async function openGateway(config: Partial<Config>, certificate?: TestCertificate): Promise<TestGateway> {
  const gateway = await openTestGateway(config, certificate);
  onTestFinished(() => gateway.close());
  return gateway;
}

/** Reads the metrics at the port for tills, from an address of this machine. */
async function read({ apiUrl }: TestGateway, token?: string, localAddress = '127.0.0.1'): Promise<Answer> {
  const dispatcher = new Agent({ localAddress, connect: { rejectUnauthorized: false } });
  onTestFinished(() => dispatcher.destroy());
  const headers = { authorization: token === undefined ? undefined : `Bearer ${token}` };
  return call(`${apiUrl}/metrics`, { headers, dispatcher });
}

const METRICS = /^counterfoil_store_taking 1$/m;

describe('at the port for tills', () => {
  test('without the settings, nobody can read the metrics', async () => {
    const gateway = await openGateway({});
    expect((await read(gateway)).json()).toMatchObject({ status: 404, code: 'not_found' });
    expect((await read(gateway, TOKEN)).text).not.toMatch(METRICS);
  });

  test('a program with the token can read them, and others get the answers of an unknown path', async () => {
    const gateway = await openGateway({ metricsTokenFile: tokenFile() });
    const allowed = await read(gateway, TOKEN);
    expect([allowed.status, allowed.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain;/)]);
    expect(allowed.text).toMatch(METRICS);
    const without = await openGateway({});
    for (const token of [undefined, '', `${TOKEN}x`, TOKEN.slice(1)]) {
      const [one, other] = [await read(gateway, token), await read(without, token)];
      expect([one.status, one.json()['code']]).toEqual([other.status, other.json()['code']]);
      expect(one.text).not.toMatch(METRICS);
    }
  });

  test('two headers with the token are refused', async () => {
    const gateway = await openGateway({ metricsTokenFile: tokenFile() });
    const authorization = [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`];
    expect((await call(`${gateway.apiUrl}/metrics`, { headers: { authorization } })).text).not.toMatch(METRICS);
  });

  test('a machine in the list can read them, and another cannot', async ({ skip }) => {
    if (process.platform !== 'linux') return skip('not run: only Linux has 127.0.0.2 without being set up');
    const gateway = await openGateway({ metricsFrom: '127.0.0.2, 127.0.1.0/24,::1' });
    expect((await read(gateway, undefined, '127.0.0.2')).text).toMatch(METRICS);
    expect((await read(gateway, undefined, '127.0.1.9')).text).toMatch(METRICS);
    expect((await read(gateway, undefined, '127.0.0.3')).json()).toMatchObject({ code: 'not_found' });
  });

  test('with a list and a token, both are needed', async ({ skip }) => {
    if (process.platform !== 'linux') return skip('not run: only Linux has 127.0.0.2 without being set up');
    const gateway = await openGateway({ metricsFrom: '127.0.0.2', metricsTokenFile: tokenFile() });
    expect((await read(gateway, TOKEN, '127.0.0.2')).text).toMatch(METRICS);
    expect((await read(gateway, undefined, '127.0.0.2')).status).toBe(404);
    expect((await read(gateway, TOKEN, '127.0.0.3')).text).not.toMatch(METRICS);
  });

  test('by HTTPS too', async ({ skip }) => {
    if (process.platform !== 'linux') return skip('not run: only Linux has 127.0.0.2 without being set up');
    const gateway = await openGateway({ metricsFrom: '127.0.0.2' }, makeCertificate());
    expect(gateway.apiUrl).toMatch(/^https:/);
    expect((await read(gateway, undefined, '127.0.0.2')).text).toMatch(METRICS);
    expect((await read(gateway, undefined, '127.0.0.3')).status).toBe(404);
  });

  test('only a GET reads them', async () => {
    const gateway = await openGateway({ metricsTokenFile: tokenFile() });
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await call(`${gateway.apiUrl}/metrics`, { method, headers: { authorization: `Bearer ${TOKEN}` } });
      expect(answer.text).not.toMatch(METRICS);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
  });
});

test('on the console’s port, this machine still needs no token', async () => {
  const gateway = await openGateway({ metricsTokenFile: tokenFile() });
  expect((await call(`${gateway.consoleUrl}/metrics`)).text).toMatch(METRICS);
});

describe('which addresses a list contains', () => {
  const asks = (metricsFrom: string, remoteAddress: string): boolean =>
    openMetricsAccess({ metricsFrom })({
      socket: { remoteAddress } as never,
      headersDistinct: { host: ['127.0.0.1'] },
    });

  test.each([
    ['10.0.0.5', '10.0.0.5', true],
    ['10.0.0.5', '::ffff:10.0.0.5', true],
    ['10.0.0.5', '10.0.0.6', false],
    ['10.0.0.0/24', '10.0.0.255', true],
    ['10.0.0.0/24', '10.0.1.0', false],
    ['0.0.0.0/0', '203.0.113.7', true],
    ['0.0.0.0/0', 'fd00::1', false],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', '10.0.0.5', false],
    ['10.0.0.5', '', false],
  ])('%s and %s: %s', (list, address, isAllowed) => {
    expect(asks(list, address)).toBe(isAllowed);
  });
});

describe('without a token, a call must name this machine', () => {
  const asks = (host: readonly string[] | undefined, token?: string): boolean =>
    openMetricsAccess(
      { metricsFrom: '10.0.0.5', ...(token !== undefined && { metricsTokenFile: tokenFile(token) }) },
      (name) => name === 'till-box.local',
    )({
      socket: { remoteAddress: '10.0.0.5' } as never,
      headersDistinct: { host: host as string[], authorization: [`Bearer ${TOKEN}`] },
    });

  test.each([
    [['192.168.1.10:7410'], true],
    [['[fd00::1]:7410'], true],
    [['localhost'], true],
    [['Till-Box.local:7410'], true],
    [['rebound.example:7410'], false],
    [['192.168.1.10.rebound.example'], false],
    [['192.168.1.10:7410', '192.168.1.10:7410'], false],
    [[''], false],
    [undefined, false],
  ])('%s: %s', (host, isAllowed) => {
    expect(asks(host)).toBe(isAllowed);
  });

  test('with a token, the name does not matter, because a page of another site does not know the token', () => {
    expect(asks(['store-1.example:7410'], TOKEN)).toBe(true);
  });
});

describe('a token that cannot be used ends the start with what to do', () => {
  test.each([
    ['a missing file', () => '/nowhere/token', /cannot be read \(ENOENT\)/],
    ['an empty file', () => tokenFile(''), /one token of at least 16/],
    ['a short token', () => tokenFile('short'), /one token of at least 16/],
    ['two tokens', () => tokenFile(`${TOKEN} ${TOKEN}`), /one token of at least 16/],
  ])('%s', (_, makeFile, says) => {
    const open = () => openMetricsAccess({ metricsTokenFile: makeFile() });
    expect(open).toThrow(says);
    expect(open).not.toThrow(TOKEN);
  });
});
