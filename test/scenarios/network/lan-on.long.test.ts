// `lan on` in a shop with two machines. The till trusts only the authority, which it downloads. It uses only the addresses that
// `lan status` prints.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { type GatewayProcess, openSite, type Site } from '../../support/gateway-process.ts';
import { bodyOf } from '../../support/http-call.ts';
import { type LanHost, openLan, whyNoLan } from '../../support/namespaces.ts';
import { waitUntil } from '../../support/wait-until.ts';

const lanStatus = z.object({
  addresses: z.array(z.string()),
  names: z.array(z.string()),
  authority: z.object({ fingerprint: z.string(), file: z.string() }),
  certificate: z.object({ names: z.array(z.string()), fingerprint: z.string() }),
  announcement: z.object({ state: z.string(), name: z.string().optional() }),
  tills_at_old_address: z.array(z.object({ till: z.string(), address: z.string() })),
});

type LanStatus = z.infer<typeof lanStatus>;

describe.skipIf(whyNoLan !== undefined)(`lan on${whyNoLan === undefined ? '' : ` (not run: ${whyNoLan})`}`, () => {
  describe('opens the gateway to another machine:', () => {
    let open: Shop & { readonly status: LanStatus };
    const closings: (() => Promise<void>)[] = [];
    beforeAll(async () => {
      const shop = await openShop((close) => void closings.unshift(close));
      open = { ...shop, status: await openNetwork(shop.site) };
    });
    afterAll(async () => {
      for (const close of closings) await close();
    });

    test('a till trusts the downloaded authority and sends by every printed address', async () => {
      const { shop, till, site, status } = open;
      const { key } = await site.createKey('Till 1');
      const authority = await download(till, site, status.addresses);

      expect(new X509Certificate(readFileSync(authority)).fingerprint256).toBe(status.authority.fingerprint);
      expect(status.addresses.map((address) => new URL(address).hostname)).toEqual(
        expect.arrayContaining([shop.ipv4, `[${shop.ipv6}]`]),
      );
      for (const address of status.addresses.filter((each) => !each.includes('.local')))
        expect(await send(till, authority, address, key), address).toBe('201');
    });

    test('openssl accepts the certificate by its strict rules, and refuses it for another host', async () => {
      const { shop, till, site, gateway, status } = open;
      const authority = await download(till, site, status.addresses);
      const verify = async (host: string): Promise<string> => {
        const { stdout, stderr } = await till.run('openssl', [
          's_client',
          '-connect',
          `${shop.ipv4}:${gateway.port}`,
          '-CAfile',
          authority,
          '-x509_strict',
          '-verify_ip',
          host,
          '-verify_return_error',
          '-brief',
        ]);
        return stdout + stderr;
      };

      expect(await verify(shop.ipv4)).toContain('Verification: OK');
      expect(await verify('10.77.0.99')).toContain('IP address mismatch');
    });

    test('a till that does not trust the authority refuses the gateway', async () => {
      const { code } = await open.till.run('curl', ['-sS', `${open.status.addresses[0]}/healthz`]);
      expect(code).toBe(60);
    });

    test('from another machine, HTTP answers only with the authority', async () => {
      const { till, status } = open;
      const plain = status.addresses[0]?.replace('https:', 'http:');
      const statusOf = async (path: string): Promise<string> =>
        (await till.run('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', `${plain}${path}`])).stdout;

      expect(await statusOf('/ca.pem')).toBe('200');
      expect(await statusOf('/ca.der')).toBe('200');
      expect(Number(await statusOf('/healthz'))).toBeGreaterThanOrEqual(400);
      expect(Number(await statusOf('/v1/raw_transactions'))).toBeGreaterThanOrEqual(400);
    });
  });

  test('lan off closes the gateway to other machines and keeps its own', async () => {
    const { shop, till, site, gateway } = await openShop();
    const { addresses } = await openNetwork(site);
    await site.runJson('lan', 'off');

    expect((await till.run('curl', ['-sSk', `${addresses[0]}/healthz`])).code).toBe(7);
    expect((await shop.run('curl', ['-sS', `http://127.0.0.1:${gateway.port}/healthz`])).code).toBe(0);
  });

  test('after a change of address, the till sends to the new one with the same authority', async () => {
    const { shop, till, site } = await openShop();
    const before = await openNetwork(site);
    const { key } = await site.createKey('Till 1');
    const authority = await download(till, site, before.addresses);
    expect(await send(till, authority, before.addresses[0] ?? '', key)).toBe('201');

    shop.addAddress('10.77.0.50/24');
    shop.removeAddress(`${shop.ipv4}/24`);

    const after = await waitForStatus(site, (status) => status.tills_at_old_address.length > 0);
    expect(after.addresses.join()).toContain('//10.77.0.50:');
    expect(after.addresses.join()).not.toContain(`//${shop.ipv4}:`);
    expect(after.tills_at_old_address).toEqual([{ till: 'Till 1', address: before.addresses[0] }]);
    const [address = ''] = after.addresses.filter((each) => each.includes('10.77.0.50'));
    expect(await send(till, authority, address, key)).toBe('201');
  });

  test('a certificate that is renewed while a till sends costs no call', async () => {
    const { shop, till, site } = await openShop();
    const before = await openNetwork(site);
    const { key } = await site.createKey('Till 1');
    const authority = await download(till, site, before.addresses);
    const [address = ''] = before.addresses;
    // The load: ten senders that keep their connection, and one that opens a new connection for each call. Each pauses for
    // 10 ms after a call, so that the machine is not busy with the load alone.
    const load = `
      const { Agent, request } = require('node:https');
      const ca = require('node:fs').readFileSync(process.argv[1]);
      const kept = new Agent({ keepAlive: true, maxSockets: 10, ca });
      const results = {};
      let isOver = false, n = 0;
      process.stdin.resume().on('end', () => (isOver = true));
      const send = (agent) => new Promise((done) => {
        const body = JSON.stringify({ type: 'sale', external_id: 'load-' + ++n, timestamp: '2026-11-20T10:00:00Z', object: {} });
        const headers = { token: process.argv[3], 'content-type': 'application/json', 'content-length': body.length };
        const call = request(process.argv[2] + '/v1/raw_transactions', { method: 'POST', agent, ca, headers }, (answer) => {
          answer.resume().on('end', () => done(answer.statusCode));
        });
        call.on('error', (error) => done(error.code)).end(body);
      });
      const run = async (agent) => {
        while (!isOver) {
          const r = await send(agent);
          results[r] = (results[r] ?? 0) + 1;
          await new Promise((next) => setTimeout(next, 10));
        }
      };
      console.log('running');
      Promise.all([...Array(10).fill(kept), false].map(run)).then(() => { console.log(JSON.stringify(results)); kept.destroy(); });`;
    const child = till.start(process.execPath, ['-e', load, authority, address, key]);
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part));
    await waitUntil(() => printed.includes('running'));

    // Each change of the addresses makes a new certificate.
    for (const extra of ['10.77.0.61', '10.77.0.62', '10.77.0.63']) {
      shop.addAddress(`${extra}/24`);
      await waitForStatus(site, ({ certificate }) => certificate.names.includes(extra));
    }
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));

    const results = JSON.parse(printed.split('\n')[1] ?? '') as Record<string, number>;
    expect(Object.keys(results)).toEqual(['201']);
    expect((await readStatus(site)).certificate.fingerprint).not.toBe(before.certificate.fingerprint);
  });

  test('the announced name leads a till to the gateway, and the certificate contains it', async () => {
    const { shop, till, site, gateway } = await openShop();
    await site.runJson('lan', 'on', '--announce');
    const status = await waitForStatus(site, ({ certificate }) => certificate.names.includes('counterfoil.local'));
    expect(status.announcement).toEqual({ state: 'on', name: 'counterfoil.local' });
    const authority = await download(till, site, status.addresses);
    // curl does not use mDNS, so the test gives it the address.
    const at = `counterfoil.local:${gateway.port}:${shop.ipv4}`;
    const { stdout } = await till.run('curl', [
      '-sS',
      '--cacert',
      authority,
      '--resolve',
      at,
      `https://counterfoil.local:${gateway.port}/healthz`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'ok' });
  });
});

interface Shop {
  readonly shop: LanHost;
  readonly till: LanHost;
  readonly site: Site;
  readonly gateway: GatewayProcess;
}

/** A running gateway on one host, closed to the other host. */
async function openShop(whenDone: (close: () => Promise<void>) => void = onTestFinished): Promise<Shop> {
  const lan = await openLan(2);
  whenDone(() => lan.close());
  const [shop, till] = lan.hosts as [LanHost, LanHost];
  const site = await openSite(undefined, {}, shop.enter);
  whenDone(() => site.close());
  return { shop, till, site, gateway: await site.startGateway() };
}

async function openNetwork(site: Site) {
  await site.runJson('lan', 'on');
  return readStatus(site);
}

async function readStatus(site: Site) {
  return lanStatus.parse(await site.runJson('lan', 'status'));
}

async function waitForStatus(site: Site, isReached: (status: LanStatus) => boolean): Promise<LanStatus> {
  return waitUntil(async () => {
    const status = await readStatus(site);
    return isReached(status) ? status : undefined;
  }, 500);
}

/** Downloads the authority over HTTP, like a till that trusts no authority yet. Returns the file. */
async function download(till: LanHost, site: Site, [address = '']: readonly string[]): Promise<string> {
  const file = join(dirname(site.dataDir), 'downloaded.pem');
  const { code, stderr } = await till.run('curl', ['-sSfo', file, `${address.replace('https:', 'http:')}/ca.pem`]);
  expect([code, stderr]).toEqual([0, '']);
  return file;
}

/** Posts a sale and returns the status of the answer. */
async function send(till: LanHost, authority: string, address: string, key: string): Promise<string> {
  const { stdout, stderr } = await till.run('curl', [
    '-sS',
    '--globoff',
    '--cacert',
    authority,
    '--json',
    bodyOf(),
    '--header',
    `token: ${key}`,
    '--output',
    '/dev/null',
    '--write-out',
    '%{http_code}',
    `${address}/v1/raw_transactions`,
  ]);
  return stderr === '' ? stdout : stderr;
}
