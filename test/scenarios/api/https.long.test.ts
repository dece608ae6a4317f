// HTTPS on the API listener: accepted and refused connections, and a certificate that is replaced while tills work.
// connections.long.test.ts checks that limits and time-outs are the same as over HTTP.

import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { connect as connectPlainly, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { Agent, Client } from 'undici';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import type { ErrorCode } from '../../../server/contract/codes.ts';
import { anyNumber } from '../../support/api/matchers.ts';
import { expectProblem, PATHS, refusalsOf } from '../../support/api/refusal-table.ts';
import { makeCertificate, type TestCertificate, writeCertificate } from '../../support/certificate.ts';
import { bodyOf, call, postBody } from '../../support/http-call.ts';
import { cardOf, changeNetwork } from '../../support/network.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { openRawConnection, rawCall } from '../../support/raw-call.ts';

const certificate = makeCertificate();
const gateway = await openTestGateway({}, certificate, { readInterfaces: () => ({ lan: cardOf('127.0.0.2') }) });
await changeNetwork(gateway, { isOpen: true });
afterAll(() => gateway.close());
/** The gateway treats 127.0.0.2 as an address of the network. */
const networkUrl = gateway.apiUrl.replace('127.0.0.1', '127.0.0.2');
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';

/** Opens a TLS connection. Rejects if the handshake fails. */
async function connectTo(url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ...options });
  onTestFinished(() => void socket.destroy());
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  return socket;
}

/** Opens a TCP connection and sends nothing. */
async function connectSilently(url: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connectPlainly({ host, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}); // the gateway may reset the connection
  await once(socket, 'connect');
  return socket.resume();
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

/** The first message that a till sends in TLS 1.2. */
function clientHello(servername?: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({ read() {}, write: (bytes: Buffer) => resolve(bytes) });
    connect({ socket: wire, maxVersion: 'TLSv1.2', ...(servername !== undefined && { servername }) });
  });
}

test('a till that trusts the certificate gets the same answers as over HTTP, in /docs too', async () => {
  expect(gateway.apiUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const dispatcher = new Agent({ connect: { ca: certificate.cert } });
  onTestFinished(() => dispatcher.close());
  const answer = await call(`${gateway.apiUrl}${PATHS[0]}`, {
    method: 'POST',
    headers: { token: gateway.test.secret, 'content-type': 'application/json' },
    body: bodyOf(),
    dispatcher,
  });
  expect(answer).toMatchObject({ status: 201 });
  expect((await call(`${gateway.apiUrl}/docs`, { dispatcher })).text).toContain('curl https://');
});

test('the chain in the file is sent, so that a till that trusts only its root connects', async () => {
  const root = makeCertificate({ name: 'Root', hosts: [] });
  const middle = makeCertificate({ name: 'Middle', hosts: [], issuer: root });
  const leaf = makeCertificate({ name: 'Shop', issuer: middle });
  const chained = await openTestGateway({}, { ...leaf, cert: leaf.cert + middle.cert });
  onTestFinished(() => chained.close());
  const socket = await connectTo(chained.apiUrl, { ca: root.cert, rejectUnauthorized: true });
  expect(socket.authorized).toBe(true);
});

test('a gateway with an expired certificate starts and accepts records', async () => {
  const until = new Date(Date.now() - 1000);
  const expired = await openTestGateway({}, makeCertificate({ from: new Date(0), until }));
  onTestFinished(() => expired.close());
  expect((await postBody(expired.apiUrl, expired.test.secret, bodyOf())).status).toBe(201);
});

test('the metrics say when the certificate expires, only if there is one', async () => {
  const name = 'counterfoil_tls_certificate_expires_at_seconds';
  const until = new Date('2031-05-06T07:08:09Z');
  const secure = await openTestGateway({}, makeCertificate({ until }));
  const plain = await openTestGateway();
  onTestFinished(async () => void (await Promise.all([secure.close(), plain.close()])));
  const read = async ({ consoleUrl }: TestGateway): Promise<string> => (await call(`${consoleUrl}/metrics`)).text;
  expect(await read(secure)).toMatch(new RegExp(`^${name} ${until.getTime() / 1000}$`, 'm'));
  expect(await read(plain)).not.toContain(name);
});

describe('TLS', () => {
  test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s is accepted', async (version) => {
    const socket = await connectTo(gateway.apiUrl, { minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    socket.write(HEALTH);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['http/1.0 alone', ['http/1.0'], 'http/1.0'],
    ['http/1.1 alone', ['http/1.1'], 'http/1.1'],
    ['both', ['http/1.0', 'http/1.1'], 'http/1.1'],
    ['http/1.0 after a newer version', ['h2', 'http/1.0'], 'http/1.0'],
  ])('a till that offers %s by ALPN gets that protocol', async (_name, offered, chosen) => {
    const socket = await connectTo(gateway.apiUrl, { ALPNProtocols: offered });
    expect(socket.alpnProtocol).toBe(chosen);
    const body = bodyOf();
    const head = [`POST ${PATHS[0]} HTTP/1.0`, `token: ${gateway.test.secret}`, 'Content-Type: application/json'];
    socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 201 /);
  });

  test('a till that offers only unsupported protocols is refused', async () => {
    await expect(connectTo(gateway.apiUrl, { ALPNProtocols: ['h2'] })).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
    });
  });

  test.each(['TLSv1', 'TLSv1.1'] as const)('%s is refused, and the refusal log says why', async (version) => {
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const { log } = await refusalsOf(gateway, () =>
      expect(connectTo(gateway.apiUrl, old)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' }),
    );
    expect(log).toMatchObject([{ detail: 'The TLS handshake failed: the till does not support TLS 1.2 or newer.' }]);
  });
});

describe('a connection that does not become secure is closed and logged', () => {
  const noted = (code: ErrorCode, detail: string) => ({
    id: anyNumber,
    at: anyNumber,
    address: '127.0.0.1',
    keyId: null,
    label: null,
    calls: 1,
    method: '',
    path: '',
    code,
    detail,
    excerpt: '',
    faults: [],
  });

  /** Sends these parts and returns all bytes that the gateway sends until it closes the connection. */
  async function talk(...said: (string | Buffer)[]): Promise<Buffer> {
    const socket = await connectSilently(networkUrl);
    const heard: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => void heard.push(bytes));
    for (const bytes of said) {
      socket.write(bytes);
      if (bytes !== said.at(-1)) await once(socket, 'data');
    }
    await closed(socket);
    return Buffer.concat(heard);
  }

  test.each([
    [42, 'certificate_untrusted', 'the till does not trust the certificate'],
    [43, 'certificate_untrusted', 'the till does not trust the certificate'],
    [44, 'certificate_untrusted', 'the till does not trust the certificate'],
    [
      45,
      'certificate_untrusted',
      "the till says that the certificate has expired; check its date and the till's clock",
    ],
    [46, 'certificate_untrusted', 'the till does not trust the certificate'],
    [48, 'certificate_untrusted', 'the till does not trust the certificate'],
    [40, 'handshake_failed', 'the till and the gateway support no common encryption'],
    [70, 'handshake_failed', 'the till does not support TLS 1.2 or newer'],
  ] as const)('with the reason of the till in words: alert %i', async (alert, code, why) => {
    const hello = await clientHello();
    const { answer, log } = await refusalsOf(gateway, () =>
      talk(hello, Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, alert])),
    );
    expect(log).toEqual([noted(code, `The TLS handshake failed: ${why}.`)]);
    expect(answer.includes('HTTP/')).toBe(false);
  });

  describe('by a name that is not in the certificate', () => {
    const wrongName = noted(
      'name_not_certified',
      'The till called the name old.local, which is not in the certificate. Enter an address at the till that is in it.',
    );
    const call = (more: ConnectionOptions) => connectTo(gateway.apiUrl, { servername: 'old.local', ...more });

    test.each(['TLSv1.2', 'TLSv1.3'] as const)(
      'if the till checks the name after the handshake: %s',
      async (maxVersion) => {
        const { log } = await refusalsOf(gateway, () =>
          expect(call({ ca: certificate.cert, rejectUnauthorized: true, maxVersion })).rejects.toMatchObject({
            code: 'ERR_TLS_CERT_ALTNAME_INVALID',
          }),
        );
        expect(log).toEqual([wrongName]);
      },
    );

    test('if the till refuses the certificate during the handshake', async () => {
      const hello = await clientHello('old.local');
      const alert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 42]);
      const { log } = await refusalsOf(gateway, () => talk(hello, alert));
      expect(log).toEqual([wrongName]);
    });

    test('but not if the till does not mind, and calls', async () => {
      const { log } = await refusalsOf(gateway, async () => {
        const till = await call({});
        till.write('DELETE /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
        till.resume();
        await closed(till);
      });
      expect(log).toMatchObject([{ code: 'not_found' }]);
    });
  });

  test('if there is no cipher in common', async () => {
    const { log } = await refusalsOf(gateway, () =>
      expect(
        connectTo(gateway.apiUrl, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }),
      ).rejects.toMatchObject({ code: expect.stringMatching(/ALERT_HANDSHAKE_FAILURE$/) }),
    );
    expect(log).toEqual([
      noted('handshake_failed', 'The TLS handshake failed: the till and the gateway support no common encryption.'),
    ]);
  });

  test.each([
    ['a greeting', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['much', 'x'.repeat(70_000)],
    ['zeros', '\0'.repeat(100)],
  ])('if it speaks another protocol: %s', async (_name, said) => {
    const { answer, log } = await refusalsOf(gateway, () => talk(said));
    expect(log).toEqual([
      noted('handshake_failed', 'The TLS handshake failed: the till sent something other than TLS.'),
    ]);
    expect(answer.includes('HTTP/')).toBe(false);
  });

  test.each([
    HEALTH,
    `POST ${PATHS[0]} HTTP/1.1\r\nHost: a\r\ntoken: t\r\nContent-Length: 2\r\n\r\n{}`,
    'PUT / HTTP/1.1\r\n',
    'HEAD / HTTP/1.0\r\n\r\n',
  ])('if it speaks HTTP, with an answer that it can read: %j', async (said) => {
    const plainUrl = networkUrl.replace('https:', 'http:');
    const { answer, log } = await refusalsOf(gateway, () => rawCall(plainUrl, said));
    expectProblem(answer!, { status: 400, code: 'https_required', contains: ['https://'] }); // `!`: expectProblem fails without an answer
    expect(log).toEqual([
      noted('https_required', 'This port speaks HTTPS: the address must begin with https://, not http://.'),
    ]);
  });

  test('if it speaks HTTP and then stays open', async () => {
    const plain = await openRawConnection(networkUrl.replace('https:', 'http:'));
    onTestFinished(() => plain.destroy());
    await refusalsOf(gateway, async () => plain.send(HEALTH));
    expect(await plain.rest()).toHaveLength(1);
    await plain.closed;
  });

  test('but not logged if it closes without sending anything, as a port check does', async () => {
    for (const said of ['', (await clientHello()).subarray(0, 20)]) {
      const socket = await connectSilently(gateway.apiUrl);
      if (said !== '') socket.write(said);
      socket.end();
      await closed(socket);
    }
    const { log } = await refusalsOf(gateway, () => call(`${gateway.apiUrl}/nowhere`, { method: 'DELETE' }));
    expect(log).toMatchObject([{ code: 'not_found' }]);
  });

  // This test is slow, because it waits for the gateway's time-out.
  test('if it is not secure in time, however much it sends', async () => {
    const hello = await clientHello();
    const stalls = [Buffer.alloc(0), hello.subarray(0, 3), hello.subarray(0, -1), hello];
    const { log } = await refusalsOf(
      gateway,
      () =>
        Promise.all([
          ...stalls.map(async (bytes) => {
            const socket = await connectSilently(gateway.apiUrl);
            if (bytes.length > 0) socket.write(bytes);
            await closed(socket);
          }),
          (async () => {
            const busy = await connectSilently(gateway.apiUrl);
            busy.write(hello.subarray(0, 10));
            const sending = setInterval(() => busy.write('\0'), 100);
            await closed(busy);
            clearInterval(sending);
          })(),
        ]),
      stalls.length + 1,
    );
    const late = {
      code: 'request_timeout',
      address: '127.0.0.1',
      detail: expect.stringContaining('handshake took too long'),
    };
    expect(log).toMatchObject(Array(stalls.length + 1).fill(late));
  });
});

// This test is slow, because it waits for a time-out of the gateway.
test('a call that stops half-way is 408 and its connection closed, as over HTTP', async () => {
  const head = `POST ${PATHS[0]} HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nContent-Type: application/json\r\n`;
  const answers = await Promise.all(
    [head, `${head}Content-Length: 9\r\n\r\n{`].map(async (said) => {
      const till = await openRawConnection(gateway.apiUrl);
      onTestFinished(() => till.destroy());
      till.send(said);
      return till.rest();
    }),
  );
  expect(answers.map((each) => each.map(({ status }) => status))).toEqual([[408], [408]]);
});

test('garbage in the middle of a secure connection closes that connection and disturbs no other', async () => {
  for (const next of [
    '',
    HEALTH.slice(0, -5),
    `${HEALTH}POST ${PATHS[0]} HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n`,
  ]) {
    const carrier = await connectSilently(gateway.apiUrl);
    const secure = connect({ socket: carrier, rejectUnauthorized: false });
    secure.on('error', () => {}); // the gateway may close this connection with an error
    secure.write(HEALTH);
    await once(secure, 'data');
    secure.resume().write(next);
    carrier.write('this is not encrypted');
    await closed(carrier);
  }
  expect((await postBody(gateway.apiUrl, gateway.test.secret, bodyOf())).status).toBe(201);
});

test('connections that are not secure yet count, and are closed first for a new till', async () => {
  const small = await openTestGateway({ connectionsPerAddress: 3 }, certificate);
  onTestFinished(() => small.close());
  const till = await openRawConnection(small.apiUrl);
  onTestFinished(() => till.destroy());
  const ask = async (): Promise<number | undefined> => {
    till.send(HEALTH);
    return (await till.next())?.status;
  };
  const hello = await clientHello();
  const stuck: Socket[] = [];
  for (let i = 0; i < 10; i++) {
    expect(await ask()).toBe(200);
    const socket = await connectSilently(small.apiUrl);
    if (i % 2 === 0) socket.write(hello);
    stuck.push(socket);
  }
  await Promise.all(stuck.slice(0, -2).map(closed));
  expect(await ask()).toBe(200);
  expect((await postBody(small.apiUrl, small.test.secret, bodyOf())).status).toBe(201);
});

test('a gateway that closes ends connections that are not secure yet first, and finishes the calls in progress', async () => {
  const closing = await openTestGateway({}, certificate);
  const till = await openRawConnection(closing.apiUrl);
  const body = bodyOf();
  till.send(
    `POST ${PATHS[0]} HTTP/1.1\r\nHost: a\r\ntoken: ${closing.test.secret}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  expect((await till.next())?.status).toBe(100);
  const halfWay = await connectSilently(closing.apiUrl);
  halfWay.write((await clientHello()).subarray(0, 50));

  const end = closing.close();
  await closed(halfWay);
  till.send(body);
  expect((await till.rest()).map(({ status }) => status)).toEqual([201]);
  await end;
});

describe('a certificate that is replaced under load', () => {
  /** The certificate that the gateway shows on a new connection. */
  async function presented(url: string): Promise<string> {
    const socket = await connectTo(url);
    const fingerprint = socket.getPeerX509Certificate()?.toString() ?? '';
    socket.destroy();
    return fingerprint;
  }

  test('interrupts no call and no connection, and new connections get it', async () => {
    // The gateway polls the files every second. Fake timers let the test control this.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const busy = await openTestGateway({}, certificate);
    onTestFinished(async () => {
      vi.useRealTimers();
      await busy.close();
    });
    const { dataDir, apiUrl } = busy;
    const load = openLoad(busy);

    const isPresented = async ({ cert }: TestCertificate): Promise<void> => {
      while ((await presented(apiUrl)) !== cert) vi.advanceTimersByTime(1000);
    };
    let before = certificate;
    for (let i = 0; i < 12; i++) {
      const next = makeCertificate();
      const answered = load.answered();
      if (i % 3 === 0) writeCertificate(dataDir, next);
      else if (i % 3 === 1) replaceByRenaming(dataDir, next);
      else {
        // Only the certificate is replaced at first: by a truncated file, then by a whole certificate that does not match the
        // key. The gateway must use neither.
        for (const [cert, key] of [
          [next.cert.slice(0, 200), before.key],
          [next.cert, before.key],
        ] as const) {
          writeCertificate(dataDir, { cert, key });
          for (let look = 0; look < 10; look++) {
            vi.advanceTimersByTime(1000);
            expect(await presented(apiUrl)).toBe(before.cert);
          }
        }
        writeCertificate(dataDir, next);
      }
      await isPresented(next);
      await load.reach(answered + 100);
      before = next;
    }

    const { statuses, connections, posted } = await load.stop();
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(connections).toEqual(connections.map(() => 1));
    expect(await busy.countRecords()).toEqual({ NEW: posted, IGNORED: 0, ERROR: 0 });
    expect(await busy.store.health.check()).toMatchObject({ records: posted, damagedRecords: [], countFaults: [] });
  });

  /**
   * Runs four tills that keep their connection, and two that open a connection for each call. They post until they are stopped.
   */
  function openLoad({ apiUrl, test: { secret } }: TestGateway) {
    const statuses: number[] = [];
    const connections: number[] = [];
    let isStopped = false;
    async function post(client: Client): Promise<void> {
      const answer = await client.request({
        method: 'POST',
        path: PATHS[0]!, // `!`: the array has two elements
        headers: { token: secret, 'content-type': 'application/json' },
        body: bodyOf(),
      });
      await answer.body.dump();
      statuses.push(answer.statusCode);
    }
    const open = (): Client => new Client(apiUrl, { connect: { rejectUnauthorized: false }, allowH2: false });
    async function keepPosting(): Promise<void> {
      const client = open();
      const till = connections.push(0) - 1;
      client.on('connect', () => (connections[till] = (connections[till] ?? 0) + 1));
      while (!isStopped) await post(client);
      await client.close();
    }
    async function postAnew(): Promise<void> {
      while (!isStopped) {
        const client = open();
        await post(client);
        await client.close();
      }
    }
    const tills = Promise.all([...Array.from({ length: 4 }, keepPosting), postAnew(), postAnew()]);
    return {
      answered: () => statuses.length,
      async reach(count: number) {
        while (statuses.length < count) await Promise.race([new Promise((resolve) => setImmediate(resolve)), tills]);
      },
      async stop() {
        isStopped = true;
        await tills;
        return { statuses, connections, posted: statuses.length };
      },
    };
  }

  function replaceByRenaming(folder: string, { cert, key }: TestCertificate): void {
    for (const [name, content] of [
      ['tls.key', key],
      ['tls.crt', cert],
    ] as const) {
      writeFileSync(`${folder}/${name}.new`, content);
      renameSync(`${folder}/${name}.new`, `${folder}/${name}`);
    }
  }
});
