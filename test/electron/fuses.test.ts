// What is switched off in the packaged program itself, by its settings; test/package reads it from the binary. Each rule is shown
// to be broken by what breaks it, and by nothing else.

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
  'the program is not run as Node': ['runAsNode', false],
  'it takes no options of Node from outside': ['enableNodeOptionsEnvironmentVariable', false],
  'it is not debugged from outside': ['enableNodeCliInspectArguments', false],
  'its archive is checked': ['enableEmbeddedAsarIntegrityValidation', true],
  'it loads its archive and nothing beside it': ['onlyLoadAppFromAsar', true],
  'its cookies are encrypted': ['enableCookieEncryption', true],
  'a file in its window is like any page': ['grantFileProtocolExtraPrivileges', false],
} as const;

const RULES: Readonly<Record<string, (settings: Settings) => boolean>> = {
  ...Object.fromEntries(
    Object.entries(FUSES).map(([rule, [fuse, value]]) => [
      rule,
      ({ electronFuses }: Settings) => electronFuses?.[fuse] === value,
    ]),
  ),
  'it is in an archive': ({ asar }) => asar === true,
  'records stay when the program is removed': ({ nsis }) => nsis?.['deleteAppDataOnUninstall'] === false,
};

const FAULTS: readonly (readonly [text: string, instead: string, breaks: string])[] = [
  ...Object.entries(FUSES).flatMap(([rule, [fuse, value]]) => [
    [`"${fuse}": ${value}`, `"${fuse}": ${!value}`, rule] as const,
    [`"${fuse}": ${value}`, `"no": 0`, rule] as const,
  ]),
  ['"asar": true', '"asar": false', 'it is in an archive'],
  ['"deleteAppDataOnUninstall": false', '"deleteAppDataOnUninstall": true', 'records stay when the program is removed'],
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

test('the AppImage is not told to leave the sandbox out, which is the packager’s way', () => {
  expect(settings['appImage']).toMatchObject({ executableArgs: [] });
});

test('the settings of the packager are such that it knows', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'node_modules/app-builder-lib/scheme.json'), 'utf8')) as object;
  const ajv = new Ajv({ strict: false, allErrors: true });
  const { $schema: _, ...known } = settings;
  const isKnown = ajv.validate(schema, known);
  expect(ajv.errors).toBeNull();
  expect(isKnown).toBe(true);
});

test('the AppImage brings its own libfuse: systems no longer have the one that the packager’s default needs', () => {
  expect(settings['toolsets']).toMatchObject({ appimage: '1.0.3' });
});

test('the file that names the app’s entry lies in the archive only', () => {
  expect(settings['asarUnpack']).not.toContain('package.json');
});

test('each system gets what its updates are made of, and a Mac one app for both of its kinds', () => {
  const { win, mac, linux, nsis } = settings as Record<string, { target?: unknown; artifactName?: string }>;
  expect(win?.target).toEqual(['nsis']);
  expect(linux?.target).toContain('AppImage');
  expect(mac?.target).toEqual(['dmg', 'zip'].map((target) => ({ target, arch: ['universal'] })));
  expect(nsis?.artifactName).not.toContain(' '); // a release's files have none, and would not be found by this name
  expect(nsis?.artifactName).toContain('${arch}'); // the updater looks for its processor in it
});

test('the AppImage has no version in its name: an update takes its place, and what starts it at login finds it', () => {
  expect(settings['appImage']).toMatchObject({ artifactName: '${productName}-${arch}.${ext}' });
});

test('on Windows it is installed for oneself or for everybody, as one says', () => {
  expect(settings['nsis']).toMatchObject({ oneClick: false, perMachine: false, allowElevation: true });
});
