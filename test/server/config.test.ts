import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { dataDirectory, loadConfig } from '../../server/config.ts';
import { UsageError } from '../../server/errors.ts';
import { temporaryFolder } from '../support/temp-store.ts';

function folderWith(settings: unknown): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'settings.json'), typeof settings === 'string' ? settings : JSON.stringify(settings));
  return folder;
}

test('a flag comes before the variable, the variable before the file, the file before the default', () => {
  const folder = folderWith({ port: 3, consolePort: 3, host: '192.0.2.3' });
  const env = { COUNTERFOIL_PORT: '2', COUNTERFOIL_CONSOLE_PORT: '2' };
  expect(loadConfig(folder, { port: '1' }, env)).toEqual({
    dataDir: folder,
    port: 1,
    consolePort: 2,
    host: '192.0.2.3',
    baseDomain: '',
    connectionsPerAddress: 512,
    logLevel: 'info',
  });
});

describe('an unknown or bad setting is an error that names it', () => {
  test.each<[string, unknown, NodeJS.ProcessEnv, RegExp]>([
    ['an unknown variable', {}, { COUNTERFOIL_PROT: '1' }, /COUNTERFOIL_PROT is not a setting.*COUNTERFOIL_PORT/],
    ['an unknown setting in the file', { prot: 1 }, {}, /prot in .*settings\.json is not a setting.*port/],
    ['a port that is no number', {}, { COUNTERFOIL_PORT: 'x' }, /COUNTERFOIL_PORT is "x"/],
    ['an empty port', {}, { COUNTERFOIL_PORT: '' }, /COUNTERFOIL_PORT is ""/],
    ['a port that is too large', { port: 65_536 }, {}, /port in settings\.json is 65536/],
    ['a port that is null', { port: null }, {}, /port in settings\.json is null/],
    ['a port that is a list', { port: [] }, {}, /port in settings\.json is \[\]/],
    ['a level there is not', { logLevel: 'loud' }, {}, /logLevel in settings\.json is "loud"/],
    ['a file that is no JSON', '{', {}, /settings\.json is not readable JSON/],
    ['a file that is no object', [], {}, /settings\.json must hold a JSON object/],
  ])('%s', (_name, file, env, message) => {
    const load = (): unknown => loadConfig(folderWith(file), {}, env);
    expect(load).toThrow(UsageError);
    expect(load).toThrow(message);
  });
});

test('the data directory is the flag, then the variable, then the place the platform has for it', () => {
  expect(dataDirectory('a', { COUNTERFOIL_DATA: 'b' })).toBe('a');
  expect(dataDirectory(undefined, { COUNTERFOIL_DATA: 'b' })).toBe('b');
  expect(dataDirectory(undefined, {})).toMatch(/counterfoil$/i);
  expect(() => dataDirectory(undefined, { COUNTERFOIL_DATA: '' })).toThrow(UsageError);
});
