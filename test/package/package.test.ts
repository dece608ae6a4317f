// The package of `npm run test:package` contains everything that the app needs and nothing else. Its gateway runs from the
// packaged files alone.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join, sep } from 'node:path';

import { extractFile, getRawHeader, listPackage } from '@electron/asar';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { findUpdateAddress } from '../../build/package-settings.mjs';
import { THREADS } from '../../build/vite.node.config.ts';
import { openSite } from '../support/gateway-process.ts';
import { postBody } from '../support/http-call.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { isStandIn, resources, ROOT } from './packaged.ts';

const asar = join(resources, 'app.asar');
const unpacked = join(resources, 'app.asar.unpacked');

let files: string[] = [];
beforeAll(() => {
  if (resources === '') throw new Error('Nothing is packaged: npm run test:package does it first.');
  files = listPackage(asar, { isPack: false }).map((path) => path.split(sep).join('/').slice(1));
});

test('the app has an updater only if the build was given an address of updates', () => {
  const known = join(resources, 'app-update.yml');
  const address = isStandIn ? null : findUpdateAddress({ env: process.env, remote: readRemote() });
  expect(existsSync(known)).toBe(address !== null);
  if (address === null) return;
  const text = readFileSync(known, 'utf8');
  expect(text).toContain(`provider: ${address.provider}\n`);
  // the updater keeps its installer in this folder, so that the app can go back to the previous version
  expect(text).toMatch(/^updaterCacheDirName: counterfoil-updater$/m);
});

test('the package contains no invented address', () => {
  const stated = JSON.parse(extractFile(asar, 'package.json').toString()) as { homepage?: string };
  expect(stated.homepage ?? '').toMatch(/^$|^https:\/\/github\.com\//);
});

test('no package.json lies outside the archive, because it could name another entry', () => {
  expect(existsSync(join(resources, 'app.asar'))).toBe(true);
  expect(globSync(['package.json', '*/package.json', 'dist/**/package.json'], { cwd: unpacked })).toEqual([]);
});

describe('the archive', () => {
  test('has the files that start the app', () => {
    const { main } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { main: string };
    for (const path of [
      main,
      'dist/electron/icon.png',
      'dist/preload/preload.cjs',
      'dist/node/main.mjs',
      'dist/renderer/index.html',
    ])
      expect(files).toContain(path);
    for (const thread of THREADS) expect(files).toContain(`dist/node/${thread}.mjs`);
    const natives = files.filter((path) => path.endsWith('.node')).map((path) => basename(path));
    // The app for macOS runs on both processor types of Macs.
    const archs = process.platform === 'darwin' ? ['arm64', 'x64'] : [process.arch];
    expect(natives.toSorted()).toEqual(archs.map((arch) => `${process.platform}-${arch}.node`));
  });

  test('has no source, test, map or data; of other packages it has only the database', () => {
    const allowed = /^(package\.json|dist(\/|$)|node_modules(\/better-sqlite3(\/|$)|$))/;
    expect(files.filter((path) => !allowed.test(path))).toEqual([]);
    expect(files.filter((path) => /\.(ts|tsx|map|db|log|pem|key|crt|env)$/.test(path))).toEqual([]);
  });

  test('does not reveal the build machine', () => {
    const own = globSync('dist/{node,electron,preload}/*.{mjs,cjs}', { cwd: unpacked }).map((path) =>
      join(unpacked, path),
    );
    expect(own.length).toBeGreaterThan(5);
    for (const path of own) expect(readFileSync(path, 'utf8')).not.toContain(ROOT);
  });

  test('lacks no package: its files import only Node, Electron and the database', () => {
    const bundles = globSync('dist/{node,electron,preload}/*.{mjs,cjs}', { cwd: ROOT });
    const imported = new Set<string>();
    for (const path of bundles)
      for (const [, name = ''] of readFileSync(join(ROOT, path), 'utf8').matchAll(
        /^(?:import|export)\b[^;'"]*?(?:from )?["']([^."'][^"']*)["'];?$/gm,
      ))
        imported.add(name);
    expect([...imported].filter((name) => !isBuiltin(name)).toSorted()).toEqual(['better-sqlite3', 'electron']);
  });

  test('has the digest of every file, so that Electron can verify it', () => {
    const { header } = getRawHeader(asar);
    const withoutDigest = listFiles(header as unknown as Folder).filter(([, { integrity }]) => integrity === undefined);
    expect(withoutDigest.map(([path]) => path)).toEqual([]);
  });
});

test('the packaged gateway accepts a record, from the packaged files alone', async () => {
  const folder = temporaryFolder(); // outside this checkout, so that its node_modules are not found
  cpSync(unpacked, folder, { recursive: true });
  const site = await openSite(join(folder, 'dist/node/main.mjs'));
  onTestFinished(() => site.close());
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const sale = JSON.stringify({
    type: 'sale',
    external_id: 'a',
    timestamp: '2026-11-20T12:00:00Z',
    object: { total: 1.5 },
  });
  expect((await postBody(gateway.url, key, sale)).status).toBe(201);
  expect((await postBody(gateway.url, key, sale)).status).toBe(200);
  const page = await fetch(gateway.consoleUrl);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>Counterfoil</title>')]);
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
});

function readRemote(): string {
  return spawnSync('git', ['remote', 'get-url', 'origin'], { cwd: ROOT, encoding: 'utf8' }).stdout;
}

interface Folder {
  readonly files: Readonly<Record<string, Folder | File>>;
}
interface File {
  readonly integrity?: unknown;
}

function listFiles({ files: members }: Folder, path = ''): [path: string, file: File][] {
  return Object.entries(members).flatMap(([name, each]): [string, File][] =>
    'files' in each ? listFiles(each, `${path}/${name}`) : [[`${path}/${name}`, each]],
  );
}
