// The console serves only its built files. Each answer has a security policy with a new nonce.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { call } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { rawCall } from '../../support/raw-call.ts';

const INDEX = `<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><script type="module" nonce="__CSP_NONCE__" src="/assets/main-1a2b.js"></script>`;
const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-pages-'));
  const renderer = join(folder, 'renderer');
  for (const path of ['assets', '.vite']) mkdirSync(join(renderer, path), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'canary');
  writeFileSync(join(renderer, 'index.html'), INDEX);
  writeFileSync(join(renderer, 'assets/main-1a2b.js'), 'console.log(1);');
  writeFileSync(join(renderer, 'assets/main-1a2b.css'), 'body {}');
  writeFileSync(join(renderer, 'icon.svg'), '<svg/>');
  writeFileSync(join(renderer, '.vite/manifest.json'), '{"canary":1}');
  symlinkSync(join(folder, 'secret.txt'), join(renderer, '.link'));
  gateway = await openTestGateway({}, undefined, { rendererFolder: renderer });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

const read = (path: string, headers = {}) => call(gateway.consoleUrl + path, { headers });

describe('a page', () => {
  test.each(['/', '/index.html', '/records', '/records/17', '/today?journal=1', '/a/b/c.d'])(
    'at %s is index.html',
    async (path) => {
      const answer = await read(path, PAGE);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      const nonce = /'nonce-([^']+)'/.exec(answer.headers['content-security-policy'] ?? '')?.[1] ?? '';
      expect(answer.text).toBe(INDEX.replaceAll('__CSP_NONCE__', nonce));
    },
  );

  test('has a new nonce each time', async () => {
    expect((await read('/', PAGE)).text).not.toBe((await read('/', PAGE)).text);
  });

  test('is served only to page requests: an unknown file is 404', async () => {
    expect((await read('/records', { accept: 'application/json' })).status).toBe(404);
    expect((await read('/assets/main-0000.js', PAGE)).status).toBe(404);
    expect((await read('/nowhere.js')).status).toBe(404);
  });

  test('is served in its new version at once after a build', async () => {
    const index = join(folder, 'renderer/index.html');
    writeFileSync(index, 'new');
    utimesSync(index, new Date(), new Date(Date.now() + 10_000));
    expect((await read('/', PAGE)).text).toBe('new');
    writeFileSync(index, INDEX);
    utimesSync(index, new Date(), new Date(Date.now() + 20_000));
    expect((await read('/', PAGE)).text).toContain('csp-nonce');
  });
});

describe('a file', () => {
  test.each([
    ['/assets/main-1a2b.js', /^text\/javascript/, 'public, max-age=31536000, immutable'],
    ['/assets/main-1a2b.css', /^text\/css/, 'public, max-age=31536000, immutable'],
    ['/icon.svg', /^image\/svg\+xml/, 'no-cache'],
  ])('%s is sent with its type, and cached as long as allowed', async (path, type, caching) => {
    const answer = await read(path);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, caching]);
    expect(answer.headers['content-type']).toMatch(type);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  test('is sent compressed if a compressed copy exists and the browser accepts it', async () => {
    writeFileSync(join(folder, 'renderer/assets/big-1a2b.js'), 'console.log(2);');
    writeFileSync(join(folder, 'renderer/assets/big-1a2b.js.gz'), gzipSync('console.log(2);'));
    const compressed = await fetch(`${gateway.consoleUrl}/assets/big-1a2b.js`); // fetch accepts gzip and decompresses the answer
    expect(Object.fromEntries(compressed.headers)).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect(await compressed.text()).toBe('console.log(2);');
    for (const path of ['/assets/big-1a2b.js', '/assets/main-1a2b.js']) {
      const plain = await read(path, { 'accept-encoding': path.includes('big') ? 'identity' : 'gzip' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.text).toMatch(/^console/);
    }
  });

  test.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/assets/../../secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%252e%252e/secret.txt',
    '//etc/passwd',
    '/.vite/manifest.json',
    '/.link',
    '/assets',
    '/assets/',
    '/icon.svg%00.js',
    '/icon.svg/',
    '/%ff',
    '/%',
  ])('%s is not served', async (path) => {
    for (const accept of ['*/*', PAGE.accept]) {
      const answer = await rawCall(
        gateway.consoleUrl,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`,
      );
      expect(answer?.text).not.toMatch(/canary|root:/);
      expect([200, 400, 403, 404]).toContain(answer?.status);
      if (answer?.status === 200) expect(answer.text).toContain('csp-nonce');
    }
  });

  test.each(['POST', 'PUT', 'DELETE'])('is read-only: %s is refused', async (method) => {
    const headers = { origin: gateway.consoleUrl };
    expect((await call(`${gateway.consoleUrl}/icon.svg`, { method, headers })).status).toBe(404);
  });
});
