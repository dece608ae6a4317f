import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { dataDirectory, dataOption, moveRoamingData, platformDirectory } from '../../server/data-location.ts';
import { UsageError } from '../../server/errors.ts';
import { temporaryFolder } from '../support/temp-store.ts';

test('the data directory is the flag, then the variable, then the default of the platform', () => {
  expect(dataDirectory('a', { COUNTERFOIL_DATA: 'b' })).toBe('a');
  expect(dataDirectory(undefined, { COUNTERFOIL_DATA: 'b' })).toBe('b');
  expect(dataDirectory(undefined, {})).toMatch(/counterfoil$/i);
  expect(() => dataDirectory(undefined, { COUNTERFOIL_DATA: '' })).toThrow(UsageError);
});

test('an empty XDG_DATA_HOME counts as unset, so that the data never depend on the working directory', () => {
  const usual = platformDirectory({}, 'linux');
  expect(isAbsolute(usual)).toBe(true);
  expect(platformDirectory({ XDG_DATA_HOME: '' }, 'linux')).toBe(usual);
  expect(platformDirectory({ XDG_DATA_HOME: '/data' }, 'linux')).toBe(join('/data', 'counterfoil'));
});

test('a shown command names the default directory if COUNTERFOIL_DATA would lead it to another one', () => {
  const env = { XDG_DATA_HOME: '/data' };
  const usual = platformDirectory(env);
  expect(dataOption(usual, env)).toBe('');
  expect(dataOption(usual, { ...env, COUNTERFOIL_DATA: usual })).toBe('');
  for (const other of ['/other', ''])
    expect(dataOption(usual, { ...env, COUNTERFOIL_DATA: other })).toBe(` --data "${usual}"`);
  expect(dataOption('/other', { ...env, COUNTERFOIL_DATA: '/other' })).toBe(' --data "/other"');
});

describe('on Windows the data stay on this machine:', () => {
  /** Makes a user profile with a data directory in each folder that `has` names. Earlier versions kept the data in `roaming`. */
  function openProfile(...has: ('local' | 'roaming')[]) {
    const root = temporaryFolder();
    const folders = { local: join(root, 'Local/Counterfoil'), roaming: join(root, 'Roaming/Counterfoil') };
    for (const name of ['Local', 'Roaming']) mkdirSync(join(root, name));
    for (const each of has) mkdirSync(folders[each]);
    for (const each of has) writeFileSync(join(folders[each], 'counterfoil.db'), each);
    const env = { LOCALAPPDATA: join(root, 'Local'), APPDATA: join(root, 'Roaming') };
    const isIn = (each: 'local' | 'roaming'): boolean => existsSync(join(folders[each], 'counterfoil.db'));
    return { env, folders, isIn };
  }

  test('a new store, and a store that was moved already', () => {
    for (const { env, folders } of [openProfile(), openProfile('local'), openProfile('local', 'roaming')])
      expect(platformDirectory(env, 'win32')).toBe(folders.local);
  });

  test('roaming data are moved as a whole, once, and used in their old place until then', () => {
    const { env, folders, isIn } = openProfile('roaming');
    expect(platformDirectory(env, 'win32')).toBe(folders.roaming);
    moveRoamingData(env, 'win32');
    expect([isIn('local'), isIn('roaming'), platformDirectory(env, 'win32')]).toEqual([true, false, folders.local]);
  });

  test('data in both places stay where they are, as do data that cannot be moved', () => {
    const both = openProfile('local', 'roaming');
    moveRoamingData(both.env, 'win32');
    expect([both.isIn('local'), both.isIn('roaming')]).toEqual([true, true]);
    const { env, folders, isIn } = openProfile('roaming');
    const elsewhere = { ...env, LOCALAPPDATA: '/proc/nowhere' };
    moveRoamingData(elsewhere, 'win32');
    expect([isIn('roaming'), platformDirectory(elsewhere, 'win32')]).toEqual([true, folders.roaming]);
  });

  test('on other systems nothing is moved', () => {
    const { env, isIn } = openProfile('roaming');
    moveRoamingData(env, 'linux');
    expect(isIn('roaming')).toBe(true);
  });
});
