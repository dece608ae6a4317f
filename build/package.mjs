// Packages the desktop app for this system, into release/.
//
//   node build/package.mjs             installers, with Electron's own binary, which is downloaded
//   node build/package.mjs --stand-in  the folder that installers are made of, with a stand-in for the binary, and on Debian the
//                                      .deb: for a machine that cannot have it. What is in it is checked by test/package.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createPackage } from '@electron/asar';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const builder = join(root, 'node_modules/electron-builder/cli.js');
const require = createRequire(import.meta.url);
const isStandIn = process.argv.includes('--stand-in');

process.chdir(root); // what the settings name begins there
run('build/run.mjs', 'build');
rmSync('release', { recursive: true, force: true });
const folder = mkdtempSync(join(tmpdir(), 'counterfoil-package-'));
try {
  const settings = { ...readSettings(), ...(isStandIn && (await standInRuntime())) };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(settings));
  // There is no fpm either; what it is given becomes a .deb all the same.
  if (isStandIn) process.env.CUSTOM_FPM_PATH = join(root, 'build/stand-in-fpm.mjs');
  const what = isStandIn ? standInTarget() : [];
  run(builder, ...what, '--config', join(folder, 'config.json'), '--publish', 'never');
} finally {
  rmSync(folder, { recursive: true });
}

/** @param {string[]} command */
function run(...command) {
  execFileSync(process.execPath, command, { stdio: ['ignore', 2, 2] });
}

/** Those of electron-builder.json. What our scripts do at installing and removing a .deb comes after what the packager's do. */
function readSettings() {
  const settings = /** @type {{ extraMetadata: object, deb: { afterInstall: string, afterRemove: string } }} */ (
    JSON.parse(readFileSync('build/electron-builder.json', 'utf8'))
  );
  const templates = join(root, 'node_modules/app-builder-lib/templates/linux');
  /** @type {(name: string, own: string) => string} */
  const extend = (name, own) => {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(join(templates, name), 'utf8') + readFileSync(own, 'utf8'));
    return path;
  };
  const { deb, extraMetadata } = settings;
  const { publish, homepage } = findOrigin();
  const scripts = {
    afterInstall: extend('after-install.tpl', deb.afterInstall),
    afterRemove: extend('after-remove.tpl', deb.afterRemove),
  };
  return { ...settings, publish, extraMetadata: { ...extraMetadata, homepage }, deb: { ...deb, ...scripts } };
}

/** Where the packaged app finds its updates: where releases of this repository are, and nowhere when that is not GitHub. */
function findOrigin() {
  const stated = /** @type {{ repository?: string | { url: string } }} */ (require('../package.json')).repository;
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { encoding: 'utf8' });
  const url = (typeof stated === 'object' ? stated.url : stated) ?? stdout ?? '';
  const [, owner, repo] = /github\.com[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\s*$/.exec(url) ?? [];
  if (isStandIn || owner === undefined || repo === undefined)
    return {
      publish: { provider: 'generic', url: 'https://updates.counterfoil.invalid' },
      homepage: 'https://counterfoil.invalid', // a .deb has to name one
    };
  return { publish: { provider: 'github', owner, repo }, homepage: `https://github.com/${owner}/${repo}` };
}

/** As much of what this system gets as can be made of a stand-in. */
function standInTarget() {
  if (process.platform === 'darwin') return ['--mac', 'dir', '--universal'];
  const hasDpkg = process.platform === 'linux' && spawnSync('dpkg-deb', ['--version']).status === 0;
  return hasDpkg ? ['--linux', 'deb'] : ['--dir'];
}

/** What electron-builder takes for Electron's binary and files is made here; nothing in it runs. */
async function standInRuntime() {
  const runtime = join(folder, 'runtime');
  const isMac = process.platform === 'darwin';
  const resources = join(runtime, isMac ? 'Electron.app/Contents/Resources' : 'resources');
  const nothing = join(folder, 'nothing');
  for (const path of [nothing, resources]) mkdirSync(path, { recursive: true });
  writeFileSync(join(nothing, 'package.json'), '{}');
  await createPackage(nothing, join(resources, 'default_app.asar'));
  if (isMac) {
    writeMacApp(runtime, 'Electron');
    writeMacApp(join(runtime, 'Electron.app/Contents/Frameworks'), 'Electron Helper');
  } else copyFileSync(process.execPath, join(runtime, process.platform === 'win32' ? 'electron.exe' : 'electron'));
  for (const name of ['version', 'LICENSE', 'LICENSES.chromium.html'])
    writeFileSync(join(runtime, name), readVersion());
  // There are no fuses to set, no languages to leave out and nothing to sign; what makes an icon for a Mac is downloaded too.
  const { mac } = /** @type {{ mac: object }} */ (JSON.parse(readFileSync('build/electron-builder.json', 'utf8')));
  return {
    electronDist: runtime,
    electronFuses: null,
    electronLanguages: [],
    mac: { ...mac, identity: null, icon: null },
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

function readVersion() {
  const { version } = /** @type {{ version: string }} */ (require('electron/package.json'));
  return version;
}
