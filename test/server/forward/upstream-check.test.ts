// "Test connection" with real servers: each step can fail alone, and nothing is ever posted.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { Interface } from '../../../server/contract/codes.ts';
import { prepareConnections } from '../../../server/forward/connection.ts';
import { prepareUpstreamCheck } from '../../../server/forward/upstream-check.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

const TOKEN = 'prod_canary0123456789';

async function check(url: string, more: { by?: Interface; proxy?: string; ca?: string } = {}) {
  const settings = { upstreamProxy: more.proxy, upstreamCa: more.ca };
  const checkUpstream = prepareUpstreamCheck(prepareConnections(settings), settings);
  const { steps } = await checkUpstream({ url, token: TOKEN }, more.by ?? 'current');
  expect(JSON.stringify(steps)).not.toContain('canary');
  return steps;
}

/** The steps as short texts: `name ok` or `name failed: code`. */
const shortly = (steps: Awaited<ReturnType<typeof check>>): string[] =>
  steps.map(({ step, isFine, code }) => (isFine ? `${step} ok` : `${step} failed: ${code}`));

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly token: string | string[] | undefined;
}

/** Opens an upstream that gives this answer. `seen` collects the queries that it receives. */
async function answering(answer: RequestListener): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createHttpServer((req, res) => {
    seen.push({ method: req.method, url: req.url, token: req.headers['token'] });
    answer(req, res);
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, seen };
}

test('an upstream that accepts records passes every step, and nothing is posted', async () => {
  const standIn = await openStandIn({ script: 'accept' });
  onTestFinished(() => standIn.close());
  expect(shortly(await check(standIn.url))).toEqual(['connection ok', 'path ok', 'key ok']);
  const named = standIn.url.replace('127.0.0.1', 'localhost');
  expect(shortly(await check(named))).toEqual(['name ok', 'connection ok', 'path ok', 'key ok']);
  expect(standIn.summary().records).toBe(0);
});

test('the query is for the count of one second, with the key, below the base address', async () => {
  const { url, seen } = await answering((_req, res) => res.end('{"raw_transaction_count":0}'));
  expect(shortly(await check(`${url}/base`))).toEqual(['connection ok', 'path ok', 'key ok']);
  expect(seen).toEqual([
    { method: 'GET', url: expect.stringMatching(/^\/base\/v1\/raw_transactions\?timestamp_gte=/), token: TOKEN },
  ]);
  const query = new URL(seen[0]?.url ?? '', url).searchParams;
  expect(Date.parse(`${query.get('timestamp_lt')}Z`) - Date.parse(`${query.get('timestamp_gte')}Z`)).toBe(1000);
  expect(query.get('expand')).toBe('none');
});

describe('the classification of answers', () => {
  test.each<[status: number, body: string, steps: string[]]>([
    [401, '{}', ['path ok', 'key failed: 401']],
    [403, '{}', ['path ok', 'key failed: 403']],
    [404, 'not here', ['path failed: 404']],
    [405, '', ['path failed: 405']],
    [200, '<html>Welcome</html>', ['path failed: 200']],
    [200, '{"other":1}', ['path failed: 200']],
    [200, 'null', ['path failed: 200']],
    [400, '{}', ['path failed: 400']],
    [429, '{}', ['path failed: 429']],
    [503, '{}', ['path failed: 503']],
  ])('%i with %j', async (status, body, steps) => {
    const { url } = await answering((_req, res) => res.writeHead(status).end(body));
    expect(shortly(await check(url))).toEqual(['connection ok', ...steps]);
  });

  test('a redirect is not followed, and its target is shown', async () => {
    const { url, seen } = await answering((_req, res) =>
      res.writeHead(308, { location: 'https://user:pass@login.example/x?y=1' }).end(),
    );
    const steps = await check(url);
    expect(shortly(steps).at(-1)).toBe('path failed: 308');
    expect(steps.at(-1)).toMatchObject({ finding: 'moved_to', seen: 'https://login.example' });
    expect(seen).toHaveLength(1);
  });

  test('an answer that echoes the key is shown without it', async () => {
    const { url } = await answering((_req, res) => res.writeHead(400).end(TOKEN));
    await check(url); // `check` also expects that no step contains the key
    expect(shortly(await check(url)).at(-1)).toBe('path failed: 400');
  });

  test('an endless answer is read only as far as necessary', async () => {
    const { url } = await answering((_req, res) => {
      const more = (): void => void (res.write(Buffer.alloc(65_536)) ? setImmediate(more) : res.once('drain', more));
      res.on('error', () => {});
      res.once('close', () => res.removeListener('drain', more));
      more();
    });
    expect(shortly(await check(url)).at(-1)).toBe('path failed: 200');
  });

  test.each([
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['chunk extensions', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=', 'yyyyyyyyyy'],
  ])('endless answers of the form %s are not waited for', async (_name, beginning, rest) => {
    const port = await listen(
      createServer((socket) => {
        const more = (): void => void (socket.writable && socket.write(rest.repeat(1000), more));
        socket.on('error', () => {}).once('data', () => socket.write(beginning, more));
      }),
    );
    expect(shortly(await check(`http://127.0.0.1:${port}`))).toEqual(['connection failed: ANSWER_TOO_LONG']);
  });
});

describe('causes of a missing answer', () => {
  test('a name that does not resolve', async () => {
    const [step] = await check('https://nobody.invalid');
    expect(step).toMatchObject({ step: 'name', isFine: false, host: 'nobody.invalid' });
  });

  test('a port where no program listens', async () => {
    const server = createServer();
    const port = await listen(server);
    server.close();
    await once(server, 'close');
    expect(shortly(await check(`http://127.0.0.1:${port}`))).toEqual(['connection failed: ECONNREFUSED']);
  });

  test('a connection that breaks off', async () => {
    const port = await listen(createServer((socket) => void socket.on('error', () => {}).destroy()));
    expect(shortly(await check(`http://127.0.0.1:${port}`))[0]).toMatch(/^connection failed: /);
  });

  test('a certificate of an untrusted authority, unless that is configured', async () => {
    const { cert, key } = makeCertificate();
    const server = createHttpsServer({ cert, key }, (_req, res) => res.end('{"raw_transaction_count":0}'));
    const url = `https://127.0.0.1:${await listen(server)}`;
    expect(shortly(await check(url))).toEqual([
      'connection ok',
      expect.stringMatching(/^certificate failed: (DEPTH_ZERO_)?SELF_SIGNED_CERT/),
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-check-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, cert);
    expect(shortly(await check(url, { ca }))).toEqual(['connection ok', 'certificate ok', 'path ok', 'key ok']);
  });

  test('plain http where https is expected', async () => {
    const { url } = await answering((_req, res) => res.end());
    expect(shortly(await check(url.replace('http:', 'https:'))).at(-1)).toMatch(/^certificate failed: /);
  });

  test('an unreachable proxy', async () => {
    const steps = await check('https://api.example.com', { proxy: 'http://nobody.invalid:3128' });
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ finding: expect.stringMatching(/^proxy_/), host: 'nobody.invalid' });
  });

  test('a proxy that refuses every call', async () => {
    const server = createHttpServer();
    server.on('connect', (_req, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const proxy = `http://127.0.0.1:${await listen(server)}`;
    const steps = await check('https://api.example.com', { proxy });
    expect(shortly(steps)).toEqual([expect.stringMatching(/^connection failed: /)]);
    expect(steps[0]).toMatchObject({ finding: 'proxy_refuses', host: 'api.example.com' });
  });
});

test('on the earlier interface the key is never sent, and no record can result', async () => {
  const { url, seen } = await answering((_req, res) => res.writeHead(404).end());
  expect(shortly(await check(`${url}/c/bakery/1207`, { by: 'earlier' }))).toEqual(['connection ok']);
  expect(seen).toEqual([{ method: 'HEAD', url: '/c/bakery/1207/', token: undefined }]);
});
