// Makes the service's .deb by dpkg-deb: the gateway, its command with man page and shell completion, its own Node, the unit and
// the user. It contains no part of the desktop app. The desktop's .deb depends on this package, so no file is in both packages.

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { debVersion } from './package-settings.mjs';
import { readBinaryTarget } from './read-binary.mjs';

const NODE = 'node_modules/node/bin/node';
/** Debian's names of processors. */
const ARCHITECTURES = /** @type {Record<string, string>} */ ({ x64: 'amd64', arm64: 'arm64' });
/** The libraries that Node and the database's native module link to. */
const DEPENDS = 'libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 11)';
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
/** The paths of the executable files. All other files are data. */
const PROGRAMS = ['usr/bin/counterfoil', 'usr/lib/counterfoil/node', ...SCRIPTS.map((name) => `DEBIAN/${name}`)];

/**
 * Why this machine cannot make the package for a processor; undefined if it can. The package contains the Node of this
 * checkout, which must be for that processor.
 * @param {string} arch
 */
export function findNodeFault(arch) {
  const target = readBinaryTarget(NODE);
  if (target === `linux-${arch}`) return undefined;
  return (
    `The service's .deb for linux-${arch} needs a Node for linux-${arch}; the one in ${NODE} is for ${target}. ` +
    `Build on linux-${arch}.`
  );
}

/**
 * Writes the .deb into the folder `out`. `app` is the folder with the unpacked files of the packaged app. Its native modules
 * must already have been checked.
 * @param {{ app: string, out: string, arch: string, version: string, maintainer: string, homepage: string, compression: 'xz' |
 * 'none' }} parts
 */
export function makeServiceDeb({ app, out, arch, version, maintainer, homepage, compression }) {
  const tree = mkdtempSync(join(tmpdir(), 'counterfoil-service-'));
  try {
    for (const part of ['dist', 'node_modules'])
      cpSync(join(app, part), join(tree, 'usr/lib/counterfoil', part), { recursive: true });
    const files = /** @type {[source: string, path: string][]} */ ([
      [NODE, 'usr/lib/counterfoil/node'],
      ['build/linux/counterfoil', 'usr/bin/counterfoil'],
      ['build/linux/counterfoil.service', 'usr/lib/systemd/system/counterfoil.service'],
      ['build/linux/sysusers.conf', 'usr/lib/sysusers.d/counterfoil.conf'],
      ['LICENSE', 'usr/share/doc/counterfoil-service/copyright'],
      [nodeLicense(arch), 'usr/share/doc/counterfoil-service/copyright-node'],
      ...SCRIPTS.map((name) => [`build/linux/${name}`, `DEBIAN/${name}`]),
    ]);
    for (const [source, path] of files) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      copyFileSync(source, join(tree, path));
    }
    for (const [path, content] of commandFiles()) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), content);
    }
    const bytes = setModes(tree);
    for (const path of PROGRAMS) chmodSync(join(tree, path), 0o755);
    const control = {
      Package: 'counterfoil-service',
      Version: debVersion(version),
      Architecture: ARCHITECTURES[arch],
      Maintainer: maintainer,
      'Installed-Size': Math.ceil(bytes / 1024),
      Section: 'net',
      Priority: 'optional',
      Depends: DEPENDS,
      Recommends: 'systemd',
      // Old versions of the desktop's .deb contained the files of this package.
      Breaks: `counterfoil (<< ${debVersion(version)})`,
      Replaces: `counterfoil (<< ${debVersion(version)})`,
      ...(homepage !== '' && { Homepage: homepage }),
      Description:
        'gateway between the tills of a store and the internet\n' +
        ' It keeps every sale on its disk, forwards it, and says whether a day is complete.\n' +
        ' This package has the command line and the service. It starts nothing by itself.',
    };
    const lines = Object.entries(control).map(([field, value]) => `${field}: ${value}\n`);
    writeFileSync(join(tree, 'DEBIAN/control'), lines.join(''), { mode: 0o644 });
    const file = join(out, `counterfoil-service_${debVersion(version)}_${ARCHITECTURES[arch]}.deb`);
    execFileSync('dpkg-deb', ['--build', '--root-owner-group', `-Z${compression}`, tree, file], {
      stdio: ['ignore', 2, 2],
    });
  } finally {
    rmSync(tree, { recursive: true });
  }
}

/**
 * Returns the files that belong to the command: the man page, and the completion script of each shell. Both are made from the
 * table of commands.
 * @returns {[path: string, content: string | Buffer][]}
 */
function commandFiles() {
  // The commands' descriptions contain the default data directory. It must not be a directory of the machine that builds the
  // package.
  const env = { ...process.env, XDG_DATA_HOME: '~/.local/share', COUNTERFOIL_PROGRAM: 'counterfoil' };
  /** @type {(...args: string[]) => string} */
  const run = (...args) => execFileSync(process.execPath, args, { encoding: 'utf8', env });
  run('build/man-page.ts');
  return [
    ['usr/share/man/man1/counterfoil.1.gz', gzipSync(readFileSync('dist/counterfoil.1'), { level: 9 })],
    ['usr/share/bash-completion/completions/counterfoil', run('dist/node/main.mjs', 'completion', 'bash')],
    ['usr/share/zsh/vendor-completions/_counterfoil', run('dist/node/main.mjs', 'completion', 'zsh')],
    ['usr/share/fish/vendor_completions.d/counterfoil.fish', run('dist/node/main.mjs', 'completion', 'fish')],
  ];
}

/** @param {string} arch */
function nodeLicense(arch) {
  return `node_modules/node/node_modules/node-linux-${arch}/LICENSE`;
}

/**
 * Sets the modes of a folder and everything in it, whatever the umask is. Returns the bytes of all files.
 * @type {(path: string) => number}
 */
function setModes(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) {
    chmodSync(path, 0o644);
    return stat.size;
  }
  chmodSync(path, 0o755);
  return readdirSync(path).reduce((sum, name) => sum + setModes(join(path, name)), 0);
}
