// The two .deb packages that `npm run test:package` makes where dpkg-deb exists: their files, their scripts, and their gateway.
// The gateway runs without privileges, with the command and the Node of the package. Skipped on other systems.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { readBinaryTarget } from '../../build/read-binary.mjs';
import { postBody } from '../support/http-call.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { isStandIn, ROOT } from './packaged.ts';

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
/** The account that runs the gateway, if root runs this test. Other users have no privileges to drop. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** The programs are extracted into /var/tmp, because in-memory file systems often forbid execution. */
const PLACE = '/var/tmp';
const LIB = '/usr/lib/counterfoil';

let desktop = '';
let service = '';
/** The folder with the extracted files of the service's package. */
let tree = '';
describe.skipIf(process.platform !== 'linux' || !has('dpkg-deb'))('the .deb packages:', () => {
  beforeAll(() => {
    const find = (pattern: string): string => {
      const [path] = globSync(pattern, { cwd: ROOT });
      if (path === undefined) throw new Error('No .deb is packaged: npm run test:package does it first.');
      return join(ROOT, path);
    };
    [desktop, service] = [find('release/counterfoil_*.deb'), find('release/counterfoil-service_*.deb')];
    tree = mkdtempSync(join(PLACE, 'counterfoil-deb-'));
    chmodSync(tree, 0o755); // so that the account `nobody` can read the folder
    execFileSync('dpkg-deb', ['--extract', service, tree]);
  });
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  test('the service’s package has the command, its Node, the gateway, the unit and its user, and root owns all files', () => {
    const modes = readModes(service);
    for (const path of ['/usr/bin/counterfoil', `${LIB}/node`])
      expect([path, modes.get(path)]).toEqual([path, '-rwxr-xr-x']);
    for (const path of [
      `${LIB}/dist/node/main.mjs`,
      `${LIB}/dist/renderer/index.html`,
      `${LIB}/node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`,
      '/usr/lib/systemd/system/counterfoil.service',
      '/usr/lib/sysusers.d/counterfoil.conf',
      '/usr/share/doc/counterfoil-service/copyright',
      '/usr/share/doc/counterfoil-service/copyright-node',
      '/usr/share/man/man1/counterfoil.1.gz',
      '/usr/share/bash-completion/completions/counterfoil',
      '/usr/share/zsh/vendor-completions/_counterfoil',
      '/usr/share/fish/vendor_completions.d/counterfoil.fish',
    ])
      expect([path, modes.get(path)]).toEqual([path, '-rw-r--r--']);
    expect([...modes].filter(([path, mode]) => path.endsWith('/') && mode !== 'drwxr-xr-x')).toEqual([]);
    expect([...modes.keys()].filter((path) => /^\/(etc|var|opt|home)/.test(path))).toEqual([]);
  });

  test('the service’s package has the man page and the completion scripts, without any folder of the build machine', () => {
    const page = gunzipSync(readFileSync(join(tree, 'usr/share/man/man1/counterfoil.1.gz'))).toString();
    const scripts = globSync('usr/share/{bash,zsh,fish}*/**/*counterfoil*', { cwd: tree, withFileTypes: true })
      .filter((each) => each.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
    expect(scripts).toHaveLength(3);
    for (const text of [page.replaceAll('\\-', '-'), ...scripts]) {
      expect(text).toContain('if-missing');
      expect(text).not.toContain(homedir());
    }
  });

  test('the service’s package has one Node and one native module, both for its processor', () => {
    const natives = globSync('**/*.node', { cwd: tree });
    expect(natives).toHaveLength(1);
    for (const path of [`${LIB}/node`, natives[0] ?? ''])
      expect(readBinaryTarget(join(tree, path))).toBe(`linux-${process.arch}`);
    const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
    expect([readField(service, 'Architecture'), readField(desktop, 'Architecture')]).toEqual([
      architecture,
      architecture,
    ]);
  });

  test('the service’s package needs no desktop library, and exactly the libc version that its programs need', () => {
    const depends = readField(service, 'Depends');
    expect(depends.split(', ').map((each) => each.split(' ')[0])).toEqual(['libc6', 'libgcc-s1', 'libstdc++6']);
    const [native = ''] = globSync('**/*.node', { cwd: tree });
    const needed = [`${LIB}/node`, native].flatMap((path) =>
      [...readFileSync(join(tree, path), 'latin1').matchAll(/\0GLIBC_2\.(\d+)(?=\0)/g)].map(([, minor]) =>
        Number(minor),
      ),
    );
    expect(depends).toContain(`libc6 (>= 2.${Math.max(...needed)})`);
  });

  test('the desktop’s package depends on the service’s of the same version, and they share no file', () => {
    const version = readField(desktop, 'Version');
    expect(readField(desktop, 'Depends').split(', ')).toContain(`counterfoil-service (= ${version})`);
    expect(readField(service, 'Version')).toBe(version);
    for (const field of ['Breaks', 'Replaces']) expect(readField(service, field)).toBe(`counterfoil (<< ${version})`);
    const ours = readModes(service);
    const both = [...readModes(desktop).keys()].filter((path) => ours.has(path) && !path.endsWith('/'));
    expect(both).toEqual([]);
  });

  test('the desktop’s package has its program, and no invented address', () => {
    const modes = readModes(desktop);
    expect(modes.get('/opt/Counterfoil/counterfoil-desktop')).toBe('-rwxr-xr-x');
    expect(modes.has('/opt/Counterfoil/resources/node')).toBe(false);
    for (const deb of [desktop, service]) expect(readField(deb, 'Homepage')).toMatch(/^$|^https:\/\/github\.com\//);
    if (isStandIn) expect(modes.has('/opt/Counterfoil/resources/app-update.yml')).toBe(false);
  });

  test('the desktop’s package has a menu entry that matches the class of its window', () => {
    const folder = temporaryFolder(PLACE);
    execFileSync('dpkg-deb', ['--extract', desktop, folder]);
    const entry = readFileSync(join(folder, 'usr/share/applications/counterfoil-desktop.desktop'), 'utf8');
    expect(entry).toContain('\nExec=/opt/Counterfoil/counterfoil-desktop %U\n');
    expect(entry).toContain('\nStartupWMClass=counterfoil-desktop\n');
  });

  test('the desktop’s package has its icon at every size', () => {
    const icons = [...readModes(desktop).keys()].filter((path) => path.endsWith('/apps/counterfoil-desktop.png'));
    const sizes = icons.map((path) => Number(/hicolor\/(\d+)x/.exec(path)?.[1]));
    expect(sizes.toSorted((one, other) => one - other)).toEqual([16, 24, 32, 48, 64, 128, 256, 512, 1024]);
  });

  test('the desktop’s package runs the packager’s install steps, and leaves the command to the service’s', () => {
    const script = readScript(desktop, 'postinst');
    expect(script).toContain("update-alternatives --install '/usr/bin/counterfoil-desktop'");
    expect(script).not.toContain("'/usr/bin/counterfoil'");
    expect(script).toContain('chrome-sandbox');
    expect(script).toContain('apparmor_parser');
    expect(script).not.toContain('systemctl');
  });

  test('the service’s package creates its user and enables nothing; removal keeps the data and the user', () => {
    expect(readScript(service, 'postinst')).toContain('systemd-sysusers counterfoil.conf');
    expect(readScript(service, 'postinst')).not.toMatch(/systemctl .*(enable|\bstart)/);
    for (const name of ['postinst', 'prerm', 'postrm']) {
      execFileSync('sh', ['-n'], { input: readScript(service, name) });
      expect(readScript(service, name)).not.toMatch(/\brm |userdel|deluser/);
    }
  });

  test.skipIf(!has('systemd-analyze'))(
    'the service’s package has a unit that systemd accepts, with few privileges',
    () => {
      const unit = join(tree, 'usr/lib/systemd/system/counterfoil.service');
      const rules = `--root=${tree}`;
      for (const target of ['sysinit.target', 'basic.target', 'shutdown.target', 'multi-user.target', 'network.target'])
        writeFileSync(join(tree, 'usr/lib/systemd/system', target), '[Unit]\n');
      const { stderr, status } = spawnSync('systemd-analyze', ['verify', rules, '--man=no', 'counterfoil.service'], {
        encoding: 'utf8',
      });
      const complaints = stderr.split('\n').filter((line) => line !== '' && !/'Restart(Steps|MaxDelaySec)'/.test(line));
      expect([complaints, status]).toEqual([[], 0]);
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
        encoding: 'utf8',
      });
      // on a scale from 0 to 10; it was 1.5 when measured, but newer versions of systemd check more
      expect(Number(/Overall exposure level.*: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(2);
    },
  );

  test('the service’s gateway accepts a record, started by its command without privileges', async () => {
    const folder = temporaryFolder(PLACE);
    const data = join(folder, 'data');
    const command = join(folder, 'counterfoil');
    const installed = readFileSync(join(tree, 'usr/bin/counterfoil'), 'utf8');
    writeFileSync(command, installed.replaceAll(LIB, `${tree}${LIB}`), { mode: 0o755 });
    mkdirSync(data);
    if (NOBODY.uid !== undefined) for (const path of [folder, data]) chownSync(path, NOBODY.uid, NOBODY.gid);
    const env = { PATH: '/usr/bin:/bin' };

    const unit = readFileSync(join(tree, 'usr/lib/systemd/system/counterfoil.service'), 'utf8');
    const [, given = ''] = /^ExecStart=\/usr\/bin\/counterfoil (.*)$/m.exec(unit) ?? [];
    const args = given.replace('/var/lib/counterfoil', data).split(' ');
    const gateway = spawn(command, [...args, '--port', '0', '--console-port', '0', '--json'], { env, ...NOBODY });
    const ended = new Promise((resolve) => gateway.once('exit', resolve));
    onTestFinished(() => void gateway.kill('SIGKILL'));
    const { api } = JSON.parse(await firstLine(gateway.stdout)) as { api: string };

    const wanted = ['--data', data, '--administration', 'Bakery', '--mode', 'test', '--label', 'Till 1', '--json'];
    const said = execFileSync(command, ['keys', 'create', ...wanted], { env, ...NOBODY, encoding: 'utf8' });
    const { key } = JSON.parse(said) as { key: string };
    const sale = JSON.stringify({ type: 'sale', external_id: 'a', timestamp: '2026-11-20T12:00:00Z', object: {} });
    expect((await postBody(api, key, sale)).status).toBe(201);
    expect((await postBody(api, key, sale)).status).toBe(200);
    gateway.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

/** The mode of each path in a package; a folder's path ends in a slash. Fails if root does not own everything. */
function readModes(deb: string): ReadonlyMap<string, string> {
  const rows = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8', maxBuffer: 1e8 }).trim().split('\n');
  expect(rows.filter((row) => !row.includes(' root/root '))).toEqual([]);
  return new Map(
    rows.map((row) => {
      const [mode = '', , , , , path = ''] = row.split(/\s+/);
      return [path.slice(1), mode];
    }),
  );
}

function readField(deb: string, name: string): string {
  return execFileSync('dpkg-deb', ['--field', deb, name], { encoding: 'utf8' }).trim();
}

function readScript(deb: string, name: string): string {
  return execFileSync('dpkg-deb', ['--info', deb, name], { encoding: 'utf8' });
}

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => createInterface(stream).once('line', resolve));
}
