// Checks the packager's security settings. test/package reads the fuses from the finished program. Each planted fault must
// break exactly its rule.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const TEXT = readFileSync(join(ROOT, 'build/electron-builder.json'), 'utf8');

interface Settings {
  readonly asar?: unknown;
  readonly electronFuses?: Readonly<Record<string, unknown>>;
  readonly nsis?: Readonly<Record<string, unknown>>;
}
const read = (text: string): Settings => JSON.parse(text) as Settings;
const settings = JSON.parse(TEXT) as Readonly<Record<string, unknown>>;

const FUSES = {
  'the program cannot run as Node': ['runAsNode', false],
  'it ignores the environment variable NODE_OPTIONS': ['enableNodeOptionsEnvironmentVariable', false],
  'it cannot be debugged from outside': ['enableNodeCliInspectArguments', false],
  'it verifies its archive': ['enableEmbeddedAsarIntegrityValidation', true],
  'it loads only its archive': ['onlyLoadAppFromAsar', true],
  'its cookies are encrypted': ['enableCookieEncryption', true],
  'a file in its window has no extra rights': ['grantFileProtocolExtraPrivileges', false],
} as const;

const RULES: Readonly<Record<string, (settings: Settings) => boolean>> = {
  ...Object.fromEntries(
    Object.entries(FUSES).map(([rule, [fuse, value]]) => [
      rule,
      ({ electronFuses }: Settings) => electronFuses?.[fuse] === value,
    ]),
  ),
  'the app is packed as an archive': ({ asar }) => asar === true,
  'removing the program keeps the records': ({ nsis }) => nsis?.['deleteAppDataOnUninstall'] === false,
};

const FAULTS: readonly (readonly [text: string, instead: string, breaks: string])[] = [
  ...Object.entries(FUSES).flatMap(([rule, [fuse, value]]) => [
    [`"${fuse}": ${value}`, `"${fuse}": ${!value}`, rule] as const,
    [`"${fuse}": ${value}`, `"no": 0`, rule] as const,
  ]),
  ['"asar": true', '"asar": false', 'the app is packed as an archive'],
  ['"deleteAppDataOnUninstall": false', '"deleteAppDataOnUninstall": true', 'removing the program keeps the records'],
];

const listBroken = (settings: Settings): string[] =>
  Object.keys(RULES).filter((rule) => RULES[rule]?.(settings) !== true);

test.each(Object.keys(RULES))('%s', (rule) => {
  expect(RULES[rule]?.(read(TEXT))).toBe(true);
});

describe('a planted fault breaks exactly its rules:', () => {
  test.each(FAULTS)('%s → %s', (text, instead, rule) => {
    const parts = TEXT.split(text);
    expect(parts).toHaveLength(2);
    expect(listBroken(read(parts.join(instead)))).toEqual([rule]);
  });
});

test('every rule is broken by some fault', () => {
  const broken = new Set(FAULTS.map(([, , rule]) => rule));
  expect(Object.keys(RULES).filter((rule) => !broken.has(rule))).toEqual([]);
});

test('the AppImage does not switch off the sandbox, which is the packager’s default', () => {
  expect(settings['appImage']).toMatchObject({ executableArgs: [] });
});

test('the packager’s schema accepts all settings', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'node_modules/app-builder-lib/scheme.json'), 'utf8')) as object;
  const ajv = new Ajv({ strict: false, allErrors: true });
  const { $schema: _, ...known } = settings;
  const isKnown = ajv.validate(schema, known);
  expect(ajv.errors).toBeNull();
  expect(isKnown).toBe(true);
});

test('the AppImage contains its own libfuse, because current systems lack the version of the packager’s default', () => {
  expect(settings['toolsets']).toMatchObject({ appimage: '1.0.3' });
});

test('the file that names the app’s entry is only in the archive', () => {
  expect(settings['asarUnpack']).not.toContain('package.json');
});

test('each system gets the file types that its updates need, and macOS one app for both processors', () => {
  const { win, mac, linux, nsis } = settings as Record<string, { target?: unknown; artifactName?: string }>;
  expect(win?.target).toEqual(['nsis']);
  expect(linux?.target).toContain('AppImage');
  expect(mac?.target).toEqual(['dmg', 'zip'].map((target) => ({ target, arch: ['universal'] })));
  // release files have no spaces in their names, so the updater would not find a name with a space
  expect(nsis?.artifactName).not.toContain(' ');
  expect(nsis?.artifactName).toContain('${arch}'); // the updater finds the file for its processor by this part of the name
});

test('the AppImage has no version in its name, so an update replaces it and the start at login finds it', () => {
  expect(settings['appImage']).toMatchObject({ artifactName: '${productName}-${arch}.${ext}' });
});

test('on Windows the user chooses an installation for one account or for all', () => {
  expect(settings['nsis']).toMatchObject({ oneClick: false, perMachine: false, allowElevation: true });
});
