// The service's archive for macOS and Windows: its files, and the settings for launchd and WinSW. test/package runs its gateway.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { extract, list } from 'tar';
import { expect, test } from 'vitest';

import { makeServiceArchive } from '../../build/service-archive.mjs';
import { temporaryFolder } from '../support/temp-store.ts';

const ROOT = join(import.meta.dirname, '../..');
const APP = [
  'dist/node/main.mjs',
  'dist/renderer/index.html',
  ...['darwin-arm64', 'darwin-x64', 'win32-x64'].map((name) => `node_modules/better-sqlite3/prebuilds/${name}.node`),
];

async function makeArchive(platform: 'darwin' | 'win32', arch: string) {
  const [app, out] = [temporaryFolder(), temporaryFolder()];
  for (const path of APP) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), '');
  }
  const node = join(app, 'node');
  writeFileSync(node, '#!/bin/sh\necho "$@"\n');
  chmodSync(node, 0o600);
  const parts = { app, node, nodeLicense: join(ROOT, 'LICENSE'), out, platform, arch, version: '1.2.3' };
  const file = await makeServiceArchive(parts);
  const modes = new Map<string, number>();
  await list({
    file,
    onReadEntry: ({ path, mode = 0, type }) => void (type === 'File' && modes.set(path, mode & 0o777)),
  });
  return { file, modes };
}

test.each([
  ['darwin', 'arm64', ['counterfoil', 'shop.counterfoil.service.plist', 'node']],
  ['win32', 'x64', ['counterfoil.cmd', 'counterfoil-service.xml', 'node.exe']],
] as const)('the archive for %s has the gateway, its command, its Node and its own native module', async (...row) => {
  const [platform, arch, own] = row;
  const { file, modes } = await makeArchive(platform, arch);
  expect([...modes.keys()].toSorted()).toEqual(
    [
      'LICENSE',
      'LICENSE-node',
      'dist/node/main.mjs',
      'dist/renderer/index.html',
      `node_modules/better-sqlite3/prebuilds/${platform}-${arch}.node`,
      ...own,
    ]
      .map((path) => `counterfoil-service/${path}`)
      .toSorted(),
  );
  if (platform === 'win32' || process.platform === 'win32') return;
  for (const name of ['counterfoil', 'node']) expect(modes.get(`counterfoil-service/${name}`)).toBe(0o755);
  const place = join(temporaryFolder(), 'a folder');
  mkdirSync(place);
  await extract({ file, cwd: place, strip: 1 });
  expect(execFileSync(join(place, 'counterfoil'), ['status', 'a b'], { encoding: 'utf8' }).trim()).toMatch(
    /^--max-semi-space-size=\d+ --max-old-space-size=\d+ .*\/a folder\/dist\/node\/main\.mjs status a b$/,
  );
});

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Parses simple XML and returns its root element. Throws if a tag is not closed, or if a part is neither a tag nor text. */
function parseXml(path: string): Element {
  const xml = readFileSync(join(ROOT, path), 'utf8').replaceAll(/<\?xml.*?\?>|<!DOCTYPE[^>]*>|<!--.*?-->/gs, '');
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  const parts = /<(?<end>\/)?(?<name>\w+)(?<more>(?: \w+="[^"<&]*")*)(?<empty>\/)?>|(?<text>[^<>&]+)/y;
  while (parts.lastIndex < xml.length) {
    const at = parts.lastIndex;
    const { end, name = '', more = '', empty, text } = parts.exec(xml)?.groups ?? {};
    const parent = open.at(-1) ?? top;
    if (text !== undefined) parent.text += text;
    else if (name === '' || (end !== undefined && open.pop()?.name !== name))
      throw new Error(`${path} is not well-formed near ${xml.slice(at, at + 40)}`);
    else if (end === undefined) {
      const attributes = Object.fromEntries(
        [...more.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
      );
      const element: Element = { name, attributes, children: [], text: '' };
      parent.children.push(element);
      if (empty === undefined) open.push(element);
    }
  }
  if (open.length !== 1) throw new Error(`${path} does not close <${open.at(-1)?.name}>`);
  return top.children[0] ?? top;
}

/** Reads a value of a property list. A dictionary must have a key before each value. */
function readPlist({ name, children, text }: Element): unknown {
  switch (name) {
    case 'plist':
      return readPlist(children[0] as Element);
    case 'dict':
      return Object.fromEntries(
        children.flatMap((child, at) => {
          expect(child.name === 'key').toBe(at % 2 === 0);
          return child.name === 'key' ? [] : [[children[at - 1]?.text, readPlist(child)]];
        }),
      );
    case 'array':
      return children.map(readPlist);
    case 'integer':
      return Number(text);
    case 'string':
      return text;
    case 'true':
      return true;
    default:
      throw new Error(`<${name}> is not expected`);
  }
}

test('launchd starts the gateway with the machine, as its own user, and restarts it', () => {
  const data = '/Library/Application Support/Counterfoil';
  expect(readPlist(parseXml('build/mac/shop.counterfoil.service.plist'))).toMatchObject({
    Label: 'shop.counterfoil.service',
    UserName: '_counterfoil',
    Umask: 0o077,
    ProgramArguments: ['/usr/local/lib/counterfoil/counterfoil', 'serve', '--data', data],
    RunAtLoad: true,
    KeepAlive: true,
    ExitTimeOut: 30,
  });
});

test('WinSW starts the gateway with the same limits as the command, and restarts it', () => {
  const { children } = parseXml('build/windows/counterfoil-service.xml');
  const all = (wanted: string) => children.filter(({ name }) => name === wanted);
  const texts = (wanted: string): string[] => all(wanted).map(({ text }) => text);
  expect(texts('id')).toEqual(['counterfoil']);
  expect(texts('executable')).toEqual([String.raw`%BASE%\node.exe`]);
  expect(texts('stoptimeout')).toEqual(['30 sec']);
  const [flags, program] = [texts('argument').slice(0, 2), texts('argument').slice(2)];
  const data = String.raw`%ProgramData%\Counterfoil`;
  expect(program).toEqual([String.raw`%BASE%\dist\node\main.mjs`, 'serve', '--data', data]);
  for (const path of ['build/windows/counterfoil.cmd', 'build/mac/counterfoil', 'build/linux/counterfoil'])
    expect(readFileSync(join(ROOT, path), 'utf8')).toContain(flags.join(' '));
  expect(all('onfailure').map(({ attributes }) => attributes['action'])).toEqual(['restart', 'restart', 'restart']);
});
