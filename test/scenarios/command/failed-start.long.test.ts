// A failed start prints one line, ends with its exit code, and closes everything. Uses the real program.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { describe, expect, onTestFinished, test } from 'vitest';

import { openGateway } from '../../../server/gateway.ts';
import { machineClock } from '../../../server/lib/clock.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { LOCK_FILE } from '../../../server/store/sqlite/files/lock.ts';
import { changeSql } from '../../support/damage.ts';
import { BUNDLE, exitOf, spawnProgram } from '../../support/gateway-process.ts';
import { DATABASE, killGatewayAfter } from '../../support/killed-gateway.ts';
import { makeKey, temporaryFolder } from '../../support/temp-store.ts';

/** Makes the data directory of a gateway that has stopped. */
async function openStopped(): Promise<string> {
  const dataDir = join(temporaryFolder(), 'data');
  await (await openStore({ dataDir, role: 'gateway' })).close();
  return dataDir;
}

async function serve(dataDir: string, ...flags: string[]) {
  const child = spawnProgram(BUNDLE, ['serve', '--data', dataDir, '--port', '0', '--console-port', '0', ...flags]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  return { ...exit, stdout, stderr };
}

describe('a start that fails ends with one line and its exit code', () => {
  test.each<[name: string, damage: (dataDir: string) => void | Promise<void>, said: RegExp, code?: number]>([
    [
      'no secrets',
      (dir) => changeSql(dir, "DELETE FROM secrets WHERE name = 'cursor'"),
      /the secret that signs cursors is missing/,
    ],
    ['a dropped table', (dir) => changeSql(dir, 'DROP TABLE acts'), /the table "acts" is missing/],
    ['a dropped index', (dir) => changeSql(dir, 'DROP INDEX originals'), /the index "originals" is missing/],
    [
      'a newer version',
      (dir) => changeSql(dir, 'PRAGMA user_version = 99; UPDATE oldest_program SET schema = 99'),
      /newer Counterfoil/,
    ],
    ['a zeroed database', (dir) => writeFileSync(join(dir, DATABASE), Buffer.alloc(20_000)), /is not a database/],
    [
      'a symbolic link',
      (dir) => {
        rmSync(join(dir, DATABASE));
        symlinkSync('elsewhere', join(dir, DATABASE));
      },
      /is a symbolic link/,
    ],
    [
      'a pipe instead of the lock file',
      (dir) => {
        rmSync(join(dir, 'owner.lock'), { force: true });
        execFileSync('mkfifo', [join(dir, 'owner.lock')]);
      },
      /owner\.lock is not a file/,
    ],
    [
      'garbage in the lock file',
      (dir) => writeFileSync(join(dir, 'owner.lock'), 'x'.repeat(5000)),
      /is not the lock file/,
    ],
    [
      'an unreadable lane',
      async (dir) => {
        const store = await openStore({ dataDir: dir, role: 'gateway' });
        await makeKey(store);
        await store.close();
        changeSql(dir, "UPDATE administrations SET forwarded = 'no json'");
      },
      /^counterfoil: The gateway could not start: /,
    ],
    [
      'a pipe instead of the settings file',
      (dir) => execFileSync('mkfifo', [join(dir, 'settings.json')]),
      /settings\.json is not a file/,
      2,
    ],
    [
      'settings that are not JSON',
      (dir) => writeFileSync(join(dir, 'settings.json'), '{"port": 1'),
      /is not readable JSON/,
      2,
    ],
  ])('%s', async (_name, damage, said, code = 1) => {
    const dataDir = await openStopped();
    await damage(dataDir);
    const result = await serve(dataDir);
    expect(result).toMatchObject({ code, signal: null, stdout: '' });
    expect(result.stderr).toMatch(said);
    expect(result.stderr).toMatch(/^counterfoil: [^\n]+\n$/);
  });

  test('an occupied port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const result = await serve(await openStopped(), '--port', String(port));
    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/^counterfoil: Port \d+ is used[^\n]+\n$/) });
  });

  test('an empty database beside a full log stops the start', async () => {
    const { dataDir } = await killGatewayAfter(5);
    writeFileSync(join(dataDir, DATABASE), '');
    const result = await serve(dataDir);
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^counterfoil: \S+ is empty, but the write-ahead log[^\n]+\n$/),
    });
  });
});

test.each(['serve', 'check'])('a second gateway cannot start after the lock file was deleted: %s', async (next) => {
  const dataDir = join(temporaryFolder(), 'data');
  const first = spawnProgram(BUNDLE, ['serve', '--data', dataDir, '--port', '0', '--console-port', '0', '--json']);
  onTestFinished(() => void first.kill('SIGKILL'));
  await once(first.stdout, 'data');
  rmSync(join(dataDir, LOCK_FILE));
  if (next === 'check') execFileSync(process.execPath, [BUNDLE, 'check', '--data', dataDir]);
  expect(await serve(dataDir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Another gateway is running on'),
  });
  expect(first.exitCode).toBeNull();
});

const CONFIG = {
  host: '127.0.0.1',
  port: 0,
  consoleHost: '127.0.0.1',
  consolePort: 0,
  baseDomain: '',
  logLevel: 'info',
};

test('any failure after the store was opened closes it again', async () => {
  const dataDir = await openStopped();
  const clock = {
    ...machineClock,
    after() {
      throw new Error('no timers here');
    },
  };
  await expect(openGateway({ ...CONFIG, dataDir } as never, () => {}, { clock })).rejects.toThrow(
    /^The gateway could not start: no timers here\. Every confirmed sale is safe; the log in \S+logs says more\.$/,
  );
  await (await openStore({ dataDir, role: 'gateway' })).close();
});

describe('a part that fails to close', () => {
  const clock = {
    ...machineClock,
    after: () => () => {
      throw new Error('no timers to stop');
    },
  };

  test('leaves the store closed', async () => {
    const dataDir = await openStopped();
    const gateway = await openGateway({ ...CONFIG, dataDir } as never, () => {}, { clock });
    await expect(gateway.close()).rejects.toThrow('no timers to stop');
    await (await openStore({ dataDir, role: 'gateway' })).close();
  });

  test('does not hide why the start failed', async () => {
    const dataDir = await openStopped();
    const started = openGateway({ ...CONFIG, dataDir, consoleHost: '192.0.2.1' } as never, () => {}, { clock });
    await expect(started).rejects.toThrow(/^The console can open to other machines/);
    await (await openStore({ dataDir, role: 'gateway' })).close();
  });
});
