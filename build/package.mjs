// Packages the desktop app and the service into release/.
//
//   node build/package.mjs             installers, with Electron's own binary, which is downloaded
//   node build/package.mjs --stand-in  the unpacked folder, with a stand-in for the binary, and on Debian the .debs: for a
//                                      machine without Electron. test/package checks the content.
//
// --platform (linux, win32, darwin) and --arch (x64, arm64) name another target than this machine, --out another folder.
// COUNTERFOIL_UPDATES_URL is where the packaged app looks for updates, see CONTRIBUTING.md.

import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { createPackage } from '@electron/asar';

import { dropEmptySecrets, findUpdateAddress, makeSettings } from './package-settings.mjs';
import { makeServiceArchive } from './service-archive.mjs';
import { findNodeFault, makeServiceDeb } from './service-deb.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const { version, homepage, repository } =
  /** @type {{ version: string, homepage?: string, repository?: string | { url: string } }} */ (
    require('../package.json')
  );
const { isStandIn, target, out } = readArguments();
const env = dropEmptySecrets(process.env);
const hasDpkg = process.platform === 'linux' && spawnSync('dpkg-deb', ['--version']).status === 0;
const hasService = target.platform === 'linux' && hasDpkg;

process.chdir(root); // paths in the settings are relative to the root of the checkout
const fault = hasService ? findNodeFault(target.arch) : undefined;
if (fault !== undefined) fail(fault);
if (target.platform === 'linux' && !hasDpkg)
  console.error('There is no dpkg-deb: the .deb packages are not made, only the AppImage.');

run('build/run.mjs', 'build', ...(isStandIn ? ['--stale'] : []));
rmSync(out, { recursive: true, force: true });
const folder = mkdtempSync(join(tmpdir(), 'counterfoil-package-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const settings =
  /** @type {{ linux: { maintainer: string }, mac: object, win: object } & import('./package-settings.mjs').Settings} */ (
    JSON.parse(readFileSync('build/electron-builder.json', 'utf8'))
  );
const made = {
  ...makeSettings(settings, { target, address: findAddress(), homepage, version, hasDpkg, env }),
  directories: { output: out, buildResources: 'build' },
};
const config = join(folder, 'config.json');
writeFileSync(config, JSON.stringify({ ...made, ...(isStandIn && (await standInRuntime())) }));
// With --stand-in, our script also replaces fpm, so that the packager makes a .deb without downloading fpm.
if (isStandIn) env['CUSTOM_FPM_PATH'] = join(root, 'build/stand-in-fpm.mjs');
run('node_modules/electron-builder/cli.js', ...builderArguments(), '--config', config, '--publish', 'never');
if (hasService)
  makeServiceDeb({
    app: join(
      out,
      target.arch === 'x64' ? 'linux-unpacked' : `linux-${target.arch}-unpacked`,
      'resources/app.asar.unpacked',
    ),
    out,
    arch: target.arch,
    version,
    maintainer: settings.linux.maintainer,
    homepage: made.extraMetadata.homepage,
    compression: isStandIn ? 'none' : 'xz',
  });
// The archive contains the Node of this checkout, so it is made only for this machine's system and processor.
const { platform, arch } = target;
if (platform !== 'linux' && platform === process.platform && arch === process.arch) {
  const pattern = platform === 'win32' ? '*-unpacked/resources' : 'mac*/*.app/Contents/Resources';
  const [resources] = globSync(pattern, { cwd: out });
  const [nodeLicense] = globSync('node_modules/node/node_modules/node-*/LICENSE');
  if (resources === undefined || nodeLicense === undefined) fail('The packaged app or the licence of Node is missing.');
  await makeServiceArchive({
    app: join(out, resources, 'app.asar.unpacked'),
    node: platform === 'win32' ? 'node_modules/node/bin/node.exe' : 'node_modules/node/bin/node',
    nodeLicense,
    out,
    platform,
    arch,
    version,
  });
}

/** @returns {{ isStandIn: boolean, target: import('./package-settings.mjs').Target, out: string }} */
function readArguments() {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({
    options: { 'stand-in': { type: 'boolean', default: false }, platform: text, arch: text, out: text },
  });
  const { platform = process.platform, arch = process.arch } = values;
  if (platform !== 'linux' && platform !== 'win32' && platform !== 'darwin')
    fail(`--platform is ${platform}; give linux, win32 or darwin.`);
  if (arch !== 'x64' && arch !== 'arm64') fail(`--arch is ${arch}; give x64 or arm64.`);
  return {
    isStandIn: values['stand-in'],
    target: { platform, arch },
    out: resolve(values.out ?? join(root, 'release')),
  };
}

/**
 * Returns the address for updates. With --stand-in, the Git remote of the checkout is ignored, so that the result is the same
 * on every machine.
 */
function findAddress() {
  if (isStandIn) return findUpdateAddress({ env });
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { encoding: 'utf8' });
  const stated = typeof repository === 'object' ? repository.url : repository;
  return findUpdateAddress({ env, remote: stdout ?? '', ...(stated !== undefined && { repository: stated }) });
}

/** The packager's arguments. macOS gets one app for both processors. */
function builderArguments() {
  const { platform, arch } = target;
  if (platform === 'darwin') return isStandIn ? ['--mac', 'dir', '--universal'] : ['--mac'];
  const name = platform === 'win32' ? '--win' : '--linux';
  return [name, ...(isStandIn ? [hasService ? 'deb' : 'dir'] : []), `--${arch}`];
}

/** @param {string[]} command */
function run(...command) {
  const { status } = spawnSync(process.execPath, command, { stdio: ['ignore', 2, 2], env });
  if (status !== 0) process.exit(status ?? 1); // the command has printed the reason
}

/** @type {(message: string) => never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Makes files that electron-builder accepts as Electron; none of them runs. */
async function standInRuntime() {
  const runtime = join(folder, 'runtime');
  const isMac = target.platform === 'darwin';
  const resources = join(runtime, isMac ? 'Electron.app/Contents/Resources' : 'resources');
  const nothing = join(folder, 'nothing');
  for (const path of [nothing, resources]) mkdirSync(path, { recursive: true });
  writeFileSync(join(nothing, 'package.json'), '{}');
  await createPackage(nothing, join(resources, 'default_app.asar'));
  if (isMac) {
    writeMacApp(runtime, 'Electron');
    writeMacApp(join(runtime, 'Electron.app/Contents/Frameworks'), 'Electron Helper');
  } else if (target.platform === 'linux') writeFileSync(join(runtime, 'electron'), '#!/bin/false\n', { mode: 0o755 });
  // a real program, because the packager writes our icon into it
  else if (process.platform === 'win32') copyFileSync(process.execPath, join(runtime, 'electron.exe'));
  else writeFileSync(join(runtime, 'electron.exe'), '');
  for (const name of ['version', 'LICENSE', 'LICENSES.chromium.html'])
    writeFileSync(join(runtime, name), readElectronVersion());
  // Skips fuses, languages, signing and the Mac icon: they need real binaries or downloads.
  const { mac, win } = made;
  return {
    electronDist: runtime,
    electronFuses: null,
    electronLanguages: [],
    mac: { ...mac, forceCodeSigning: false, identity: null, icon: null },
    win: { ...win, forceCodeSigning: false, signAndEditExecutable: process.platform === 'win32' },
    // The packager writes a checksum into the app's program, and needs a real Windows binary for this.
    disableAsarIntegrity: process.platform !== target.platform,
  };
}

/** @type {(folder: string, name: string) => void} */
function writeMacApp(folder, name) {
  const contents = join(folder, `${name}.app/Contents`);
  mkdirSync(join(contents, 'MacOS'), { recursive: true });
  writeFileSync(join(contents, 'MacOS', name), '', { mode: 0o755 });
  const about = `<dict><key>CFBundleExecutable</key><string>${name}</string></dict>`;
  writeFileSync(join(contents, 'Info.plist'), `<?xml version="1.0"?><plist version="1.0">${about}</plist>`);
}

function readElectronVersion() {
  return /** @type {{ version: string }} */ (require('electron/package.json')).version;
}
