// An idle or slow connection never harms another connection. A revoked key is refused even on connections that were open
// before.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import type { Config } from '../../../server/config.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { expectProblem, PATHS } from '../../support/api/refusal-table.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { bodyOf, postBody, rangeParameters } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { openRawConnection, type RawConnection } from '../../support/raw-call.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';

async function connect(gateway: TestGateway, localAddress?: string): Promise<RawConnection> {
  const connection = await openRawConnection(gateway.apiUrl, localAddress);
  onTestFinished(() => connection.destroy());
  return connection;
}

async function ask(connection: RawConnection, call = HEALTH): Promise<number | undefined> {
  connection.send(call);
  return (await connection.next())?.status;
}

describe.each(['http', 'https'])('over %s,', (protocol) => {
  const certificate = protocol === 'https' ? makeCertificate() : undefined;
  const open = (config?: Partial<Config>): Promise<TestGateway> => openTestGateway(config, certificate);

  async function openGatewayForTest(config: Partial<Config>): Promise<TestGateway> {
    const gateway = await open(config);
    onTestFinished(() => gateway.close());
    return gateway;
  }

  describe('an address that exceeds its connection limit', () => {
    test('loses its least recently used connection; the others and the new one work', async () => {
      const gateway = await openGatewayForTest({ connectionsPerAddress: 3 });
      const [a, b, c] = [await connect(gateway), await connect(gateway), await connect(gateway)];
      for (const connection of [a, b, c, a]) expect(await ask(connection)).toBe(200);
      const d = await connect(gateway);
      await b.closed;
      expect(await b.next()).toBeUndefined();
      for (const connection of [a, c, d]) expect(await ask(connection)).toBe(200);
    });

    test('loses a never-used connection before a used one', async () => {
      const gateway = await openGatewayForTest({ connectionsPerAddress: 2 });
      const [used, silent] = [await connect(gateway), await connect(gateway)];
      expect(await ask(used)).toBe(200);
      const newest = await connect(gateway);
      await silent.closed;
      for (const connection of [used, newest]) expect(await ask(connection)).toBe(200);
    });

    test('keeps a connection whose call had a key', async () => {
      const gateway = await openGatewayForTest({ connectionsPerAddress: 2 });
      const till = await connect(gateway);
      till.send(
        `GET ${PATHS[0]} HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nConnection: keep-alive\r\n\r\n`,
      );
      expect((await till.next())?.status).toBe(400);
      const refused = await connect(gateway);
      refused.send(`GET ${PATHS[0]} HTTP/1.1\r\nHost: a\r\ntoken: test_unknown\r\n\r\n`);
      expect((await refused.next())?.status).toBe(401);
      for (let i = 0; i < 3; i++) await ask(await connect(gateway));
      await refused.closed;
      expect(await ask(till)).toBe(200);
    });

    test('loses a stuck sender; a new till still connects', async () => {
      const gateway = await openGatewayForTest({ connectionsPerAddress: 2 });
      const stuck = await connect(gateway);
      stuck.send(
        `POST ${PATHS[0]} HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
      const second = await connect(gateway);
      expect(await ask(second)).toBe(200);
      const newTill = await connect(gateway);
      await stuck.closed;
      for (const connection of [second, newTill]) expect(await ask(connection)).toBe(200);
      expect(await gateway.countRecords()).toMatchObject({ NEW: 0 });
    });

    test('a call with Expect: 100-continue counts as use, like any other', async () => {
      const gateway = await openGatewayForTest({ connectionsPerAddress: 2 });
      const [expecting, idle] = [await connect(gateway), await connect(gateway)];
      for (const connection of [expecting, idle]) expect(await ask(connection)).toBe(200);
      const body = bodyOf();
      expecting.send(
        `POST ${PATHS[0]} HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      expect((await expecting.next())?.status).toBe(100);
      expecting.send(body);
      expect((await expecting.next())?.status).toBe(201);
      const newest = await connect(gateway);
      await Promise.race([idle.closed, expecting.closed]);
      expect(await ask(expecting)).toBe(200);
      expect(await ask(newest)).toBe(200);
    });

    test('200 idle connections do not block a new till', async () => {
      const gateway = await openGatewayForTest({ connectionsPerAddress: 20 });
      for (let i = 0; i < 200; i++) await connect(gateway);
      const till = await connect(gateway);
      for (let i = 0; i < 3; i++) expect(await ask(till)).toBe(200);
      expect((await postBody(gateway.apiUrl, gateway.test.secret, bodyOf())).status).toBe(201);
    });

    // Only on Linux do all addresses 127.x.y.z belong to this machine.
    test.skipIf(process.platform !== 'linux')('another address keeps all of its connections', async () => {
      const gateway = await openGatewayForTest({ connectionsPerAddress: 2 });
      const others = [await connect(gateway, '127.0.0.2'), await connect(gateway, '127.0.0.2')];
      for (let i = 0; i < 10; i++) await connect(gateway, '127.0.0.3');
      for (const connection of others) expect(await ask(connection)).toBe(200);
    });

    test('a closed connection frees its place: no other connection is closed', async () => {
      const gateway = await openGatewayForTest({ connectionsPerAddress: 2 });
      const kept = await connect(gateway);
      expect(await ask(kept)).toBe(200);
      for (let i = 0; i < 10; i++) {
        const passing = await connect(gateway);
        expect(await ask(passing, HEALTH.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).toBe(200);
        await passing.closed;
        expect(await ask(kept)).toBe(200);
      }
    });
  });

  describe('a slow sender', async () => {
    const gateway = await open();
    afterAll(() => gateway.close());

    test.each(PATHS)(
      'is answered in the end, even at one byte at a time, and every call of another till is answered meanwhile (%s)',
      async (path) => {
        const slow = await connect(gateway);
        const fast = await connect(gateway);
        const postOf = (text: string): string =>
          `POST ${path} HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
        for (const byte of postOf(bodyOf())) {
          slow.send(byte);
          expect(await ask(fast, postOf(bodyOf()))).toBe(201);
        }
        expect((await slow.next())?.status).toBe(201);
      },
    );

    test('fifty half-sent calls at once do not delay other calls', async () => {
      const stalled = await Promise.all(Array.from({ length: 50 }, () => connect(gateway)));
      for (const [i, connection] of stalled.entries()) {
        connection.send(
          `POST ${PATHS[0]} HTTP/1.1\r\nHost: a\r\n${i % 2 === 0 ? '' : `token: ${gateway.test.secret}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`}`,
        );
      }
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => postBody(gateway.apiUrl, gateway.test.secret, bodyOf())),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    });

    test('a till that never reads its answers does not delay others', async () => {
      const deaf = await connect(gateway);
      const key = await gateway.makeKey({ administration: 'Deaf' });
      // Each answer is 40 kB. Two hundred answers exceed the buffers between gateway and till.
      const posts = Array.from({ length: 500 }, (_, i) => bodyOf({ external_id: `deaf-${i}` }));
      await Promise.all(posts.map((body) => postBody(gateway.apiUrl, key.secret, body)));
      deaf.send(
        `GET ${PATHS[0]}?${rangeParameters({ expand: 'raw_transactions' })} HTTP/1.1\r\nHost: a\r\ntoken: ${key.secret}\r\n\r\n`.repeat(
          200,
        ),
      );
      for (let i = 0; i < 20; i++)
        expect((await postBody(gateway.apiUrl, gateway.test.secret, bodyOf())).status).toBe(201);
    });
  });

  test('a connection with a thousand pending calls is closed, and others continue', async () => {
    const gateway = await open();
    onTestFinished(() => gateway.close());
    const flood = await openRawConnection(gateway.apiUrl);
    const call = `GET ${PATHS[0]}?${rangeParameters()} HTTP/1.1\r\nHost: a\r\ntoken: ${gateway.test.secret}\r\n\r\n`;
    flood.send(call.repeat(1000));
    expect((await flood.rest()).length).toBeLessThan(1000);
    expect((await postBody(gateway.apiUrl, gateway.test.secret, bodyOf())).status).toBe(201);
  });

  describe('a sender that closes its side', async () => {
    const gateway = await open();
    afterAll(() => gateway.close());
    const { secret } = gateway.test;
    const head = (more: string): string => `POST ${PATHS[0]} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    const keyed = `token: ${secret}\r\nContent-Type: application/json\r\n`;
    const good = (): string => {
      const text = bodyOf();
      return `${head(`${keyed}Content-Length: ${text.length}\r\n`)}${text}`;
    };

    test.each<[string, () => string, number[], number[]?]>([
      ['nothing', () => '', []],
      ['a health check', () => HEALTH, [200]],
      ['a record', good, [201]],
      ['three records', () => good() + good() + good(), [201, 201, 201]],
      ['a query', () => `GET ${PATHS[0]}?${rangeParameters()} HTTP/1.1\r\nHost: a\r\ntoken: ${secret}\r\n\r\n`, [200]],
      ['a record and garbage', () => `${good()}garbage\r\n\r\n`, [201]],
      ['half a head', () => head(keyed).slice(0, -20), [400]],
      ['a record and half a head', () => good() + head(keyed).slice(0, -20), [201], [201, 400]],
      ['half a body', () => good().slice(0, -5), [400]],
      ['a record and half a body', () => good() + good().slice(0, -5), [201, 400]],
      ['half a body that was refused already', () => `${head('Content-Length: 100\r\n')}{`, [401]],
      [
        'half a body, with Expect: 100-continue',
        () => head(`${keyed}Content-Length: 100\r\nExpect: 100-continue\r\n`),
        [100, 400],
      ],
      ['a refused expectation', () => head('Content-Length: 100\r\nExpect: more\r\n'), [417]],
    ])(
      'after %s gets its answers, and then the gateway closes its own side',
      async (_name, calls, statuses, orStatuses = statuses) => {
        const connection = await connect(gateway);
        connection.send(calls());
        connection.end();
        expect([statuses, orStatuses]).toContainEqual((await connection.rest()).map(({ status }) => status));
        await connection.closed;
      },
    );
  });

  describe('a key revoked while connections are open', async () => {
    const gateway = await open();
    afterAll(() => gateway.close());
    const postWith = (secret: string): string => {
      const text = bodyOf();
      return `POST ${PATHS[0]} HTTP/1.1\r\nHost: a\r\ntoken: ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    };
    const getWith = (secret: string): string =>
      `GET ${PATHS[1]}?${rangeParameters()} HTTP/1.1\r\nHost: a\r\ntoken: ${secret}\r\n\r\n`;

    test('is refused on the next call of each of 64 kept-alive connections, and nothing of it is stored', async () => {
      const key = await gateway.makeKey({ label: 'Stolen till' });
      const connections = await Promise.all(Array.from({ length: 64 }, () => connect(gateway)));
      await Promise.all(
        connections.map(async (connection) => expect(await ask(connection, postWith(key.secret))).toBe(201)),
      );
      await gateway.store.setup.revokeKey(key.id, 'test');
      const before = await gateway.countRecords();
      await Promise.all(
        connections.map(async (connection, i) => {
          connection.send(i % 2 === 0 ? postWith(key.secret) : getWith(key.secret));
          const answer = await connection.next();
          expectProblem(answer!, { status: 401, code: 'key_revoked' }); // `!`: expectProblem fails without an answer
        }),
      );
      expect(await gateway.countRecords()).toEqual(before);
      expect(await ask(connections[0]!, postWith(gateway.test.secret)), 'the connection itself is as good as any').toBe(
        201,
      ); // `!`: the array has 64 elements
    });

    test('is refused on an open connection when another process revoked it', async () => {
      const key = await gateway.makeKey({ label: 'Lost till' });
      const connection = await connect(gateway);
      expect(await ask(connection, postWith(key.secret))).toBe(201);
      const command = await openStore({ dataDir: gateway.dataDir, role: 'command' });
      await command.setup.revokeKey(key.id, 'test');
      await command.close();
      await expect.poll(() => ask(connection, getWith(key.secret))).toBe(401);
      expect(await ask(connection, postWith(key.secret))).toBe(401);
    });
  });
});
