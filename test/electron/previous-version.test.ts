// The app keeps a complete copy of its previous version and restores it in one step.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { openPreviousVersion } from '../../electron/previous-version.ts';
import { temporaryFolder } from '../support/temp-store.ts';

function open(platform: NodeJS.Platform) {
  const root = temporaryFolder();
  const folder = join(root, 'kept');
  const started: unknown[] = [];
  const appImage = join(root, 'Counterfoil.AppImage');
  const executable = join(root, 'Counterfoil.app/Contents/MacOS/counterfoil');
  const installer = join(root, 'installer.exe');
  mkdirSync(dirname(executable), { recursive: true });
  const install = (version: string): void => {
    writeFileSync(appImage, version, { mode: 0o755 });
    writeFileSync(executable, version, { mode: 0o755 });
    writeFileSync(installer, version);
  };
  install('one');
  symlinkSync('MacOS/counterfoil', join(root, 'Counterfoil.app/Contents/Current'));
  const previous = openPreviousVersion({
    platform,
    executable,
    program: platform === 'linux' ? appImage : join(root, 'Counterfoil.app'),
    installer,
    folder,
    startDetached: (program, args) => Promise.resolve(void started.push(program, args)),
    relaunch: (program) => void started.push(program),
  });
  return { previous, install, started, folder, root, appImage, executable };
}

test('on Linux the AppImage is restored unchanged, and started', async () => {
  const { previous, install, started, appImage } = open('linux');
  const kept = (await previous.keep('1.0.0')) ?? '';
  install('two');
  await previous.goBack(kept);
  expect(readFileSync(appImage, 'utf8')).toBe('one');
  expect(statSync(appImage).mode & 0o111).toBe(0o111);
  expect(started).toEqual([appImage]);
});

test('on macOS the application is restored completely, and no other copy is left beside it', async () => {
  const { previous, install, started, executable, root } = open('darwin');
  const kept = (await previous.keep('1.0.0')) ?? '';
  install('two');
  await previous.goBack(kept);
  expect(readFileSync(join(root, 'Counterfoil.app/Contents/Current'), 'utf8')).toBe('one');
  expect(started).toEqual([executable]);
  expect(readdirSync(root).filter((name) => name.startsWith('Counterfoil.app'))).toEqual(['Counterfoil.app']);
});

test('on Windows the installer of the version is stored and run again', async () => {
  const { previous, install, started } = open('win32');
  const kept = (await previous.keep('1.0.0')) ?? '';
  install('two');
  await previous.goBack(kept);
  expect(readFileSync(kept, 'utf8')).toBe('one');
  expect(started).toEqual([kept, ['--updated', '/S', '--force-run']]);
});

test('on Windows an installation by another account has nothing to store', async () => {
  const { previous, root } = open('win32');
  rmSync(join(root, 'installer.exe'));
  expect(await previous.keep('1.0.0')).toBeUndefined();
});

test('other versions are kept until they are deleted explicitly', async () => {
  const { previous, folder } = open('linux');
  await previous.keep('1.0.0');
  await previous.keep('1.1.0');
  await previous.keep('1.1.0');
  expect(readdirSync(folder)).toEqual(['1.0.0', '1.1.0']);
  await previous.forgetOthers('1.1.0');
  expect(readdirSync(folder)).toEqual(['1.1.0']);
});

test('a failed restore is an error and leaves the running version unchanged', async () => {
  const { previous, appImage } = open('linux');
  await expect(previous.goBack('/nowhere/Counterfoil.AppImage')).rejects.toThrow('ENOENT');
  expect(readFileSync(appImage, 'utf8')).toBe('one');
});
