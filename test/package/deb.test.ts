// The .deb that `npm run test:package` has made where dpkg-deb is: what is where, what it does when it is installed, and that
// the gateway in it runs by its own command and Node, without rights. Elsewhere there is none, and this is skipped.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { postBody } from '../support/http-call.ts';
import { temporaryFolder } from '../support/temp-store.ts';

const ROOT = join(import.meta.dirname, '../..');
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
/** Root gives its rights away for the gateway; anybody else has none to give. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Programs are run from here, which folders in memory often forbid. */
const PLACE = '/var/tmp';

let tree = '';
let deb = '';
describe.skipIf(process.platform !== 'linux' || !has('dpkg-deb'))('the .deb', () => {
  beforeAll(() => {
    [deb = ''] = globSync('release/*.deb', { cwd: ROOT }).map((path) => join(ROOT, path));
    if (deb === '') throw new Error('No .deb is packaged: npm run test:package does it first.');
    tree = mkdtempSync(join(PLACE, 'counterfoil-deb-'));
    chmodSync(tree, 0o755); // for whoever runs what is in it
    execFileSync('dpkg-deb', ['--extract', deb, tree]);
  });
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  test('has the command, its Node, the desktop program, the unit and its user, and all is root’s', () => {
    const rows = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8', maxBuffer: 1e8 }).trim().split('\n');
    const modes = new Map(
      rows.map((row) => {
        const [mode = '', , , , , path = ''] = row.split(/\s+/);
        return [path.slice(1), mode];
      }),
    );
    expect(rows.filter((row) => !row.includes(' root/root '))).toEqual([]);
    for (const path of [
      '/usr/bin/counterfoil',
      '/opt/Counterfoil/resources/node',
      '/opt/Counterfoil/counterfoil-desktop',
    ])
      expect([path, modes.get(path)]).toEqual([path, '-rwxr-xr-x']);
    for (const path of [
      '/usr/lib/systemd/system/counterfoil.service',
      '/usr/lib/sysusers.d/counterfoil.conf',
      '/opt/Counterfoil/resources/app-update.yml',
    ])
      expect([path, modes.get(path)]).toEqual([path, '-rw-r--r--']);
    expect([...modes.keys()].filter((path) => /^\/(etc|var)/.test(path))).toEqual([]);
  });

  test('has an entry in the menu that a running window belongs to', () => {
    const entry = readFileSync(join(tree, 'usr/share/applications/counterfoil-desktop.desktop'), 'utf8');
    expect(entry).toContain('\nExec=/opt/Counterfoil/counterfoil-desktop %U\n');
    expect(entry).toContain('\nStartupWMClass=counterfoil-desktop\n');
  });

  test('has the app icon at every size', () => {
    const folder = join(tree, 'usr/share/icons/hicolor');
    const sizes = globSync('*/apps/counterfoil-desktop.png', { cwd: folder }).map((path) => Number.parseInt(path, 10));
    expect(sizes.toSorted((one, other) => one - other)).toEqual([16, 24, 32, 48, 64, 128, 256, 512, 1024]);
  });

  test('does at installing what the packager does, then makes the user, and enables nothing', () => {
    const script = readScript('postinst');
    expect(script).toContain("update-alternatives --install '/usr/bin/counterfoil-desktop'");
    expect(script).not.toContain("'/usr/bin/counterfoil'");
    expect(script).toContain('chrome-sandbox');
    expect(script).toContain('apparmor_parser');
    expect(script.indexOf('systemd-sysusers counterfoil.conf')).toBeGreaterThan(script.indexOf('apparmor_parser'));
    expect(script).not.toMatch(/systemctl .*(enable|\bstart)/);
    for (const name of ['postinst', 'prerm', 'postrm']) {
      execFileSync('bash', ['-n'], { input: readScript(name) });
      expect(readScript(name)).not.toMatch(/\/var\/lib\/counterfoil.*\n?.*rm |rm .*\/var\/lib|userdel/); // data and user stay
    }
  });

  test.skipIf(!has('systemd-analyze'))('has a unit that systemd takes, and that may do little', () => {
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
    expect(Number(/Overall exposure level.*: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(2); // of 10; 1.5 here, and a newer systemd looks at more
  });

  test('the gateway in it takes a record and answers, run by its command as nobody in particular', async () => {
    const folder = temporaryFolder(PLACE);
    const data = join(folder, 'data');
    const command = join(folder, 'counterfoil');
    const installed = readFileSync(join(tree, 'usr/bin/counterfoil'), 'utf8');
    writeFileSync(command, installed.replaceAll('/opt/', `${tree}/opt/`), { mode: 0o755 });
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

function readScript(name: string): string {
  return execFileSync('dpkg-deb', ['--info', deb, name], { encoding: 'utf8' });
}

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => createInterface(stream).once('line', resolve));
}
