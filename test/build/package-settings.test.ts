// The packager's settings for each target: signing, updates and packages.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';

import {
  debVersion,
  dropEmptySecrets,
  findUpdateAddress,
  makeSettings,
  SIGNING_VARIABLES,
  type Settings,
  type Target,
} from '../../build/package-settings.mjs';

const ROOT = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const SETTINGS = read('build/electron-builder.json') as Settings;
const GITHUB = { provider: 'github', owner: 'corner', repo: 'counterfoil' } as const;
const OWN = { provider: 'generic', url: 'https://updates.example.com/counterfoil' } as const;
const TARGETS: readonly Target[] = (['linux', 'win32', 'darwin'] as const).flatMap((platform) =>
  ['x64', 'arm64'].map((arch) => ({ platform, arch })),
);
const LINUX = { platform: 'linux', arch: 'x64' } as const;

/** Makes the settings and drops undefined members, as the packager does. */
function make(known: Partial<Parameters<typeof makeSettings>[1]> = {}): Made {
  const all = { target: LINUX, address: null, homepage: undefined, version: '1.2.3', hasDpkg: true, env: {}, ...known };
  return makeSettings(SETTINGS, all) as unknown as Made;
}
interface Made {
  readonly publish: Readonly<Record<string, unknown>> | null;
  readonly extraMetadata: Readonly<Record<string, unknown>>;
  readonly mac: Readonly<Record<string, unknown>>;
  readonly win: Readonly<Record<string, unknown>>;
  readonly linux: { readonly target: readonly string[] };
  readonly deb: { readonly fpm: readonly string[] };
  readonly electronFuses: Readonly<Record<string, unknown>>;
}

describe('signing', () => {
  test('a Mac app without a certificate is signed ad hoc, after its fuses are set and as a whole', () => {
    const { mac, electronFuses } = make();
    expect(mac).toMatchObject({ identity: '-', notarize: false });
    expect(electronFuses).toMatchObject({ resetAdHocDarwinSignature: true });
  });

  test.each([{ CSC_LINK: 'a certificate' }, { CSC_NAME: 'The Counterfoil developers' }])(
    'with %o the packager finds the identity, and a build that cannot use it fails',
    (env) => {
      const { mac } = make({ env });
      expect(mac).not.toHaveProperty('identity');
      expect(mac).not.toHaveProperty('notarize');
      expect(mac).toMatchObject({ forceCodeSigning: true });
    },
  );

  test.each(['CSC_LINK', 'CSC_NAME'])('an empty %s is no certificate', (name) => {
    expect(make({ env: { [name]: '' } }).mac).toMatchObject({ identity: '-' });
  });

  test.each([
    [{}, false],
    [{ WIN_CSC_LINK: '' }, false],
    [{ WIN_CSC_LINK: 'a certificate' }, true],
    [{ CSC_LINK: 'a certificate' }, true],
  ])('on Windows with %o the build fails without a signature: %s', (env, isForced) => {
    expect(make({ env }).win).toMatchObject({ forceCodeSigning: isForced });
  });

  test('an empty signing variable is dropped; all others stay', () => {
    const env = Object.fromEntries(SIGNING_VARIABLES.map((name) => [name, '']));
    expect(dropEmptySecrets({ ...env, CSC_LINK: 'x', PATH: '/bin', LANG: '' })).toEqual({
      CSC_LINK: 'x',
      PATH: '/bin',
      LANG: '',
    });
  });
});

describe('updates', () => {
  test.each([
    ['the given address', { env: { COUNTERFOIL_UPDATES_URL: OWN.url }, remote: 'git@github.com:a/b.git' }, OWN],
    ['the repository on GitHub', { env: {}, repository: 'https://github.com/corner/counterfoil' }, GITHUB],
    ['the remote on GitHub', { env: {}, remote: 'git@github.com:corner/counterfoil.git\n' }, GITHUB],
    [
      'the remote, if the given address is empty',
      { env: { COUNTERFOIL_UPDATES_URL: '' }, remote: 'https://github.com/corner/counterfoil\n' },
      GITHUB,
    ],
    ['undefined for a remote elsewhere', { env: {}, remote: 'https://git.example.com/corner/counterfoil.git\n' }, null],
    ['undefined without a remote', { env: {}, remote: '' }, null],
  ])('their address is %s', (_, known, address) => {
    expect(findUpdateAddress(known)).toEqual(address);
  });

  test.each(['http://updates.example.com', 'updates.example.com', 'file:///srv'])(
    '%s is refused as an address',
    (url) => {
      expect(() => findUpdateAddress({ env: { COUNTERFOIL_UPDATES_URL: url } })).toThrow(/https:\/\//);
    },
  );

  test('a build without an address has no updater and no homepage', () => {
    for (const target of TARGETS) {
      expect(make({ target }).publish).toBeNull();
      expect(make({ target }).extraMetadata['homepage']).toBe('');
    }
  });

  test('the homepage is the given one, or the repository', () => {
    expect(make({ address: GITHUB }).extraMetadata['homepage']).toBe('https://github.com/corner/counterfoil');
    expect(make({ address: GITHUB, homepage: 'https://c.example.com' }).extraMetadata['homepage']).toBe(
      'https://c.example.com',
    );
    expect(make({ address: OWN }).extraMetadata['homepage']).toBe('');
  });

  test('Windows on arm64 has its own update list; no other target names a channel', () => {
    const channels = TARGETS.map((target) => make({ target, address: OWN }).publish?.['channel']);
    expect(channels).toEqual([undefined, undefined, undefined, 'latest-arm64', undefined, undefined]);
    const { GenericProvider } = require('electron-updater/out/providers/GenericProvider.js') as {
      GenericProvider: new (address: object, updater: object, options: object) => { channel: string };
    };
    const provider = new GenericProvider({ ...OWN, channel: 'latest-arm64' }, { channel: null }, { platform: 'win32' });
    expect(provider.channel).toBe('latest-arm64');
  });
});

describe('Debian', () => {
  test('the desktop’s package depends on the service’s of the same version', () => {
    expect(make({ version: '1.2.3' }).deb.fpm).toEqual(['-d', 'counterfoil-service (= 1.2.3)']);
    expect(make({ version: '1.2.3-beta.1' }).deb.fpm).toEqual(['-d', 'counterfoil-service (= 1.2.3~beta.1)']);
    expect(debVersion('1.2.3-beta.1')).toBe('1.2.3~beta.1');
  });

  test('without the service’s package, the desktop’s is not made either', () => {
    expect(make({ hasDpkg: true }).linux.target).toEqual(['AppImage', 'deb']);
    expect(make({ hasDpkg: false }).linux.target).toEqual(['AppImage']);
  });
});

test('the packager knows every setting', () => {
  const isKnown = new Ajv({ strict: false, allErrors: true }).compile(
    read('node_modules/app-builder-lib/scheme.json') as object,
  );
  for (const target of TARGETS)
    for (const address of [null, OWN, GITHUB])
      for (const env of [{}, { CSC_LINK: 'x', WIN_CSC_LINK: 'x' }]) {
        const { $schema: _, ...known } = make({ target, address, env }) as unknown as Record<string, unknown>;
        isKnown(known);
        expect(isKnown.errors).toBeNull();
      }
});
