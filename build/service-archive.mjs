// Makes the service's archive for macOS and Windows: the gateway, its command, its own Node, and the settings for launchd or WinSW.
// It contains no part of the desktop app.

import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { create } from 'tar';

/** The files of each system, beside the gateway and Node. The first one is the command. */
const FILES = {
  darwin: ['build/mac/counterfoil', 'build/mac/shop.counterfoil.service.plist'],
  win32: ['build/windows/counterfoil.cmd', 'build/windows/counterfoil-service.xml'],
};
const SYSTEMS = { darwin: 'macos', win32: 'windows' };

/**
 * Writes the archive into the folder `out`, and returns its path. `app` is the folder with the unpacked files of the packaged app.
 * `node` is the program for the target, and `nodeLicense` its licence.
 * @param {{ app: string, node: string, nodeLicense: string, out: string, platform: 'darwin' | 'win32', arch: string,
 * version: string }} parts
 */
export async function makeServiceArchive({ app, node, nodeLicense, out, platform, arch, version }) {
  const name = 'counterfoil-service';
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-service-'));
  const tree = join(folder, name);
  const file = join(out, `${name}_${version}_${SYSTEMS[platform]}-${arch}.tar.gz`);
  try {
    mkdirSync(tree);
    for (const part of ['dist', 'node_modules']) cpSync(join(app, part), join(tree, part), { recursive: true });
    for (const native of globSync('node_modules/better-sqlite3/prebuilds/*.node', { cwd: tree }))
      if (!native.endsWith(`${platform}-${arch}.node`)) rmSync(join(tree, native)); // the app for macOS has two
    const program = join(tree, platform === 'win32' ? 'node.exe' : 'node');
    copyFileSync(node, program);
    copyFileSync(nodeLicense, join(tree, 'LICENSE-node'));
    copyFileSync('LICENSE', join(tree, 'LICENSE'));
    for (const path of FILES[platform]) copyFileSync(path, join(tree, path.split('/').at(-1) ?? ''));
    if (platform === 'darwin') for (const path of [program, join(tree, 'counterfoil')]) chmodSync(path, 0o755);
    await create({ gzip: true, cwd: folder, portable: true, file }, [name]);
    return file;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
