// The file that tells commands at which addresses a gateway listens.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { loadConfig } from '../../server/config.ts';
import { openGateway } from '../../server/gateway.ts';
import { readListening, writeListening } from '../../server/listening.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temp-store.ts';

const portOf = (url: string): number => Number(new URL(url).port);

test('a gateway stores where it listens, and its ports stay known after it stopped', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'console.url'), 'http://127.0.0.1:1'); // a file that an earlier version left behind
  const gateway = await openGateway(loadConfig(dataDir, { port: '0', consolePort: '0' }), () => undefined);
  onTestFinished(() => gateway.close());
  const ports = { port: portOf(gateway.apiUrl), consolePort: portOf(gateway.consoleUrl) };
  expect(readListening(dataDir)).toEqual({
    ...ports,
    consoleUrl: gateway.consoleUrl,
    localConsoleUrl: gateway.consoleUrl,
  });
  expect(statSync(join(dataDir, 'listening.json')).mode & 0o777).toBe(0o600);
  expect(existsSync(join(dataDir, 'console.url'))).toBe(false);
  await gateway.close();
  expect(readListening(dataDir)).toEqual({ ...ports, consoleUrl: null, localConsoleUrl: null });
});

test('the file of an earlier version gives the ports, and a damaged one nothing', () => {
  const dataDir = temporaryFolder();
  expect(readListening(dataDir)).toBeUndefined();
  const write = (text: string): void => writeFileSync(join(dataDir, 'listening.json'), text);
  write('{"port":7430,"consolePort":7431}\n');
  expect(readListening(dataDir)).toEqual({ port: 7430, consolePort: 7431, consoleUrl: null, localConsoleUrl: null });
  for (const text of ['', '{"port":74', '{"port":"7430"}', 'null']) {
    write(text);
    expect(readListening(dataDir), text).toBeUndefined();
  }
  writeListening(dataDir, { port: 1, consolePort: 2, consoleUrl: null, localConsoleUrl: null });
  expect(readListening(dataDir)).toEqual({ port: 1, consolePort: 2, consoleUrl: null, localConsoleUrl: null });
});

describe('on a full disk', () => {
  const EARLIER = { port: 1, consolePort: 2, consoleUrl: 'http://127.0.0.1:2', localConsoleUrl: 'http://127.0.0.1:2' };
  const NOW = { port: 51_000, consolePort: 52_000, consoleUrl: null, localConsoleUrl: 'http://127.0.0.1:52000' };
  const fillDisk = (disk: string): void =>
    expect(() => writeFileSync(join(disk, 'filler'), Buffer.alloc(16 * 1024 * 1024))).toThrow(/ENOSPC/);

  test('a gateway writes its address over the earlier one', ({ skip }) => {
    const disk = mountSmallDisk() ?? skip('not run: mounting a small disk needs root on Linux');
    writeListening(disk, EARLIER);
    fillDisk(disk);
    writeListening(disk, NOW);
    expect(readListening(disk)).toEqual(NOW);
    expect(JSON.parse(readFileSync(join(disk, 'listening.json'), 'utf8'))).toEqual(NOW);
    expect(readdirSync(disk).toSorted()).toEqual(['filler', 'listening.json']);
  });

  test('no address is left if the new one cannot be written', ({ skip }) => {
    const disk = mountSmallDisk() ?? skip('not run: mounting a small disk needs root on Linux');
    fillDisk(disk);
    writeFileSync(join(disk, 'listening.json'), '');
    expect(() => writeListening(disk, NOW)).toThrow(/ENOSPC/);
    expect(readdirSync(disk)).toEqual(['filler']);
  });
});
