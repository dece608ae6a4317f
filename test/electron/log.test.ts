// The log file of the app, and its folder.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { openLog } from '../../electron/log.ts';
import { ownFolder } from '../../electron/own-folder.ts';
import { temporaryFolder } from '../support/temp-store.ts';

const NOW = Date.parse('2026-11-20T12:00Z');

describe('the log', () => {
  test('has one line per event, is readable only by its owner, and is on disk at once', () => {
    const file = join(temporaryFolder(), 'logs/app.log');
    const log = openLog(file, () => NOW);
    log.info('started');
    log.error(new Error('first line\nsecond line'));
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines).toHaveLength(3); // the last line is empty
    expect(lines[0]).toBe('2026-11-20T12:00:00.000Z info started');
    expect(lines[1]).toMatch(/^2026-11-20T12:00:00\.000Z error Error: first line \| second line \| at /);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('keeps one previous file, and both stay within their size', () => {
    const file = join(temporaryFolder(), 'app.log');
    const log = openLog(file, () => NOW, 100);
    for (let i = 0; i < 50; i++) log.info(`event ${i}`);
    const kept = [`${file}.old`, file].map((path) => readFileSync(path, 'utf8'));
    expect(Math.max(...kept.map(({ length }) => length))).toBeLessThan(200);
    expect(kept[1]).toContain('event 49');
  });

  test('shows no key and no code of a link', () => {
    const file = join(temporaryFolder(), 'app.log');
    openLog(file, () => NOW).warn(
      'prod_Ab.cana/ry+12=34~5 at http://127.0.0.1:1/enter?code=canary-of-the-link, http://anna:canary@proxy.example',
    );
    expect(readFileSync(file, 'utf8')).toContain(
      'warn prod_… at http://127.0.0.1:1/enter?code=…, http://…@proxy.example',
    );
  });

  test('has one line per event, without line breaks and control characters', () => {
    const file = join(temporaryFolder(), 'app.log');
    openLog(file, () => NOW).warn('a\rb\u2028c\u000bd \u001b[2J');
    expect(readFileSync(file, 'utf8')).toBe('2026-11-20T12:00:00.000Z warn a | b | c | d \ufffd[2J\n');
  });

  test('continues in the same file if the previous one cannot be replaced', () => {
    const file = join(temporaryFolder(), 'app.log');
    mkdirSync(`${file}.old`);
    const log = openLog(file, () => NOW, 10);
    for (const event of ['first', 'second', 'third']) log.info(event);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
  });

  test('drops lines without an error if the disk is not writable', () => {
    const blocked = join(temporaryFolder(), 'file');
    writeFileSync(blocked, '');
    expect(() => openLog(join(blocked, 'app.log'), () => NOW).info('lost')).not.toThrow();
  });
});

describe('on Windows the app’s folder stays on this machine:', () => {
  const open = () => {
    const root = temporaryFolder();
    const [appData, localAppData] = [join(root, 'Roaming'), join(root, 'Local')];
    for (const folder of [appData, localAppData]) mkdirSync(folder);
    return { appData, localAppData, platform: 'win32' } as const;
  };

  test('a new folder', () => {
    const parts = open();
    expect(ownFolder(parts)).toBe(join(parts.localAppData, 'Counterfoil app'));
  });

  test('a roaming folder is moved once', () => {
    const parts = open();
    const before = join(parts.appData, 'Counterfoil app');
    mkdirSync(before);
    writeFileSync(join(before, 'memory.json'), '{}');
    const folder = ownFolder(parts);
    expect(folder).toBe(join(parts.localAppData, 'Counterfoil app'));
    expect([existsSync(before), existsSync(join(folder, 'memory.json'))]).toEqual([false, true]);
    mkdirSync(before); // as if an older version of the app had made this folder again
    expect(ownFolder(parts)).toBe(folder);
    expect(existsSync(before)).toBe(true);
  });

  test('a folder that cannot be moved is used where it is', () => {
    const parts = { ...open(), localAppData: '/proc/nowhere' };
    const before = join(parts.appData, 'Counterfoil app');
    mkdirSync(before);
    expect(ownFolder(parts)).toBe(before);
  });

  test('other systems have one place for it', () => {
    expect(ownFolder({ platform: 'darwin', appData: '/data', localAppData: undefined })).toBe('/data/Counterfoil app');
  });
});
