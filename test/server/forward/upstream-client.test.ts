// The client with real servers: it sends records byte for byte and classifies every failure of an upstream. Servers that break
// HTTP send scripted bytes on a socket.

import { getEventListeners, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

import { describe, expect, onTestFinished, test } from 'vitest';

import { OperatorError } from '../../../server/errors.ts';
import type { Answer } from '../../../server/forward/answer.ts';
import { prepareConnections } from '../../../server/forward/connection.ts';
import type { FindProxy } from '../../../server/forward/system-proxy.ts';
import { prepareUpstreamClients } from '../../../server/forward/upstream-client.ts';
import type { WaitingRecord } from '../../../server/store/outbox/ledger.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { bodyOf } from '../../support/http-call.ts';
import { openStandIn, type StandInOptions } from '../../support/upstream/stand-in.ts';

const TOKEN = 'prod_canary0123456789';
const NEVER = new AbortController().signal;

function openClient(settings: Partial<Parameters<typeof prepareConnections>[0]> = {}, findProxy?: FindProxy) {
  const connections = prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined, ...settings }, findProxy);
  const client = prepareUpstreamClients(connections)();
  onTestFinished(() => client.close());
  return client;
}

async function openUpstream(script = 'accept', more: StandInOptions = {}) {
  const standIn = await openStandIn({ script, ...more });
  onTestFinished(() => standIn.close());
  return standIn;
}

/** Opens a server that handles each connection with `serve` and counts the connections. */
async function openSocketServer(serve: (socket: Socket) => void): Promise<{ url: string; connections: () => number }> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  const url = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url, connections: () => connections };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The address of a port of this machine on which nothing listens. */
async function unusedUrl(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  server.close();
  await once(server, 'close');
  return url;
}

function writeFile(name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const VIA = 'AAAAAAAAAAAAAAAA';
const recordOf = (body: string | Buffer, more: Partial<WaitingRecord> = {}): WaitingRecord => ({
  recordId: 1,
  status: 'NEW',
  soldAt: 0,
  earlier: undefined,
  body: Buffer.from(body),
  ...more,
});
const earlierOf = (method: 'GET' | 'POST', body: string | Buffer): WaitingRecord =>
  recordOf(body, { earlier: { version: 'v1', resource: 'transaction', method } });

const post = (url: string, record = recordOf(bodyOf()), client = openClient()): Promise<Answer> =>
  client.send(record, { url, token: TOKEN, via: VIA }, NEVER);

describe('the request', () => {
  test.each<[name: string, body: string | Buffer]>([
    ['plain', bodyOf({ external_id: 'a' })],
    [
      'white space and order',
      ' {\r\n\t"timestamp" : "2026-11-20T10:00:00Z" , "object":{ } ,"external_id":"a","type":"sale" } \n',
    ],
    [
      'numbers beyond a float',
      bodyOf({ external_id: 'a', object: '{"a":1e400,"b":9196877626998785,"c":-0.0,"d":12.50}' }),
    ],
    ['members twice', bodyOf({ external_id: 'a', object: '{"a":1,"a":2}' })],
    [
      'four bytes in UTF-8, an escape, a combining mark',
      bodyOf({ external_id: 'a', object: '{"é":"🧾 \\ud83e\\uddfe e\\u0301"}' }),
    ],
    ['DEL and a byte order in the middle', bodyOf({ external_id: 'a', object: '{"x":"\u007f\ufeff\u2028"}' })],
    ['bytes that are not UTF-8', Buffer.from([0, 255, 254, 13, 10, 13, 10, 128])],
    ['empty', ''],
    ['1 MiB', bodyOf({ external_id: 'a', object: `{"x":"${'ä'.repeat(524_000)}"}` })],
  ])('has the record as its body, byte for byte: %s', async (_name, body) => {
    const upstream = await openUpstream();
    await post(upstream.url, recordOf(body));
    const [attempt] = upstream.attempts;
    expect(attempt?.bytes.equals(Buffer.from(body))).toBe(true);
    expect(attempt).toMatchObject({ method: 'POST', path: '/v1/raw_transactions' });
    expect(attempt?.headers).toMatchObject({
      token: TOKEN,
      'content-type': 'application/json',
      'content-length': String(Buffer.from(body).length),
    });
    expect(attempt?.headers).not.toHaveProperty('authorization');
    expect(attempt?.headers).not.toHaveProperty('counterfoil-status');
    expect(attempt?.headers).not.toHaveProperty('transfer-encoding');
  });

  test.each(['IGNORED', 'ERROR'] as const)('names the status of a record that is %s', async (status) => {
    const upstream = await openUpstream();
    await post(upstream.url, recordOf(bodyOf(), { status }));
    expect(upstream.attempts[0]?.headers).toMatchObject({ 'counterfoil-status': status });
  });

  test.each([recordOf(bodyOf()), earlierOf('POST', bodyOf()), earlierOf('GET', 'transactionid=7')])(
    'names the gateways that the record came through',
    async (record) => {
      const upstream = await openUpstream();
      const via = 'AAAAAAAAAAAAAAAA, BBBBBBBBBBBBBBBB';
      await openClient().send(record, { url: upstream.url, token: TOKEN, via }, NEVER);
      expect(upstream.attempts[0]?.headers).toMatchObject({ 'counterfoil-gateway': via });
    },
  );

  test.each([
    ['/', '/v1/raw_transactions'],
    ['', '/v1/raw_transactions'],
    ['/base', '/base/v1/raw_transactions'],
    ['/base/', '/base/v1/raw_transactions'],
    ['/a%20b', '/a%20b/v1/raw_transactions'],
  ])('is added to the base address %j', async (base, path) => {
    const upstream = await openUpstream();
    await post(upstream.url + base);
    expect(upstream.attempts[0]?.path).toBe(path);
  });

  test('of the earlier interface is a POST with a bearer token and the same body', async () => {
    const upstream = await openUpstream();
    const body = ' {"data": {"transactionid":"7", "amount":12.50}}';
    expect(await post(upstream.url, earlierOf('POST', body))).toMatchObject({ kind: 'answered', status: 200 });
    const [attempt] = upstream.attempts;
    expect(attempt).toMatchObject({ method: 'POST', path: '/v1/transaction', id: '7', taken: 'NEW' });
    expect(attempt?.bytes.toString()).toBe(body);
    expect(attempt?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' });
    expect(attempt?.headers).not.toHaveProperty('token');
  });

  test.each([
    'transactionid=7&amount=12.50&b=2&a=1&amount=3',
    'transactionid=7&name=it%27s+a%20caf%C3%A9&empty=&flag&=x&&',
    "transactionid=7&name=it's&list=[a|b]&open={x}&up=^&tick=`",
    'transactionid=7&q="quoted"<b>&back=\\',
    'transactionid=7&percent=%zz%&lower=%c3%a9&plus=1+1',
    'transactionid=7&again=a?b=c/d/../e',
    'transactionid=7&part=a#b',
    'transactionid=7&latin=caf\u00e9&utf8=caf\u00c3\u00a9',
  ])('of the earlier interface is a GET with the query exactly as received: %s', async (query) => {
    let line = '';
    const upstream = await openSocketServer((socket) => {
      socket.once('data', (bytes: Buffer) => {
        line = bytes.toString('latin1').split('\r\n', 1)[0] ?? '';
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
      });
    });
    await post(`${upstream.url}/c/bakery/12`, earlierOf('GET', Buffer.from(query, 'latin1')));
    expect(line).toBe(`GET /c/bakery/12/v1/transaction?${query} HTTP/1.1`);
  });
});

describe('the answer', () => {
  test.each([
    ['accept', 201, 'NEW'],
    ['accept 202 body "thanks"', 202, null],
    ['accept 204 body ""', 204, null],
    ['wrong-type', 201, null],
    ['accept body "{\\"status\\":\\"ERROR\\"}"', 201, 'ERROR'],
    ['accept body "{\\"status\\":\\"DONE\\"}"', 201, null],
    ['accept body "[1]"', 201, null],
    ['422 body "{\\"status\\":\\"NEW\\"}"', 422, null],
    ['dribble 1ms', 201, 'NEW'],
    ['twice', 201, 'NEW'],
  ])('to %s', async (script, status, upstreamStatus) => {
    const { url } = await openUpstream(script);
    expect(await post(url)).toMatchObject({ kind: 'answered', status, upstreamStatus });
  });

  test('of a refusal is stored, up to its first 2 KB', async () => {
    const { url } = await openUpstream(`422 body "${'no '.repeat(2000)}"`);
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 422, excerpt: 'no '.repeat(683).slice(0, 2048) });
  });

  test.each<[form: string, echo: string]>([
    ['in plain text', TOKEN],
    ['percent-encoded', TOKEN.replaceAll('_', '%5F')],
    ['escaped', TOKEN.replaceAll('_', String.raw`\u005f`)],
  ])('is stored without our key, which the upstream echoes %s, wherever the excerpt ends', async (_form, echo) => {
    let answer = '';
    const server = createHttpServer((_req, res) => res.writeHead(422).end(answer));
    const url = await listen(server);
    onTestFinished(() => void server.close());
    for (let length = 2048 - echo.length - 1; length <= 2048; length++) {
      answer = `${'-'.repeat(length)}${echo} is unknown`;
      const expected = `${'-'.repeat(length)}… is unknown`.slice(0, 2048);
      expect(await post(url)).toMatchObject({ status: 422, excerpt: expected });
    }
  });

  test.each<[retryAfter: string, least: number | undefined, most: number | undefined]>([
    ['retry-after 3s', 3000, 3000],
    ['retry-after "0"', 0, 0],
    ['retry-after-date 1h', 3_590_000, 3_601_000],
    ['retry-after "Fri, 01 Jan 1999 00:00:00 GMT"', 0, 0],
    ['retry-after "soon"', undefined, undefined],
    ['retry-after ""', undefined, undefined],
    ['retry-after "-1"', undefined, undefined],
    ['retry-after "1.5"', undefined, undefined],
    ['', undefined, undefined],
  ])('with %s', async (retryAfter, least, most) => {
    const { url } = await openUpstream(`429 ${retryAfter}`);
    const answer = await post(url);
    const ms = answer.kind === 'answered' ? answer.retryAfterMs : NaN;
    if (least === undefined || most === undefined) return expect(ms).toBeUndefined();
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most);
  });

  test("with a date for Retry-After is read by the upstream's clock, because ours may be wrong", async () => {
    const server = createHttpServer((_req, res) => {
      res
        .writeHead(429, { date: 'Sat, 01 Jan 2000 00:00:00 GMT', 'retry-after': 'Sat, 01 Jan 2000 00:00:30 GMT' })
        .end();
    });
    const url = await listen(server);
    onTestFinished(() => void server.close());
    expect(await post(url)).toMatchObject({ status: 429, retryAfterMs: 30_000 });
  });

  test('is read and not stored, however large', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const server = createHttpServer((_req, res) => {
      res.writeHead(422);
      for (let i = 0; i < 32; i++) res.write(piece);
      res.end();
    });
    const url = await listen(server);
    onTestFinished(() => void server.close());
    const answer = await post(url);
    expect(answer).toMatchObject({ kind: 'answered', status: 422, excerpt: 'x'.repeat(2048) });
  });

  test.each([201, 422])('without an end (%i) is read up to 64 KiB, and its connection is closed', async (status) => {
    const closed = Promise.withResolvers<void>();
    const { url, connections } = await openSocketServer((socket) => {
      socket.once('close', closed.resolve).once('data', () => {
        socket.write(`HTTP/1.1 ${status} Endless\r\nTransfer-Encoding: chunked\r\n\r\n`);
        const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
        const more = (): void => void (socket.writable && socket.write(piece, more));
        more();
      });
    });
    expect(await post(url)).toMatchObject({
      kind: 'answered',
      status,
      isCut: true,
      excerpt: 'x'.repeat(2048),
      upstreamStatus: null,
    });
    await closed.promise;
    expect(connections()).toBe(1);
  });

  test('that repeats a large sale is complete', async () => {
    const large = Buffer.from(bodyOf({ object: JSON.stringify({ text: '"'.repeat(300_000) }) }));
    const server = createHttpServer((_req, res) => {
      res.writeHead(201).end(JSON.stringify({ status: 'NEW', echo: large.toString() }));
    });
    const url = await listen(server);
    onTestFinished(() => void server.close());
    expect(await post(url, recordOf(large))).toMatchObject({ status: 201, isCut: false, upstreamStatus: 'NEW' });
  });

  test.each([0, 1])('of 64 KiB, twice the sale and %i bytes is complete or cut', async (more) => {
    const length = 0x10000 + 2 * Buffer.byteLength(bodyOf()) + more;
    const server = createHttpServer((_req, res) => res.writeHead(201).end('x'.repeat(length)));
    const url = await listen(server);
    onTestFinished(() => void server.close());
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 201, isCut: more > 0 });
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is an answer, and nothing is sent to its target',
    async (status) => {
      const target = await openUpstream();
      const { url, attempts } = await openUpstream(`${status} to "${target.url}/v1/raw_transactions"`);
      expect(await post(url)).toMatchObject({ kind: 'answered', status });
      expect(attempts).toHaveLength(1);
      expect(target.attempts).toEqual([]);
    },
  );

  test.each([
    ['text/html', '<p>Log in</p>', true],
    ['Text/HTML; charset=utf-8', '\n <!doctype html>', true],
    ['text/html', '', false],
    ['text/html', '{"status":"NEW"}', false],
    ['application/json', '<p>', false],
  ])('of type %s that begins with %j is classified as a web page or not', async (type, body, isWebPage) => {
    const server = createHttpServer((_req, res) => res.writeHead(200, { 'Content-Type': type }).end(body));
    const url = await listen(server);
    onTestFinished(() => void server.close());
    expect(await post(url)).toMatchObject({ status: 200, isWebPage });
  });

  test('after interim answers is the final answer', async () => {
    const { url } = await openSocketServer((socket) =>
      socket.once('data', () =>
        socket.end(
          'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}',
        ),
      ),
    );
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 201 });
  });
});

describe('a failure', () => {
  test('no listener', async () => {
    expect(await post(await unusedUrl())).toEqual({ kind: 'unreachable', reason: 'ECONNREFUSED' });
  });

  test('an unknown name', async () => {
    const answer = await post('http://nowhere.invalid');
    expect(answer.kind).toBe('unreachable');
    expect(answer).toMatchObject({ reason: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) });
  });

  test.each(['close', 'close taken', 'reset', 'cut', 'garbage'])('%s', async (script) => {
    const { url } = await openUpstream(script);
    expect(await post(url)).toEqual({ kind: 'unanswered', reason: expect.stringMatching(/^\w+$/) });
  });

  test.each<[name: string, answer: string]>([
    ['the connection closes in the middle of the headers', 'HTTP/1.1 201 Created\r\nContent-Le'],
    ['the answer is shorter than it says', 'HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\n{}'],
    ['the last chunk is missing', 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'],
    ['an invalid chunk', 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['headers without end', `HTTP/1.1 201 Created\r\nX: ${'x'.repeat(100_000)}`],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an invalid status', 'HTTP/1.1 2 OK\r\n\r\n'],
    ['only an interim answer', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['nothing', ''],
  ])('%s', async (_name, answer) => {
    const { url } = await openSocketServer((socket) => socket.once('data', () => socket.end(answer, 'latin1')));
    expect(await post(url)).toEqual({ kind: 'unanswered', reason: expect.stringMatching(/^\w+$/) });
  });

  test('no answer, and the call is aborted', async () => {
    const upstream = await openUpstream('hang');
    const giveUp = new AbortController();
    const answer = openClient().send(recordOf(bodyOf()), { url: upstream.url, token: TOKEN, via: VIA }, giveUp.signal);
    await upstream.waitUntil(({ attempts }) => attempts === 1);
    giveUp.abort();
    expect(await answer).toMatchObject({ kind: 'unanswered' });
  });

  test('the record after a failure uses a new connection', async () => {
    const { url } = await openUpstream('close, reset, cut, garbage, accept');
    const client = openClient();
    const kinds: string[] = [];
    for (let i = 0; i < 5; i++) kinds.push((await post(url, recordOf(bodyOf()), client)).kind);
    expect(kinds).toEqual([...Array(4).fill('unanswered'), 'answered']);
  });
});

describe('an endless answer', () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'.repeat(100);
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  /** Sends the beginning, then repeats `rest` until the client closes the connection. */
  const flood = (socket: Socket, [beginning, rest]: readonly [string, string]): void => {
    socket.write(beginning);
    const more = (): void => void (socket.writable && socket.write(rest, more));
    more();
  };
  const FLOODS = [
    ['of interim answers', ['', interim]],
    ['of chunk extensions', [`${chunked}5;a=`, 'y'.repeat(0x4000)]],
    ['of chunks with long extensions', [chunked, `1;a=${'y'.repeat(0x1000)}\r\nx\r\n`]],
    ['of trailers', [`${chunked}0\r\n`, `X-a: ${'y'.repeat(1000)}\r\n`]],
  ] as const;

  test.each(FLOODS)('%s ends, and its connection is closed', async (_name, parts) => {
    const closed = Promise.withResolvers<void>();
    const { url } = await openSocketServer((socket) => {
      socket.once('close', closed.resolve).once('data', () => flood(socket, parts));
    });
    expect(await post(url)).toEqual({
      kind: 'unanswered',
      reason: expect.stringMatching(/^(ANSWER_TOO_LONG|UND_ERR_HEADERS_OVERFLOW)$/),
    });
    await closed.promise;
  });

  test.each(FLOODS)('%s also ends behind TLS and a proxy', async (_name, parts) => {
    const authority = makeCertificate({ name: 'Head office' });
    const server = createTlsServer(makeCertificate({ issuer: authority }), (socket) => {
      socket.on('error', () => {}).once('data', () => flood(socket, parts));
    });
    const url = (await listen(server)).replace('http:', 'https:');
    onTestFinished(() => void server.close());
    const proxy = await openProxy();
    const client = openClient({ upstreamProxy: proxy.url, upstreamCa: writeFile('ca.pem', authority.cert) });
    expect(await post(url, recordOf(bodyOf()), client)).toEqual({
      kind: 'unanswered',
      reason: expect.stringMatching(/^(ANSWER_TOO_LONG|UND_ERR_HEADERS_OVERFLOW)$/),
    });
  });

  test('the limit applies to each call separately: a hundred answers on one connection do not exceed it', async () => {
    let connections = 0;
    const server = createHttpServer((req, res) => {
      req.resume().on('end', () => res.writeHead(201).end(JSON.stringify({ text: 'x'.repeat(5000) })));
    });
    server.on('connection', () => (connections += 1));
    const url = await listen(server);
    onTestFinished(() => void server.close());
    const client = openClient();
    for (let i = 0; i < 100; i++)
      expect(await post(url, recordOf(bodyOf()), client)).toMatchObject({ kind: 'answered', status: 201 });
    expect(connections).toBeLessThanOrEqual(2);
  });
});

describe('TLS', () => {
  const hosts = ['127.0.0.1', 'localhost'];
  const secured = async (certificate: ReturnType<typeof makeCertificate>) =>
    openUpstream('accept', { tls: { key: certificate.key, cert: certificate.cert } });

  test('a certificate of an unknown authority is not trusted, and nothing is sent', async () => {
    const upstream = await secured(makeCertificate({ hosts }));
    expect(await post(upstream.url)).toEqual({ kind: 'untrusted', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(upstream.attempts).toEqual([]);
  });

  test('a certificate is trusted if its authority is in the file', async () => {
    const authority = makeCertificate({ name: 'Head office' });
    const upstream = await secured(makeCertificate({ hosts, issuer: authority }));
    const client = openClient({ upstreamCa: writeFile('ca.pem', authority.cert) });
    expect(await post(upstream.url, recordOf(bodyOf()), client)).toMatchObject({ kind: 'answered', status: 201 });
  });

  test.each<[name: string, make: (issuer: ReturnType<typeof makeCertificate>) => ReturnType<typeof makeCertificate>]>([
    ['for another name', (issuer) => makeCertificate({ issuer, hosts: ['elsewhere.example'] })],
    [
      'that has expired',
      (issuer) => makeCertificate({ issuer, hosts, from: new Date('2001-01-01'), until: new Date('2002-01-01') }),
    ],
    [
      'that is not valid yet',
      (issuer) => makeCertificate({ issuer, hosts, from: new Date('2090-01-01'), until: new Date('2091-01-01') }),
    ],
    ['of another authority', () => makeCertificate({ hosts, issuer: makeCertificate({ name: 'Somebody' }) })],
  ])('a certificate %s is not trusted, and nothing is sent', async (_name, make) => {
    const authority = makeCertificate({ name: 'Head office' });
    const upstream = await secured(make(authority));
    const client = openClient({ upstreamCa: writeFile('ca.pem', authority.cert) });
    expect(await post(upstream.url, recordOf(bodyOf()), client)).toMatchObject({ kind: 'untrusted' });
    expect(upstream.attempts).toEqual([]);
  });

  test('plain HTTP instead of TLS is not trusted', async () => {
    const upstream = await openUpstream();
    expect(await post(upstream.url.replace('http:', 'https:'))).toMatchObject({ kind: 'untrusted' });
  });

  test('an unreadable file is reported at the start', () => {
    expect(() => openClient({ upstreamCa: '/nowhere/ca.pem' })).toThrow(OperatorError);
  });
});

// In V8, a removed listener still refers to the next listener. With one listener per call, this chain would keep every sent
// record in memory, until the old generation is collected.
test('the signal has one listener for any number of records', async () => {
  const upstream = await openUpstream();
  const client = openClient();
  const { signal } = new AbortController();
  await client.send(recordOf(bodyOf()), { url: upstream.url, token: TOKEN, via: VIA }, signal);
  const listeners = getEventListeners(signal, 'abort');
  for (let round = 0; round < 20; round++)
    await Promise.all(
      Array.from({ length: 8 }, () =>
        client.send(recordOf(bodyOf()), { url: upstream.url, token: TOKEN, via: VIA }, signal),
      ),
    );
  expect(upstream.summary().attempts).toBe(161);
  expect(listeners).toHaveLength(1);
  expect(getEventListeners(signal, 'abort')).toStrictEqual(listeners);
});

test('calls are aborted by their own signal, all at once, and immediately if it was aborted before', async () => {
  const upstream = await openUpstream('hang');
  const client = openClient();
  const to = { url: upstream.url, token: TOKEN, via: VIA };
  const [one, other] = [new AbortController(), new AbortController()];
  const calls = Array.from({ length: 5 }, () => client.send(recordOf(bodyOf()), to, one.signal));
  const others = client.send(recordOf(bodyOf()), to, other.signal);
  await upstream.waitUntil(({ attempts }) => attempts === 6);
  one.abort();
  expect(await Promise.all(calls)).toStrictEqual(
    Array.from({ length: 5 }, () => ({ kind: 'unanswered', reason: expect.anything() as unknown })),
  );
  expect(await client.send(recordOf(bodyOf()), to, one.signal)).toMatchObject({ kind: 'unanswered' });
  expect(upstream.summary().attempts).toBe(6);
  other.abort();
  expect(await others).toMatchObject({ kind: 'unanswered' });
});

test('connections are kept and reused', async () => {
  let connections = 0;
  const server = createHttpServer((req, res) => req.resume().on('end', () => res.writeHead(201).end('{}')));
  server.on('connection', () => (connections += 1));
  const url = await listen(server);
  onTestFinished(() => void server.close());
  const client = openClient();
  for (let i = 0; i < 20; i++) await post(url, recordOf(bodyOf()), client);
  expect(connections).toBeLessThanOrEqual(2); // there are two if the second call began before the first answer had ended
});

/** Opens an upstream over TLS, with the certificates that a client needs to trust it. */
async function openSafeUpstream() {
  const authority = makeCertificate({ name: 'Head office' });
  const { key, cert } = makeCertificate({ issuer: authority });
  const upstream = await openUpstream('accept', { tls: { key, cert } });
  return { upstream, upstreamCa: writeFile('ca.pem', authority.cert) };
}

/** Opens a proxy that forwards each call. `asked` collects the targets of the calls. */
async function openProxy(answerConnect?: string): Promise<{ url: string; asked: string[]; heads: string[] }> {
  const asked: string[] = [];
  const heads: string[] = [];
  const proxy = createHttpServer((_req, res) => res.writeHead(502).end());
  const sockets = new Set<{ destroy(): void }>();
  proxy.on('connect', (req, client, head) => {
    asked.push(req.url ?? '');
    heads.push(JSON.stringify(req.headers));
    sockets.add(client);
    if (answerConnect !== undefined) return void client.end(answerConnect);
    const [host, port] = (req.url ?? '').split(':');
    const server = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      server.write(head);
      server.pipe(client).pipe(server);
    });
    sockets.add(server);
    server.on('error', () => client.destroy());
    client.on('error', () => server.destroy());
  });
  const url = await listen(proxy);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { url, asked, heads };
}

describe('a proxy', () => {
  test('forwards TLS end to end: it never sees the key', async () => {
    const { upstream, upstreamCa } = await openSafeUpstream();
    const proxy = await openProxy();
    const client = openClient({ upstreamProxy: proxy.url, upstreamCa });
    expect(await post(upstream.url, recordOf(bodyOf()), client)).toMatchObject({ kind: 'answered', status: 201 });
    expect(proxy.asked).toEqual([`127.0.0.1:${upstream.port}`]);
    expect(proxy.heads.join()).not.toContain(TOKEN);
  });

  test('that cannot be reached means no connection', async () => {
    const client = openClient({ upstreamProxy: await unusedUrl() });
    expect(await post('https://127.0.0.1:9', recordOf(bodyOf()), client)).toMatchObject({ kind: 'unreachable' });
  });

  test('that refuses a call is not an answer of the upstream', async () => {
    const proxy = await openProxy('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
    const client = openClient({ upstreamProxy: proxy.url });
    const answer = await post('https://127.0.0.1:9', recordOf(bodyOf()), client);
    expect(answer).toEqual({ kind: 'proxy refused', status: 407 });
  });

  test('that cannot reach the upstream means no connection', async () => {
    const proxy = await openProxy('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
    const client = openClient({ upstreamProxy: proxy.url });
    const answer = await post('https://127.0.0.1:9', recordOf(bodyOf()), client);
    expect(answer).toEqual({ kind: 'unreachable', reason: 'proxy 502' });
  });
});

describe('the proxy of the system', () => {
  test('is looked up by address, and not again for each record', async () => {
    const [{ upstream, upstreamCa }, proxy, asked] = [await openSafeUpstream(), await openProxy(), [] as string[]];
    const client = openClient({ upstreamCa }, (url) => Promise.resolve((asked.push(url), proxy.url)));
    for (let i = 0; i < 3; i++)
      expect(await post(upstream.url, recordOf(bodyOf()), client)).toMatchObject({ kind: 'answered', status: 201 });
    expect(asked).toEqual([upstream.url]);
    expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${upstream.port}`]));
  });

  test('is not looked up if the settings name a proxy', async () => {
    const [{ upstream, upstreamCa }, proxy] = [await openSafeUpstream(), await openProxy()];
    const client = openClient({ upstreamProxy: proxy.url, upstreamCa }, () => Promise.resolve('http://127.0.0.1:9'));
    expect(await post(upstream.url, recordOf(bodyOf()), client)).toMatchObject({ kind: 'answered', status: 201 });
  });

  test.each([
    ['the system has none', () => Promise.resolve(undefined)],
    ['the system cannot name one', () => Promise.reject(new Error('no answer'))],
    ['the system names an invalid address', () => Promise.resolve('http://no proxy at all')],
  ])('is not used if %s', async (_what, findProxy) => {
    const upstream = await openUpstream();
    const client = openClient({}, findProxy);
    expect(await post(upstream.url, recordOf(bodyOf()), client)).toMatchObject({ kind: 'answered', status: 201 });
  });

  test('that is found after the client was closed is not used', async () => {
    const upstream = await openUpstream();
    const said = Promise.withResolvers<undefined>();
    const client = openClient({}, () => said.promise);
    const answer = post(upstream.url, recordOf(bodyOf()), client);
    await client.close();
    said.resolve(undefined);
    expect(await answer).toMatchObject({ kind: 'unanswered' });
    expect(upstream.attempts).toEqual([]);
  });
});

test('sixteen calls that hang block no connection of another lane to the same upstream', async () => {
  const { url, attempts } = await openUpstream('hang x16, accept');
  const hanging = new AbortController();
  const client = openClient();
  const hung = Array.from({ length: 17 }, () =>
    client.send(recordOf(bodyOf()), { url, token: TOKEN, via: VIA }, hanging.signal),
  );
  await expect.poll(() => attempts.length).toBe(16);
  expect(await post(url)).toMatchObject({ kind: 'answered', status: 201 });
  hanging.abort();
  await Promise.all(hung);
});

test('no answer, in any form, contains the key', async () => {
  const scripts = ['accept', '401', 'redirect', 'close', 'reset', 'cut', 'garbage'];
  const answers = await Promise.all([
    ...scripts.map(async (script) => post((await openUpstream(script)).url)),
    post(await unusedUrl()),
    post((await openUpstream()).url.replace('http:', 'https:')),
  ]);
  expect(JSON.stringify(answers)).not.toContain('canary');
});
