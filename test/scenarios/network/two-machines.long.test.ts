// A till on another machine calls by address, by name, by customer host and by path. The till's host uses only curl, Node and
// Python, as a real till would.

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { makeCertificate, writeCertificate } from '../../support/certificate.ts';
import { type GatewayProcess, openSite, type Site } from '../../support/gateway-process.ts';
import { bodyOf } from '../../support/http-call.ts';
import { type Lan, type LanHost, openLan, whyNoLan } from '../../support/namespaces.ts';

const NAME = 'gateway.shop.test';
/** The tills trust only the certificate of this authority. */
const authority = makeCertificate({ name: 'Authority', hosts: [] });
const CUSTOMER_HOST = 'bakery.1207.tills.shop.test';

describe.skipIf(whyNoLan !== undefined)(
  `two machines${whyNoLan === undefined ? '' : ` (not run: ${whyNoLan})`}`,
  () => {
    let lan: Lan;
    let shop: LanHost;
    let till: LanHost;
    let other: LanHost;
    let site: Site;
    let gateway: GatewayProcess;
    let key: string;
    let trusted: string;

    beforeAll(async () => {
      lan = await openLan(3);
      [shop, till, other] = lan.hosts as [LanHost, LanHost, LanHost];
      site = await openSite(undefined, {}, shop.enter);
      ({ key } = await site.createKey('Till 1'));
      await site.run(
        'administrations',
        'set',
        '--administration',
        'Bakery',
        '--resources',
        'transaction',
        '--customer-name',
        'bakery',
        '--customer-id',
        '1207',
      );
      const hosts = [shop.ipv4, shop.ipv6, NAME, `dev-plem.${CUSTOMER_HOST}`, '127.0.0.1', 'localhost'];
      const folder = dirname(site.dataDir);
      const { certificate, key: secret } = writeCertificate(folder, makeCertificate({ hosts, issuer: authority }));
      trusted = join(folder, 'authority.pem');
      writeFileSync(trusted, authority.cert);
      gateway = await site.startGateway(
        0,
        '--host',
        '::',
        '--base-domain',
        'tills.shop.test',
        '--tls-certificate',
        certificate,
        '--tls-key',
        secret,
      );
      till.setNames({ [NAME]: shop.ipv4, [`dev-plem.${CUSTOMER_HOST}`]: shop.ipv4, 'not-in-it.shop.test': shop.ipv4 });
    });
    afterAll(async () => {
      await site?.close();
      await lan?.close();
    });

    test.each([
      ['by its IPv4 address', () => shop.ipv4],
      ['by its IPv6 address', () => `[${shop.ipv6}]`],
      ['by its name', () => NAME],
    ])('a till reaches the gateway %s', async (_how, host) => {
      expect(await send(`https://${host()}:${gateway.port}/v1/raw_transactions`)).toMatchObject({
        status: 201,
        error: '',
      });
    });

    test.each([
      ['by the customer host', () => `dev-plem.${CUSTOMER_HOST}`, '/v1/transaction'],
      ['by the path', () => shop.ipv4, '/c/dev-plem/bakery/1207/v1/transaction'],
    ])('a till of the earlier interface reaches the gateway %s', async (_how, host, path) => {
      const body = JSON.stringify({ transactionid: path, timestamp: '2026-11-20T10:00:00Z', amount: 10 });
      const answer = await curl(
        '--json',
        body,
        '--header',
        `Authorization: Bearer ${key}`,
        `https://${host()}:${gateway.port}${path}`,
      );
      expect(answer).toMatchObject({ status: 200, error: '' });
    });

    test('a till in Node and one in Python reach the gateway by its name', async () => {
      const url = `https://${NAME}:${gateway.port}/healthz`;
      const node = `fetch('${url}').then(async (a) => console.log(a.status))`;
      const python = `import ssl, urllib.request as u
print(u.urlopen('${url}', context=ssl.create_default_context(cafile='${trusted}')).status)`;

      const results = await Promise.all([
        till.run(process.execPath, ['-e', node], { NODE_EXTRA_CA_CERTS: trusted }),
        till.run('/usr/bin/python3', ['-c', python]),
      ]);

      expect(results.map(({ stdout, stderr }) => stdout.trim() || stderr)).toEqual(['200', '200']);
    });

    test('the gateway still serves its own machine', async () => {
      const { stdout } = await shop.run('curl', [
        '-sS',
        '--cacert',
        trusted,
        `https://localhost:${gateway.port}/healthz`,
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'ok' });
    });

    test('a till refuses a name that is not in the certificate', async () => {
      const { error } = await curl(`https://not-in-it.shop.test:${gateway.port}/healthz`);
      expect(error).toMatch(/no alternative certificate subject name matches/);
    });

    test('TLS 1.1 is refused, and the refusal log says why', async () => {
      const { code, error } = await curl(
        '--tls-max',
        '1.1',
        '--ciphers',
        'DEFAULT@SECLEVEL=0',
        `https://${NAME}:${gateway.port}/healthz`,
      );

      expect(code).toBe(35);
      expect(error).toMatch(/alert protocol version/);
      await expect.poll(async () => JSON.stringify(await site.runJson('refusals'))).toContain('TLS 1.2 or newer');
    });

    test.each(['1.2', '1.3'])('TLS %s is accepted', async (version) => {
      const url = `https://${NAME}:${gateway.port}/healthz`;
      expect(await curl(`--tlsv${version}`, '--tls-max', version, url)).toMatchObject({ status: 200 });
    });

    test('a till refuses a machine that shows the stolen certificate of another host', async () => {
      const thief = await openSite(undefined, {}, other.enter);
      onTestFinished(() => thief.close());
      const stolen = makeCertificate({ hosts: ['10.77.0.99', 'office-pc.shop.test'], issuer: authority });
      const files = writeCertificate(dirname(thief.dataDir), stolen);
      const impostor = await thief.startGateway(
        0,
        '--host',
        '::',
        '--tls-certificate',
        files.certificate,
        '--tls-key',
        files.key,
      );
      const url = `https://${NAME}:${impostor.port}/healthz`;

      const [misled, direct] = await Promise.all([
        curl('--connect-to', `${NAME}:${impostor.port}:${other.ipv4}:${impostor.port}`, url),
        curl(
          '--connect-to',
          `office-pc.shop.test:${impostor.port}:${other.ipv4}:${impostor.port}`,
          url.replace(NAME, 'office-pc.shop.test'),
        ),
      ]);

      expect(misled).toMatchObject({
        status: 0,
        error: expect.stringMatching(/no alternative certificate subject name/),
      });
      expect(direct).toMatchObject({ status: 200 }); // this call succeeds, so only the name was wrong before
    });

    test('a till on a wrong port of the right machine is refused at once', async () => {
      expect(await curl(`https://${NAME}:1/healthz`)).toMatchObject({ code: 7, status: 0 });
    });

    interface CurlResult {
      readonly code: number | null;
      readonly status: number;
      readonly error: string;
    }

    /** Calls from the till's host, which trusts only the authority. */
    async function curl(...args: string[]): Promise<CurlResult> {
      const always = ['--silent', '--show-error', '--cacert', trusted, '--write-out', '\n%{http_code}'];
      const { code, stdout, stderr } = await till.run('curl', [...always, ...args]);
      return { code, status: Number(stdout.split('\n').at(-1)), error: stderr };
    }

    async function send(url: string): Promise<CurlResult> {
      return curl('--json', bodyOf(), '--header', `token: ${key}`, url);
    }
  },
);
