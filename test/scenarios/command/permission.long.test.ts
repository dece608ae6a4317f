// If a user may not read or write the data, every command names the owner of the data. The tests run the real command line as
// another user.

import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { openStore } from '../../../server/store/open-store.ts';
import { databasePath } from '../../../server/store/sqlite/engine/database.ts';
import { HAS_OTHER_USER, NOBODY, runAsNobody } from '../../support/other-user.ts';
import { mountSmallDisk, remount } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const NOT_RUN = 'not run: needs root';
const SUDO = /Put “sudo -u root” in front of the command\.\n$/;

/** A folder that everybody may enter, with data that only root may read, like the data of a service. */
async function openForeignData(): Promise<string> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  const store = await openStore({ dataDir, role: 'command' });
  await store.close();
  return dataDir;
}

/** Placeholder for a file in a temporary folder. */
const COPY = 'FILE';

test.for([
  ['status'],
  ['records'],
  ['refusals'],
  ['check'],
  ['keys', 'list'],
  ['keys', 'create', '--administration', 'Bakery', '--mode', 'test', '--label', 'Till 1'],
  ['backup', COPY],
  ['console'],
  ['settings'],
  ['serve', '--port', '0', '--console-port', '0'],
])('%j on a data directory of another user names that user, and what to do', async (command, { skip }) => {
  if (!HAS_OTHER_USER) return skip(NOT_RUN);
  const dataDir = await openForeignData();
  const words = command.map((word) => (word === COPY ? join(temporaryFolder(), 'copy.db') : word));
  const result = await runAsNobody(...words, '--data', dataDir);
  expect(result.stdout).toBe('');
  expect(result.stderr).toBe(
    `counterfoil: ${dataDir} belongs to the user root, and nobody may not open it. Put “sudo -u root” in front of the command.\n`,
  );
  expect(result.code).toBe(1);
});

test('a data directory below a closed folder names the owner of that folder', async ({ skip }) => {
  if (!HAS_OTHER_USER) return skip(NOT_RUN);
  const closed = temporaryFolder();
  chmodSync(closed, 0o700);
  const result = await runAsNobody('status', '--data', join(closed, 'shop', 'data'));
  expect(result.stderr).toMatch(SUDO);
  expect(result.stderr).toContain(`counterfoil: ${closed} belongs to the user root, and nobody may not open it.`);
});

test('for an own data directory that is closed, the message has the command that opens it', async ({ skip }) => {
  if (!HAS_OTHER_USER) return skip(NOT_RUN);
  const dataDir = await openForeignData();
  chownSync(dataDir, NOBODY, NOBODY);
  chmodSync(dataDir, 0o000);
  const result = await runAsNobody('status', '--data', dataDir);
  expect(result.stderr).toBe(
    `counterfoil: ${dataDir} belongs to the user nobody, and nobody may not open it. Give yourself the permission back with: chmod u+rwx "${dataDir}"\n`,
  );
});

test('for a data directory that cannot be created, the message names the folder and its owner', async ({ skip }) => {
  if (!HAS_OTHER_USER) return skip(NOT_RUN);
  const closed = temporaryFolder();
  chmodSync(closed, 0o755);
  const dataDir = join(closed, 'data');
  const result = await runAsNobody('serve', '--port', '0', '--console-port', '0', '--data', dataDir);
  expect(result).toMatchObject({
    code: 1,
    stderr: `counterfoil: ${dataDir} cannot be made: ${closed} belongs to the user root, and nobody may not write to it. Choose another data directory with --data.\n`,
  });
});

test('a file that a command of root has left is named, with the command that changes its owner', async ({ skip }) => {
  if (!HAS_OTHER_USER) return skip(NOT_RUN);
  const dataDir = await openForeignData();
  for (const path of [dataDir, databasePath(dataDir)]) chownSync(path, NOBODY, NOBODY);
  const lock = join(dataDir, 'owner.lock');
  rmSync(lock, { force: true });
  writeFileSync(lock, '', { mode: 0o600 });
  const result = await runAsNobody('serve', '--port', '0', '--console-port', '0', '--data', dataDir);
  expect(result).toMatchObject({
    code: 1,
    stderr: `counterfoil: ${lock} belongs to the user root, and nobody may not write to it. Give it back with: sudo chown nobody "${lock}"\n`,
  });
});

test('for an own file that is not writable, the message has the command that changes that', async ({ skip }) => {
  if (!HAS_OTHER_USER) return skip(NOT_RUN);
  const dataDir = await openForeignData();
  const file = databasePath(dataDir);
  for (const path of [dataDir, file]) chownSync(path, NOBODY, NOBODY);
  chmodSync(file, 0o400);
  const result = await runAsNobody('serve', '--port', '0', '--console-port', '0', '--data', dataDir);
  expect(result).toMatchObject({
    code: 1,
    stderr: `counterfoil: ${file} belongs to the user nobody, and nobody may not write to it. Give yourself the permission back with: chmod u+rw "${file}"\n`,
  });
});

test('a folder without data is not called closed', async ({ skip }) => {
  if (!HAS_OTHER_USER) return skip(NOT_RUN);
  const open = temporaryFolder();
  chmodSync(open, 0o755);
  const result = await runAsNobody('status', '--data', open);
  expect(result.stderr).toContain(`The directory ${open} has no data.`);
});

test.for<[string, (folder: string) => string, RegExp]>([
  [
    'a folder without write permission',
    (folder) => join(folder, 'x.db'),
    /^counterfoil: nobody may not write to the folder \S+: it belongs to the user root\. Choose another place for the backup\.\n$/,
  ],
  [
    'a folder that only its owner may open',
    (folder) => (chmodSync(folder, 0o700), join(folder, 'x.db')),
    /^counterfoil: nobody may not write to the folder \S+: it belongs to the user root\. Choose another place for the backup\.\n$/,
  ],
  [
    'a folder',
    (folder) => folder,
    /^counterfoil: \S+ is a folder\. Name a file in it for the backup, such as \S+\/counterfoil-\d{4}-\d\d-\d\d\.db\.\n$/,
  ],
  [
    'an existing file',
    (folder) => (writeFileSync(join(folder, 'x.db'), 'mine'), join(folder, 'x.db')),
    /^counterfoil: \S+\/x\.db already exists\. It was left as it is; choose another name\.\n$/,
  ],
  [
    'a missing folder',
    (folder) => join(folder, 'nowhere', 'x.db'),
    /^counterfoil: The folder \S+\/nowhere does not exist\. Make it first, or choose another place for the backup\.\n$/,
  ],
  [
    'a file instead of the folder',
    (folder) => (writeFileSync(join(folder, 'file'), ''), join(folder, 'file', 'x.db')),
    /^counterfoil: \S+\/file is not a folder\. Choose another place for the backup\.\n$/,
  ],
])('a backup to %s fails with one plain sentence', async ([, fileIn, said], { skip }) => {
  if (!HAS_OTHER_USER) return skip(NOT_RUN);
  const dataDir = await openForeignData();
  for (const path of [dataDir, databasePath(dataDir)]) chownSync(path, NOBODY, NOBODY);
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const result = await runAsNobody('backup', fileIn(folder), '--data', dataDir);
  expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) });
});

test('a backup to a read-only disk fails with one plain sentence', async ({ skip }) => {
  if (!HAS_OTHER_USER) return skip(NOT_RUN);
  const disk = mountSmallDisk();
  if (disk === undefined) return skip(NOT_RUN);
  chmodSync(disk, 0o777);
  mkdirSync(join(disk, 'copies'), { mode: 0o777 });
  remount(disk, 'ro');
  const dataDir = await openForeignData();
  for (const path of [dataDir, databasePath(dataDir)]) chownSync(path, NOBODY, NOBODY);
  const result = await runAsNobody('backup', join(disk, 'copies', 'x.db'), '--data', dataDir);
  expect(result).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `counterfoil: The folder ${disk}/copies is on a disk that is read-only. Choose another place for the backup.\n`,
  });
});
