// What is switched off in the packaged program itself. Read from the settings here; from the binary where there is one.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv } from 'ajv';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const settings = JSON.parse(readFileSync(join(ROOT, 'build/electron-builder.json'), 'utf8')) as Record<string, unknown>;

test('the program cannot be run as Node, be debugged or given options from outside, nor load what is not in its archive', () => {
  expect(settings['electronFuses']).toEqual({
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    enableCookieEncryption: true,
    grantFileProtocolExtraPrivileges: false,
  });
  expect(settings['asar']).toBe(true);
});

test('the AppImage is not told to leave the sandbox out, which is the packager’s way', () => {
  expect(settings['appImage']).toEqual({ executableArgs: [] });
});

test('the settings of the packager are such that it knows', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'node_modules/app-builder-lib/scheme.json'), 'utf8')) as object;
  const ajv = new Ajv({ strict: false, allErrors: true });
  const { $schema: _, ...known } = settings;
  const isKnown = ajv.validate(schema, known);
  expect(ajv.errors).toBeNull();
  expect(isKnown).toBe(true);
});

test('records stay when the program is removed', () => {
  expect(settings['nsis']).toMatchObject({ deleteAppDataOnUninstall: false });
});

test('each system gets what its updates are made of, and a Mac one app for both of its kinds', () => {
  const { win, mac, linux, nsis } = settings as Record<string, { target?: unknown; artifactName?: string }>;
  expect(win?.target).toEqual(['nsis']);
  expect(linux?.target).toContain('AppImage');
  expect(mac?.target).toEqual(['dmg', 'zip'].map((target) => ({ target, arch: ['universal'] })));
  expect(nsis?.artifactName).not.toContain(' '); // a release's files have none, and would not be found by this name
});

test('on Windows it is installed for oneself or for everybody, as one says', () => {
  expect(settings['nsis']).toMatchObject({ oneClick: false, perMachine: false, allowElevation: true });
});
