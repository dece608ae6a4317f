// `counterfoil restore` puts a backup in the place of the data, sets the previous data aside, and forwards nothing before a
// person confirms it.

import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { bindRestore } from '../../../server/command/restore.ts';
import { bindUpstream } from '../../../server/command/upstream.ts';
import { OperatorError, UsageError } from '../../../server/errors.ts';
import { backUp, databasePath } from '../../../server/store/data-directory.ts';
import { openStore } from '../../../server/store/open-store.ts';
import type { Store } from '../../../server/store/store.ts';
import { runCommand } from '../../support/command-run.ts';
import { exitOf, spawnProgram } from '../../support/gateway-process.ts';
import { bodyOf, postBody } from '../../support/http-call.ts';
import { folderAtVersion2 } from '../../support/old-data.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

const restore = (...args: string[]): Promise<string> =>
  runCommand((program) => bindRestore(program, undefined), ['restore', ...args]);

async function makeShop(...ids: string[]) {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  for (const externalId of ids) await store.records.append(arrivalOf(key, { externalId }));
  return { dataDir, store };
}

async function makeBackup(...ids: string[]): Promise<string> {
  const file = join(temporaryFolder(), 'backup.db');
  await backUp((await makeShop(...ids)).dataDir, file);
  return file;
}

async function open(dataDir: string): Promise<Store> {
  return openTemporaryStore({ dataDir });
}

async function idsIn(store: Store): Promise<string[]> {
  return (await store.records.list({ limit: 100 })).map(({ externalId }) => externalId).toSorted();
}

test('on an empty machine, it makes the data directory, and says what it found', async () => {
  const file = await makeBackup('a', 'b');
  const dataDir = join(temporaryFolder(), 'new');
  const said = await restore(file, '--data', dataDir);
  expect(said).toContain(`${file} is restored to ${dataDir}.`);
  expect(said).toMatch(/The backup was made at \d{4}-/);
  expect(said).toContain('It has 2 records. The newest arrived at 2025-10-09 08:53:20Z.');
  expect(said).toContain(`restore --new-identity --data "${dataDir}"`);
  expect(readdirSync(dataDir).toSorted()).toEqual(['counterfoil.db', 'owner.lock']);
  expect(await idsIn(await open(dataDir))).toEqual(['a', 'b']);
});

test('the previous data are set aside with their newest sales, and can be used again', async () => {
  const file = await makeBackup('a');
  const { dataDir, store } = await makeShop('b');
  await store.close();
  const { set_aside: aside } = JSON.parse(await restore(file, '--data', dataDir, '--json')) as { set_aside: string };
  expect(aside).toMatch(/counterfoil\.db\.before-restore-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/);
  expect(await idsIn(await open(dataDir))).toEqual(['a']);
  const back = temporaryFolder();
  for (const end of ['', '-wal']) if (existsSync(aside + end)) copyFileSync(aside + end, databasePath(back) + end);
  expect(await idsIn(await open(back))).toEqual(['b']);
});

test('the command counts the records that only the previous data have, and the restore can be undone', async () => {
  const { dataDir, store } = await makeShop('a');
  const file = join(temporaryFolder(), 'backup.db');
  await backUp(dataDir, file);
  await store.close();
  expect(await restore(file, '--data', dataDir)).toContain('They have no record that the backup lacks.');
  const again = await open(dataDir);
  await again.records.append(arrivalOf(await makeKey(again, 'Till 2'), { externalId: 'newer' }));
  await again.records.countStatuses(); // folds
  await again.close();
  const said = await restore(file, '--data', dataDir);
  expect(said).toContain('They have 1 record that the backup lacks, of which 1 is not upstream.');
  expect(await idsIn(await open(dataDir))).toEqual(['a']);
});

test('an undone restore has the previous sales, and the gateway forwards them', async () => {
  const { dataDir, store } = await makeShop('a', 'b');
  await store.close();
  const { set_aside: aside, only_before: onlyBefore } = JSON.parse(
    await restore(await makeBackup('c'), '--data', dataDir, '--json'),
  ) as { set_aside: string; only_before: unknown };
  expect(onlyBefore).toEqual({ records: 2, not_upstream: 2 });
  const restored = await openStore({ dataDir, role: 'gateway' });
  expect(restored.outbox.openRestore()).not.toBeNull();
  await restored.close();
  // As in docs/operate.md.
  const kept = join(dataDir, 'restored');
  mkdirSync(kept);
  for (const name of readdirSync(dataDir).filter((each) => /^counterfoil\.db(-wal|-shm)?$/.test(each)))
    renameSync(join(dataDir, name), join(kept, name));
  for (const end of ['', '-wal'])
    if (existsSync(aside + end)) renameSync(aside + end, join(dataDir, `counterfoil.db${end}`));
  const back = await open(dataDir);
  expect(await idsIn(back)).toEqual(['a', 'b']);
  expect(back.outbox.openRestore()).toBeNull();
  expect(back.outbox.lanes().some(({ isRestored }) => isRestored)).toBe(false);
});

test('while a gateway runs on the directory, nothing changes', async () => {
  const file = await makeBackup('a');
  const { dataDir, store } = await makeShop('b');
  const before = readdirSync(dataDir).toSorted();
  await expect(restore(file, '--data', dataDir)).rejects.toThrow(/A gateway is running on .* Nothing was changed\./);
  expect(readdirSync(dataDir).toSorted()).toEqual(before);
  expect(await idsIn(store)).toEqual(['b']);
});

test('a backup of an earlier version is migrated, and the output says so', async () => {
  const file = join(temporaryFolder(), 'old.db');
  await backUp(folderAtVersion2(), file);
  const dataDir = temporaryFolder();
  expect(await restore(file, '--data', dataDir)).toMatch(
    /An earlier version made it \(schema 2\); it was migrated to schema \d+\./,
  );
  expect((await open(dataDir)).outbox.openRestore()).not.toBeNull();
});

test('nothing is forwarded before a person confirms, and the gateway then has another identity', async () => {
  const { dataDir: old, store } = await makeShop('a');
  const file = join(temporaryFolder(), 'backup.db');
  await backUp(old, file);
  const dataDir = temporaryFolder();
  await restore(file, '--data', dataDir);
  const restored = await open(dataDir);
  expect(restored.outbox.openRestore()).toEqual({ madeAt: expect.any(Number) });
  expect(restored.outbox.lanes().map(({ isRestored }) => isRestored)).toContain(true);
  expect(restored.outbox.identity()).toEqual(store.outbox.identity());
  expect(await restore('--new-identity', '--data', dataDir)).toContain('has a new identity');
  await expect.poll(() => restored.outbox.openRestore()).toBeNull();
  expect(restored.outbox.identity()).not.toEqual(store.outbox.identity());
  expect(restored.records.cursorSecret).toEqual(store.records.cursorSecret);
  await expect(restore('--new-identity', '--data', dataDir)).rejects.toThrow('No restore waits');
});

test('with --new-identity or the answer yes, one command restores and confirms', async () => {
  const file = await makeBackup('a');
  const [flagged, asked, declined] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  await restore(file, '--data', flagged, '--new-identity');
  const answering = (answer: string, dataDir: string): Promise<string> =>
    runCommand((program) => bindRestore(program, async () => answer), ['restore', file, '--data', dataDir]);
  await answering('Yes\n', asked);
  expect(await answering('y', declined)).toContain('Nothing is forwarded yet.');
  const isOpen = async (dataDir: string): Promise<boolean> => (await open(dataDir)).outbox.openRestore() !== null;
  expect(await Promise.all([flagged, asked, declined].map(isOpen))).toEqual([false, false, true]);
});

test('a backup that somebody copies into place by hand also waits for the confirmation', async () => {
  const file = await makeBackup('a');
  for (const isConfirmedFirst of [false, true]) {
    const dataDir = temporaryFolder();
    copyFileSync(file, databasePath(dataDir));
    if (isConfirmedFirst) await restore('--new-identity', '--data', dataDir);
    const store = await open(dataDir);
    expect(store.outbox.openRestore() === null).toBe(isConfirmedFirst);
  }
});

test('a restored gateway keeps waiting for the confirmation after a restart', async () => {
  const dataDir = temporaryFolder();
  await restore(await makeBackup('a'), '--data', dataDir);
  for (let i = 0; i < 2; i++) {
    const store = await openStore({ dataDir, role: 'gateway' });
    expect(store.outbox.openRestore()).not.toBeNull();
    await store.close();
  }
});

test('the backup itself stays as it is, and may be in the data directory', async () => {
  const { dataDir, store } = await makeShop('a');
  const file = join(dataDir, 'monday.db');
  await backUp(dataDir, file);
  await store.close();
  const before = readFileSync(file);
  await restore(file, '--data', dataDir);
  await restore(file, '--data', dataDir);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('without a file, the person must say what to do', async () => {
  await expect(restore('--data', temporaryFolder())).rejects.toThrow(UsageError);
  await expect(restore(join(temporaryFolder(), 'none.db'), '--data', temporaryFolder())).rejects.toThrow(OperatorError);
});

async function makeBackupWith(settings: string): Promise<string> {
  const { dataDir } = await makeShop('a');
  writeFileSync(join(dataDir, 'settings.json'), settings, { mode: 0o600 });
  const file = join(temporaryFolder(), 'backup.db');
  await backUp(dataDir, file);
  return file;
}

test('the settings of the old machine are used only on request, and files that they name are listed', async () => {
  const settings = '{ "port": 7500, "tlsCertificate": "/no/cert.pem", "tlsKey": "/no/key.pem" }';
  const file = await makeBackupWith(settings);
  const plain = temporaryFolder();
  expect(await restore(file, '--data', plain)).toContain(
    'The backup also has settings (port, tlsCertificate, tlsKey), which were not used. To use them, restore it with --with-settings.',
  );
  expect(existsSync(join(plain, 'settings.json'))).toBe(false);

  const moved = temporaryFolder();
  expect(await restore(file, '--data', moved, '--with-settings')).toContain(
    'Copy them, or change the settings: /no/cert.pem, /no/key.pem',
  );
  expect(readFileSync(join(moved, 'settings.json'), 'utf8')).toBe(settings);
  expect(statSync(join(moved, 'settings.json')).mode & 0o077).toBe(0);
  const store = await openStore({ dataDir: moved, role: 'gateway' });
  await store.close();
  // the password in a proxy address must not stay in the database
  expect(readFileSync(databasePath(moved)).includes('/no/cert.pem')).toBe(false);
});

test('the previous settings are set aside, and invalid ones change nothing', async () => {
  const { dataDir, store } = await makeShop('b');
  await store.close();
  writeFileSync(join(dataDir, 'settings.json'), '{ "port": 7600 }');
  const invalid = await makeBackupWith('{ "colour": "red" }');
  await expect(restore(invalid, '--data', dataDir, '--with-settings')).rejects.toThrow(
    /The settings in the backup are not valid for this version: .*colour/,
  );
  expect(await idsIn(await open(dataDir))).toEqual(['b']);

  const other = temporaryFolder();
  writeFileSync(join(other, 'settings.json'), '{ "port": 7600 }');
  const said = await restore(await makeBackupWith('{ "port": 7500 }'), '--data', other, '--with-settings', '--json');
  const { settings } = JSON.parse(said) as { settings: { set_aside: string } };
  expect(readFileSync(settings.set_aside, 'utf8')).toBe('{ "port": 7600 }');
  expect(readFileSync(join(other, 'settings.json'), 'utf8')).toBe('{ "port": 7500 }');
});

test('a backup without settings is refused with --with-settings', async () => {
  const file = await makeBackup('a');
  await expect(restore(file, '--data', temporaryFolder(), '--with-settings')).rejects.toThrow(
    'The backup has no settings. Restore it without --with-settings.',
  );
});

test('if an upstream refuses connections, the command still ends with its report and the new identity', async () => {
  const { dataDir, store } = await makeShop('a');
  const [lane] = store.outbox.lanes();
  if (lane === undefined) throw new Error('the shop has a lane');
  // Nothing listens on the discard port.
  const upstream = { url: 'http://127.0.0.1:9', token: 'prod_canary' };
  await store.outbox.performAct(lane, { kind: 'set upstream', upstream }, 'test');
  const file = join(temporaryFolder(), 'backup.db');
  await backUp(dataDir, file);
  const restored = temporaryFolder();
  const child = spawnProgram('server/main.ts', ['restore', file, '--new-identity', '--data', restored]);
  const [stdout, stderr, { code }] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('did not say which sales it has from after the backup');
  expect(stdout).toContain('This gateway has a new identity and may forward.');
});

test('an empty machine asks the upstream of the backup how many sales it has from after the backup', async () => {
  const upstream = await openStandIn();
  onTestFinished(() => upstream.close());
  const { dataDir, store } = await makeShop('a');
  const [lane] = store.outbox.lanes();
  if (lane === undefined) throw new Error('the shop has a lane');
  const access = { url: upstream.url, token: 'prod_up' };
  await store.outbox.performAct(lane, { kind: 'set upstream', upstream: access }, 'test');
  const file = join(temporaryFolder(), 'backup.db');
  await backUp(dataDir, file);
  const sale = bodyOf({ external_id: 'after the backup', timestamp: new Date().toISOString() });
  expect((await postBody(upstream.url, 'prod_up', sale)).status).toBe(201);
  expect(await restore(file, '--data', temporaryFolder())).toContain(
    'The upstream of Bakery (production) has 1 sale from after the backup.',
  );
});

test('secrets that only the keyring of the old machine can decrypt are named', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir, sealKey: randomBytes(32) });
  await makeKey(store);
  const [lane] = store.outbox.lanes();
  if (lane === undefined) throw new Error('the shop has a lane');
  const upstream = { url: 'https://up.example', token: 'prod_canary' };
  await store.outbox.performAct(lane, { kind: 'set upstream', upstream }, 'test');
  const file = join(temporaryFolder(), 'backup.db');
  await backUp(dataDir, file);
  const printed = await restore(file, '--data', temporaryFolder());
  expect(printed).toContain('On another machine, enter them again: the upstream keys (1).');
  expect(printed).toContain(
    'because the desktop app has encrypted its key. On another machine, enter the key again. Then list the sales',
  );
});

test('a damaged backup leaves no new folder, and a folder that existed stays', async () => {
  const file = join(temporaryFolder(), 'backup.db');
  writeFileSync(file, randomBytes(8192));
  const dataDir = join(temporaryFolder(), 'new');
  await expect(restore(file, '--data', dataDir)).rejects.toBeInstanceOf(OperatorError);
  expect(existsSync(dataDir)).toBe(false);
  const existing = temporaryFolder();
  await expect(restore(file, '--data', existing)).rejects.toBeInstanceOf(OperatorError);
  expect(existsSync(existing)).toBe(true);
});

test('a restored lane is paused since the restore, which is in the list of acts', async () => {
  const { dataDir: old, store: shop } = await makeShop('a');
  const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
  const upstream = { url: 'http://127.0.0.1:1', token: 'prod_up' };
  await shop.outbox.performAct(lane, { kind: 'set upstream', upstream }, 'test');
  const file = join(temporaryFolder(), 'backup.db');
  await backUp(old, file);
  const dataDir = temporaryFolder();
  const before = Date.now();
  await restore(file, '--data', dataDir);
  const status = (await (await open(dataDir)).outbox.listLaneStatus()).find(({ url }) => url !== null);
  expect(status).toMatchObject({ state: 'paused', cause: { code: 'restored' } });
  expect(status?.since).toBeGreaterThanOrEqual(before);
  await restore('--new-identity', '--data', dataDir);
  const acts = await runCommand(bindUpstream, ['upstream', 'acts', '--json', '--data', dataDir]);
  expect((JSON.parse(acts) as { act: string }[]).map(({ act }) => act)).toEqual([
    'confirm restore',
    'restore',
    'set upstream',
  ]);
});
