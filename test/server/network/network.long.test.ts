// The network of a running gateway: people open and close it without a restart. 127.0.0.2 and 127.0.0.3 stand in for addresses
// of a network. Only Linux has them without set-up.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { Agent, fetch } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { type Clock, machineClock } from '../../../server/lib/clock.ts';
import type { Interfaces } from '../../../server/lib/own-address.ts';
import { digestPassword } from '../../../server/lib/password.ts';
import { readNetworkFile, writeNetworkFile } from '../../../server/network/network-file.ts';
import { expectProblem, refusalsOf } from '../../support/api/refusal-table.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { openGivenNetwork } from '../../support/console-network.ts';
import { addUser, enter, PASSWORD, signIn } from '../../support/console.ts';
import { bodyOf, call, postBody } from '../../support/http-call.ts';
import { findFreeUdpPort } from '../../support/mdns.ts';
import { networkView } from '../../support/network-view.ts';
import { cardOf, changeNetwork } from '../../support/network.ts';
import { openTestGateway, type TestGateway, type TestSurroundings } from '../../support/open-gateway.ts';
import { openRawConnection, type RawConnection, rawCall } from '../../support/raw-call.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

async function open(
  interfaces: Interfaces = { lan: cardOf('127.0.0.2') },
  config: Parameters<typeof openTestGateway>[0] = {},
  more: TestSurroundings = {},
): Promise<TestGateway> {
  const gateway = await openTestGateway(config, undefined, { readInterfaces: () => interfaces, ...more });
  onTestFinished(() => gateway.close());
  return gateway;
}

const portOf = ({ network }: TestGateway): number => Number(new URL(network.view().localAddress).port);

/** Posts a sale as a till that trusts only this authority. */
async function postTrusting(url: string, secret: string, ca: string): Promise<number> {
  const dispatcher = new Agent({ connect: { ca } });
  onTestFinished(() => dispatcher.close());
  const headers = { token: secret, 'content-type': 'application/json' };
  const answer = await call(`${url}/v1/raw_transactions`, { method: 'POST', headers, body: bodyOf(), dispatcher });
  return answer.status;
}

/** Calls as a program that trusts only this authority. */
async function healthTrusting(url: string, ca: string, servername?: string): Promise<number> {
  const dispatcher = new Agent({ connect: { ca, ...(servername !== undefined && { servername }) } });
  onTestFinished(() => dispatcher.close());
  return (await call(`${url}/healthz`, { dispatcher })).status;
}

function hasIPv6(): boolean {
  return networkInterfaces()['lo']?.some(({ address }) => address === '::1') === true;
}

describe.runIf(process.platform === 'linux')('the network is opened while the gateway runs', () => {
  test('a till that trusts only the authority posts over HTTPS, and this machine over both', async () => {
    const gateway = await open();
    const port = portOf(gateway);
    expect(gateway.network.view()).toMatchObject({ addresses: [], certificate: null, authority: null });
    expect(gateway.apiUrl).toBe(`http://127.0.0.1:${port}`);
    const view = await changeNetwork(gateway, { isOpen: true });
    expect(view.addresses).toEqual([`https://127.0.0.2:${port}`]);
    expect(view).toMatchObject({ localAddress: `http://127.0.0.1:${port}`, failures: [], fixedBy: [] });
    expect(gateway.network.apiUrl()).toBe(`https://127.0.0.2:${port}`);
    const ca = (await call(`http://127.0.0.2:${port}/ca.pem`)).text;
    expect(ca).toBe(readFileSync(view.authority?.file ?? '', 'utf8'));
    expect(await postTrusting(`https://127.0.0.2:${port}`, gateway.test.secret, ca)).toBe(201);
    for (const scheme of ['http', 'https'])
      expect((await postBody(`${scheme}://127.0.0.1:${port}`, gateway.test.secret, bodyOf())).status).toBe(201);
  });

  test('over HTTP another machine gets the authority, and nothing else on the same connection', async () => {
    const gateway = await open();
    const plain = `http://127.0.0.2:${portOf(gateway)}`;
    await changeNetwork(gateway, { isOpen: true });
    for (const path of ['/ca.pem', '/ca.der']) expect((await call(`${plain}${path}`)).status).toBe(200);
    const body = bodyOf();
    const post = `POST /v1/raw_transactions HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (const first of ['', 'GET /ca.pem HTTP/1.1\r\nHost: a\r\n\r\n']) {
      const { answer, log } = await refusalsOf(gateway, async () => {
        const till = await openRawConnection(plain);
        onTestFinished(() => till.destroy());
        till.send(first);
        if (first !== '') expect((await till.next())?.status).toBe(200);
        till.send(post);
        return till.next();
      });
      expectProblem(answer!, { status: 400, code: 'https_required', contains: ['https://'] }); // `!`: expectProblem fails without an answer
      expect(log).toMatchObject([{ code: 'https_required', keyId: null, path: '', excerpt: '' }]);
    }
    expect(await gateway.countRecords()).toMatchObject({ NEW: 0 });
  });

  test('plain HTTP from other machines is a choice that applies at once, also to open connections', async () => {
    const gateway = await open();
    const plain = `http://127.0.0.2:${portOf(gateway)}`;
    await changeNetwork(gateway, { isOpen: true, allowsPlainHttp: true });
    expect((await postBody(plain, gateway.test.secret, bodyOf())).status).toBe(201);
    const till = await openRawConnection(plain);
    onTestFinished(() => till.destroy());
    till.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await till.next())?.status).toBe(200);
    await changeNetwork(gateway, { allowsPlainHttp: false });
    till.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await till.next())?.status).toBe(400);
    expect((await postBody(plain, gateway.test.secret, bodyOf())).status).toBe(400);
  });

  test('closed again, it refuses connections, ends idle ones and finishes the call in progress', async () => {
    const gateway = await open();
    const port = portOf(gateway);
    await changeNetwork(gateway, { isOpen: true, allowsPlainHttp: true });
    const [idle, busy] = [
      await openRawConnection(`http://127.0.0.2:${port}`),
      await openRawConnection(`http://127.0.0.2:${port}`),
    ];
    const body = bodyOf();
    idle.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.next();
    busy.send(
      `POST /v1/raw_transactions HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    expect((await busy.next())?.status).toBe(100);
    const view = await changeNetwork(gateway, { isOpen: false });
    expect(view.addresses).toEqual([]);
    await idle.closed;
    busy.send(body);
    expect((await busy.rest()).map(({ status }) => status)).toEqual([201]);
    await expect(openRawConnection(`http://127.0.0.2:${port}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect((await postBody(`http://127.0.0.1:${port}`, gateway.test.secret, bodyOf())).status).toBe(201);
  });

  test('it is closed also if the settings could not be read at first', async () => {
    const after: Clock['after'] = (ms, use) => machineClock.after(Math.min(ms, 100), use);
    const gateway = await open(undefined, {}, { clock: { ...machineClock, after } });
    await changeNetwork(gateway, { isOpen: true });
    const { settings } = gateway.store.network;
    let failures = 0;
    Object.assign(gateway.store.network, {
      async settings() {
        if (failures > 0) return settings();
        failures += 1;
        throw new Error('the disk failed');
      },
    });
    await gateway.store.network.change({ isOpen: false }, 'Ann');
    await expect.poll(() => gateway.network.view().addresses).toEqual([]);
    expect(failures).toBe(1);
  });

  test('a stop succeeds even if network.json cannot be removed', async () => {
    const gateway = await openTestGateway({}, undefined, { readInterfaces: () => ({ lan: cardOf('127.0.0.2') }) });
    const file = join(gateway.dataDir, 'network.json');
    rmSync(file);
    mkdirSync(file);
    await expect(gateway.close()).resolves.toBeUndefined();
  });

  test('closed again, it ends an idle connection over HTTPS and finishes the call in progress', async () => {
    const gateway = await open();
    const port = portOf(gateway);
    await changeNetwork(gateway, { isOpen: true });
    const connect = async (): Promise<RawConnection> => openRawConnection(`https://127.0.0.2:${port}`);
    const [silent, idle, busy] = [await connect(), await connect(), await connect()];
    const body = bodyOf();
    idle.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.next();
    busy.send(
      `POST /v1/raw_transactions HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    expect((await busy.next())?.status).toBe(100);
    await changeNetwork(gateway, { isOpen: false });
    await Promise.all([silent.closed, idle.closed]);
    busy.send(body);
    expect((await busy.rest()).map(({ status }) => status)).toEqual([201]);
  });

  test('closed again, and after a restart, this machine still uses HTTPS and gets the authority', async () => {
    const dataDir = temporaryFolder();
    let ca = '';
    for (const isOpen of [true, false, false]) {
      const gateway = await open(undefined, { dataDir });
      const port = portOf(gateway);
      if (isOpen) {
        await changeNetwork(gateway, { isOpen });
        ca = (await call(`http://127.0.0.1:${port}/ca.pem`)).text;
        await changeNetwork(gateway, { isOpen: false });
      }
      expect((await call(`http://127.0.0.1:${port}/ca.pem`)).text).toBe(ca);
      for (const host of ['localhost', '127.0.0.1'])
        expect(await healthTrusting(`https://${host}:${port}`, ca)).toBe(200);
      expect(gateway.network.view()).toMatchObject({ addresses: [], certificate: { source: 'own' } });
      await gateway.close();
    }
  });

  test('a closed gateway makes no authority', async () => {
    const gateway = await open();
    expect(await gateway.store.network.authorities()).toEqual([]);
    await gateway.store.network.change({ allowsPlainHttp: true }, 'Ann');
    await expect.poll(() => gateway.network.view().settings.allowsPlainHttp).toBe(true);
    expect(await gateway.store.network.authorities()).toEqual([]);
  });

  test('people choose the interfaces', async () => {
    const gateway = await open({ lan: cardOf('127.0.0.2'), docker0: cardOf('127.0.0.3'), guests: cardOf('127.0.0.4') });
    const port = portOf(gateway);
    const all = await changeNetwork(gateway, { isOpen: true });
    expect(all.addresses).toEqual([2, 4].map((last) => `https://127.0.0.${last}:${port}`));
    await expect(openRawConnection(`http://127.0.0.3:${port}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const containers = await changeNetwork(gateway, { interfaces: ['docker0'] });
    expect(containers.addresses).toEqual([`https://127.0.0.3:${port}`]);
    const some = await changeNetwork(gateway, { interfaces: ['guests'] });
    expect(some.addresses).toEqual([`https://127.0.0.4:${port}`]);
    expect(some.interfaces).toEqual([
      { name: 'lan', addresses: ['127.0.0.2'], isVirtual: false, isUsed: false },
      { name: 'guests', addresses: ['127.0.0.4'], isVirtual: false, isUsed: true },
      { name: 'docker0', addresses: ['127.0.0.3'], isVirtual: true, isUsed: false },
    ]);
  });

  test('a new address is opened and certified, and the tills of the old one are named until they call the new one', async () => {
    let interfaces: Interfaces = { lan: cardOf('127.0.0.2') };
    const gateway = await open(undefined, {}, { readInterfaces: () => interfaces });
    const port = portOf(gateway);
    const before = await changeNetwork(gateway, { isOpen: true });
    const ca = readFileSync(before.authority?.file ?? '', 'utf8');
    const { secret } = gateway.test;
    expect(await postTrusting(`https://127.0.0.2:${port}`, secret, ca)).toBe(201);
    interfaces = { lan: cardOf('127.0.0.3') };
    await expect
      .poll(() => gateway.network.view().addresses, { timeout: 10_000 })
      .toEqual([`https://127.0.0.3:${port}`]);
    // 127.0.0.2 is still a loopback address of this machine, so no till counts as using an old address.
    expect(await postTrusting(`https://127.0.0.3:${port}`, secret, ca)).toBe(201);
    await expect(openRawConnection(`http://127.0.0.2:${port}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const [key] = (await gateway.store.setup.listKeys()).filter(({ lastAddress }) => lastAddress !== null);
    expect(key).toMatchObject({ label: 'Counter under test', lastAddress: `https://127.0.0.3:${port}` });
  });

  test('a till that called by an address that is gone is named, until it calls another', async () => {
    let interfaces: Interfaces = { lan: cardOf('127.0.0.2') };
    const gateway = await open(undefined, {}, { readInterfaces: () => interfaces });
    const port = portOf(gateway);
    await changeNetwork(gateway, { isOpen: true, allowsPlainHttp: true });
    // 192.0.2.7 is in the list of this machine's addresses, but the machine cannot listen there
    interfaces = { lan: cardOf('127.0.0.2', '192.0.2.7') };
    await expect.poll(() => gateway.network.view().failures, { timeout: 10_000 }).not.toEqual([]);
    const post = async (host: string): Promise<void> => {
      const headers = { host, token: gateway.test.secret, 'content-type': 'application/json' };
      await call(`http://127.0.0.2:${port}/v1/raw_transactions`, { method: 'POST', headers, body: bodyOf() });
    };
    await post(`192.0.2.7:${port}`);
    await expect
      .poll(async () => (await gateway.store.setup.listKeys()).map(({ lastAddress }) => lastAddress))
      .toContain(`http://192.0.2.7:${port}`);
    interfaces = { lan: cardOf('127.0.0.2') };
    await expect
      .poll(() => gateway.network.view().tillsAtOldAddress, { timeout: 10_000 })
      .toMatchObject([{ till: 'Counter under test', administration: 'Bakery', address: `http://192.0.2.7:${port}` }]);
    await post(`127.0.0.2:${port}`);
    await expect.poll(() => gateway.network.view().tillsAtOldAddress, { timeout: 20_000 }).toEqual([]);
  });

  test('the limit of connections counts all addresses of a port together', async () => {
    const gateway = await open(undefined, { connectionsPerAddress: 2 });
    const port = portOf(gateway);
    await changeNetwork(gateway, { isOpen: true, allowsPlainHttp: true });
    const connect = async (host: string): Promise<RawConnection> => {
      const till = await openRawConnection(`http://${host}:${port}`, '127.0.0.1');
      till.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      expect((await till.next())?.status).toBe(200);
      return till;
    };
    const oldest = await connect('127.0.0.1');
    const others = [await connect('127.0.0.2'), await connect('127.0.0.2')];
    await oldest.closed;
    for (const till of others) till.destroy();
  });

  test('the name that is announced is in the certificate, and switching it off removes it', async () => {
    const mdnsPort = await findFreeUdpPort();
    // The announcement leaves out addresses that this machine does not have. So this test declares 127.0.0.1 as an address of
    // the network.
    const gateway = await open({ lan: cardOf('127.0.0.1') }, { host: '127.0.0.2' }, { mdnsPort });
    expect((await changeNetwork(gateway, { isOpen: true })).announcement).toEqual({ state: 'off' });
    await changeNetwork(gateway, { isAnnounced: true });
    const name = 'counterfoil.local';
    const port = portOf(gateway);
    await expect
      .poll(() => gateway.network.view(), { timeout: 10_000 })
      .toMatchObject({
        announcement: { state: 'on', name },
        names: expect.arrayContaining([name]),
        addresses: [`https://127.0.0.1:${port}`, `https://${name}:${port}`],
        certificate: { names: expect.arrayContaining([name]) },
      });
    await changeNetwork(gateway, { isAnnounced: false });
    await expect
      .poll(() => gateway.network.view())
      .toMatchObject({ announcement: { state: 'off' }, addresses: [`https://127.0.0.1:${port}`] });
    await expect.poll(() => gateway.network.view().certificate?.names).not.toContain(name);
  });

  test('a new customer gets host names in the certificate, in both modes', async () => {
    const gateway = await open(undefined, { baseDomain: 'tills.example.com' });
    await changeNetwork(gateway, { isOpen: true });
    const names = (): readonly string[] => gateway.network.view().certificate?.names ?? [];
    expect(names()).toContain('tills.example.com');
    const { store } = gateway;
    await store.setup.changeAdministration('Bakery', { customer: { name: 'bakery', id: '1207' } }, 'Ann');
    const host = 'bakery.1207.tills.example.com';
    await expect.poll(names).toEqual(expect.arrayContaining([host, `dev-plem.${host}`]));
    const ca = gateway.network.view().authority?.file ?? '';
    const url = `https://127.0.0.2:${portOf(gateway)}`;
    for (const servername of [host, `dev-plem.${host}`])
      expect(await healthTrusting(url, readFileSync(ca, 'utf8'), servername)).toBe(200);
  });

  test.runIf(hasIPv6())('IPv6 addresses are opened, certified and printed in brackets', async () => {
    const gateway = await open({ lan: cardOf('::1') });
    const port = portOf(gateway);
    const view = await changeNetwork(gateway, { isOpen: true });
    expect(view).toMatchObject({ addresses: [`https://[::1]:${port}`], failures: [] });
    const ca = readFileSync(view.authority?.file ?? '', 'utf8');
    expect(await postTrusting(`https://[::1]:${port}`, gateway.test.secret, ca)).toBe(201);
    expect((await call(`http://[::1]:${port}/ca.pem`)).text).toBe(ca);
    expect((await call(`http://[::1]:${port}/healthz`)).status).toBe(400);
    await changeNetwork(gateway, { isOpen: false });
    await expect(call(`http://[::1]:${port}/ca.pem`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('an address that another program uses is a failure, and the others are open', async () => {
    let interfaces: Interfaces = { lan: cardOf('127.0.0.2', '127.0.0.3') };
    const gateway = await open(undefined, {}, { readInterfaces: () => interfaces });
    const port = portOf(gateway);
    const other = createServer().listen(port, '127.0.0.3');
    onTestFinished(() => void other.close());
    const begun = Date.now();
    const view = await changeNetwork(gateway, { isOpen: true });
    expect(view.addresses).toEqual([`https://127.0.0.2:${port}`]);
    const detail = expect.stringContaining(`Another program uses port ${port} at 127.0.0.3.`);
    expect(view.failures).toEqual([{ kind: 'failed', address: '127.0.0.3', detail, since: expect.any(Number) }]);
    const since = view.failures[0]?.since;
    expect(since).toBeGreaterThanOrEqual(begun);
    interfaces = { lan: cardOf('127.0.0.2', '127.0.0.3', '127.0.0.4') };
    await expect.poll(() => gateway.network.view().addresses, { timeout: 10_000 }).toHaveLength(2);
    expect(gateway.network.view().failures).toMatchObject([{ since }]);
  });

  test('the answer to a change has the failures of the new settings, and none of the earlier ones', async () => {
    const gateway = await open({ lan: cardOf('127.0.0.2'), other: cardOf('127.0.0.3') });
    const port = portOf(gateway);
    const program = createServer().listen(port, '127.0.0.3');
    onTestFinished(() => void program.close());
    const manager = await enter(gateway);
    const change = async (body: unknown) => (await manager.send('PATCH', '/api/network', body)).json();
    expect(await change({ isOpen: true })).toMatchObject({
      addresses: [`https://127.0.0.2:${port}`],
      failures: [{ kind: 'failed', address: '127.0.0.3' }],
    });
    expect(await change({ interfaces: ['lan'] })).toMatchObject({ failures: [] });
  });

  test('the answer to a change waits for no person', async () => {
    const after: Clock['after'] = (ms, use) => machineClock.after(Math.min(ms, 100), use);
    const waitToListen = (): Promise<void> => new Promise(() => {});
    const gateway = await openTestGateway({}, undefined, {
      readInterfaces: () => ({ lan: cardOf('127.0.0.2') }),
      clock: { ...machineClock, after },
      waitToListen,
    });
    const manager = await enter(gateway);
    const answer = await manager.send('PATCH', '/api/network', { isOpen: true });
    expect(answer.json()).toMatchObject({ isApplying: true, failures: [] });
  });

  test('a call by an own name is noted with its key, and a foreign name is not', async () => {
    const gateway = await open();
    const { port } = new URL(gateway.apiUrl);
    const post = (host: string, secret: string): Promise<unknown> =>
      call(`http://127.0.0.1:${port}/v1/raw_transactions`, {
        method: 'POST',
        headers: { host, token: secret, 'content-type': 'application/json' },
        body: bodyOf(),
      });
    await post('Localhost:7', gateway.test.secret);
    await post('evil.example', gateway.production.secret);
    expect((await gateway.store.setup.listKeys()).map(({ lastAddress }) => lastAddress)).toEqual(
      expect.arrayContaining(['http://localhost:7', null]),
    );
  });

  test('commands read the state in a file that only this user may read, and that a stop removes', async () => {
    const gateway = await openTestGateway({}, undefined, { readInterfaces: () => ({ lan: cardOf('127.0.0.2') }) });
    const file = join(gateway.dataDir, 'network.json');
    const view = await changeNetwork(gateway, { isOpen: true });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(view);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await gateway.store.network.change({ isOpen: false }, 'Ann');
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"isOpen":false');
    await gateway.close();
    expect(existsSync(file)).toBe(false);
  });

  test('the firewall question comes once, before the first address in the network is opened', async () => {
    const answered = Promise.withResolvers<void>();
    let asked = 0;
    const waitToListen = (): Promise<void> => {
      asked += 1;
      return answered.promise;
    };
    const gateway = await open(undefined, {}, { waitToListen });
    const port = portOf(gateway);
    expect(asked).toBe(0);
    await gateway.store.network.change({ isOpen: true }, 'Ann');
    await expect.poll(() => asked).toBe(1);
    await expect(openRawConnection(`http://127.0.0.2:${port}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    answered.resolve();
    await expect.poll(() => gateway.network.view().addresses).toHaveLength(1);
    await changeNetwork(gateway, { isOpen: false });
    await changeNetwork(gateway, { isOpen: true });
    expect(asked).toBe(1);
  });

  test('a setting of the gateway decides, and the view names it', async () => {
    const gateway = await open(undefined, { host: '0.0.0.0' });
    const port = portOf(gateway);
    expect(gateway.network.view()).toMatchObject({ fixedBy: ['host'], addresses: [`https://127.0.0.2:${port}`] });
    await gateway.store.network.change({ isOpen: true, interfaces: [] }, 'Ann');
    await expect.poll(() => gateway.network.view().settings.isOpen).toBe(true);
    expect(gateway.network.view().addresses).toEqual([`https://127.0.0.2:${port}`]);
  });

  test('the shop’s own certificate takes precedence', async () => {
    const gateway = await openTestGateway({}, makeCertificate({ hosts: ['127.0.0.2'] }), {
      readInterfaces: () => ({ lan: cardOf('127.0.0.2') }),
    });
    onTestFinished(() => gateway.close());
    const view = await changeNetwork(gateway, { isOpen: true });
    expect(view).toMatchObject({ certificate: { source: 'files', names: ['127.0.0.2'] }, authority: null });
    expect((await call(`http://127.0.0.2:${portOf(gateway)}/ca.pem`)).status).toBe(404);
  });
});

describe.runIf(process.platform === 'linux')('the console in the network', () => {
  test('needs users, then answers over HTTPS there, and over HTTP on this machine only', async () => {
    const gateway = await open();
    const refused = await changeNetwork(gateway, { isOpen: true, isConsoleOpen: true });
    expect(refused.consoleAddresses).toEqual([]);
    expect(refused.failures).toMatchObject([{ detail: expect.stringContaining('users add') }]);
    const password = await digestPassword(PASSWORD);
    await gateway.store.people.add({ name: 'Ann', role: 'clerk', createdAt: Date.now(), password }, 'test');
    await expect.poll(() => gateway.network.view().consoleAddresses).toHaveLength(1);
    const { port } = new URL(gateway.localConsoleUrl);
    const url = `https://127.0.0.2:${port}`;
    expect(gateway.network.view()).toMatchObject({ consoleAddresses: [url], failures: [] });
    expect((await call(`${url}/api/entrance`)).json()).toMatchObject({ hasUsers: true });
    expect((await rawCall(`http://127.0.0.2:${port}`, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'))?.status).toBe(400);
    expect((await call(`${gateway.localConsoleUrl}/api/entrance`)).status).toBe(200);
    await gateway.store.people.remove('Ann', 'test', true);
    await expect.poll(() => gateway.network.view().consoleAddresses).toEqual([]);
  });

  test('closed again, it ends idle connections and live streams, and finishes the call in progress', async () => {
    const gateway = await open();
    await addUser(gateway, 'Ann', 'manager');
    await changeNetwork(gateway, { isOpen: true, isConsoleOpen: true });
    const [url = ''] = gateway.network.view().consoleAddresses;
    const window = await signIn({ consoleUrl: url }, 'Ann');
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    onTestFinished(() => dispatcher.destroy());
    const live = await fetch(window.url('/api/live'), { headers: { cookie: window.cookie }, dispatcher });
    const connect = async (): Promise<RawConnection> => openRawConnection(url);
    const [silent, idle, busy] = [await connect(), await connect(), await connect()];
    const body = JSON.stringify({ name: 'Ann', password: PASSWORD });
    idle.send('GET /api/entrance HTTP/1.1\r\nHost: 127.0.0.2\r\n\r\n');
    await idle.next();
    // The answer to the first call shows that the head of the second call has arrived.
    busy.send(
      `GET /api/entrance HTTP/1.1\r\nHost: a\r\n\r\nPOST /api/session HTTP/1.1\r\nHost: ${new URL(url).host}\r\nOrigin: ${url}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await busy.next();
    await changeNetwork(gateway, { isConsoleOpen: false });
    await Promise.all([silent.closed, idle.closed, expect(live.text()).rejects.toThrow('terminated')]);
    busy.send(body);
    expect((await busy.rest()).map(({ status }) => status)).toEqual([200]);
  });
});

test('a gateway that starts removes the network state of a killed one before commands could read it', async () => {
  let dataDir = '';
  let found: unknown;
  const gateway = await openTestGateway({}, undefined, {
    async prepare(folder) {
      dataDir = folder;
      writeNetworkFile(folder, networkView());
      return Promise.resolve();
    },
    async openConsoleNetwork(store) {
      found = readNetworkFile(dataDir);
      return openGivenNetwork(store);
    },
  });
  onTestFinished(() => gateway.close());
  expect(found).toBeUndefined();
  expect(readNetworkFile(dataDir)).toEqual(gateway.network.view());
});
