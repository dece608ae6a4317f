// Packages the desktop app for this system, into release/.
//
//   node build/package.mjs             installers, with Electron's own binary, which is downloaded
//   node build/package.mjs --stand-in  the folder that installers are made of, with a stand-in for the binary: for a machine
//                                      that cannot have it. What is in it is checked by test/package.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createPackage } from '@electron/asar';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const builder = join(root, 'node_modules/electron-builder/cli.js');
const config = join(root, 'build/electron-builder.json');

process.chdir(root);
run('build/run.mjs', 'build');
rmSync('release', { recursive: true, force: true });
if (process.argv.includes('--stand-in')) await packageStandIn();
else run(builder, '--config', config, '--publish', 'never');

/** @param {string[]} command */
function run(...command) {
  execFileSync(process.execPath, command, { stdio: ['ignore', 2, 2] });
}

/** What electron-builder takes for Electron's binary and files is made here; nothing in it runs. */
async function packageStandIn() {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-runtime-'));
  try {
    const runtime = join(folder, 'runtime');
    const nothing = join(folder, 'nothing');
    for (const path of [nothing, join(runtime, 'resources')]) mkdirSync(path, { recursive: true });
    writeFileSync(join(nothing, 'package.json'), '{}');
    await createPackage(nothing, join(runtime, 'resources/default_app.asar'));
    copyFileSync(process.execPath, join(runtime, process.platform === 'win32' ? 'electron.exe' : 'electron'));
    for (const name of ['version', 'LICENSE', 'LICENSES.chromium.html'])
      writeFileSync(join(runtime, name), readVersion());
    // There are no fuses to set and no languages to leave out.
    const more = { electronDist: runtime, electronFuses: null, electronLanguages: [] };
    const settings = /** @type {object} */ (JSON.parse(readFileSync(config, 'utf8')));
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...settings, ...more }));
    run(builder, '--dir', '--config', join(folder, 'config.json'), '--publish', 'never');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readVersion() {
  const { version } = /** @type {{ version: string }} */ (createRequire(import.meta.url)('electron/package.json'));
  return version;
}
