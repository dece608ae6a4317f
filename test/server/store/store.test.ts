// The behaviour of a store with any engine.

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';

import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';

import { GatewayError } from '../../../server/errors.ts';
import { openStore } from '../../../server/store/open-store.ts';
import { generateSecret } from '../../../server/store/setup/key-secret.ts';
import { isOwned } from '../../../server/store/sqlite/files/lock.ts';
import { SCHEMA_VERSION, schemaVersion } from '../../../server/store/sqlite/migrations.ts';
import { withDatabase } from '../../support/old-data.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

describe('keys', () => {
  test('a key is found only by its secret, and only its SHA-256 is on disk', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    const secret = generateSecret('production');
    const key = await makeKey(store, 'Till 1', { secret });
    expect(store.setup.findKey(secret)).toEqual(key);
    expect(store.setup.findKey(`${secret}x`)).toBeUndefined();
    const db = new Database(join(dataDir, 'counterfoil.db'), { readonly: true });
    expect(db.serialize().includes(secret)).toBe(false);
    db.close();
  });

  test('an existing key is not added again, not even under another name', async () => {
    const store = await openTemporaryStore();
    const secret = generateSecret('test');
    const key = {
      administration: 'Bakery',
      mode: 'test',
      label: 'Till 1',
      interface: 'both',
      secret,
      isAdopted: true,
    } as const;
    expect(await store.setup.createKey(key, 'test')).toMatchObject({ isAdopted: true });
    expect(await store.setup.createKey({ ...key, label: 'Till 2' }, 'test')).toBeUndefined();
    expect(await store.setup.listKeys()).toHaveLength(1);
  });

  test('two live keys of one till are one till', async () => {
    const store = await openTemporaryStore();
    const [one, two] = [await makeKey(store, 'Till 1'), await makeKey(store, 'Till 1')];
    expect(two.tillId).toBe(one.tillId);
  });

  test('a revoked key is still recognised, and a repeated revocation keeps the first time', async () => {
    let now = 1000;
    const store = await openTemporaryStore({ now: () => now });
    const key = await makeKey(store);
    expect(await store.setup.revokeKey(key.id, 'test')).toMatchObject({ revokedAt: 1000 });
    now = 2000;
    expect(await store.setup.revokeKey(key.id, 'test')).toMatchObject({ revokedAt: 1000 });
    expect(await store.setup.revokeKey(999, 'test')).toBeUndefined();
  });

  test('the last use is stored, and the newer one stays', async () => {
    const store = await openTemporaryStore();
    const key = await makeKey(store);
    store.setup.noteKeyUse(key.id, 5000);
    expect(await store.setup.listKeys()).toMatchObject([{ lastUsedAt: 5000 }]);
    store.setup.noteKeyUse(key.id, 4000);
    expect(await store.setup.listKeys()).toMatchObject([{ lastUsedAt: 5000 }]);
  });

  test('a change by another process takes effect without a restart', async () => {
    const dataDir = temporaryFolder();
    const gateway = await openTemporaryStore({ dataDir });
    const command = await openStore({ dataDir, role: 'command' });
    const secret = generateSecret('production');
    const key = await makeKey(command, 'Till 1', { secret });
    await expect.poll(() => gateway.setup.findKey(secret)?.revokedAt).toBeNull();
    await command.setup.revokeKey(key.id, 'test');
    await expect.poll(() => gateway.setup.findKey(secret)?.revokedAt).toBeTypeOf('number');
    await command.close();
  });
});

describe('opening', () => {
  test('commands create a new directory, and many at once do not disturb each other or a gateway', async () => {
    const dataDir = temporaryFolder();
    const stores = await Promise.all([
      ...Array.from({ length: 4 }, () => openStore({ dataDir, role: 'command' })),
      openStore({ dataDir, role: 'gateway' }),
    ]);
    for (const store of stores) expect(await store.setup.listKeys()).toEqual([]);
    for (const store of stores) await store.close();
  });

  test.each([
    ['a file', '/etc/hostname'],
    ['a place below a file', '/etc/hostname/data'],
  ])('a data directory that is %s is refused with a message', async (_name, dataDir) => {
    await expect(openStore({ dataDir, role: 'command' })).rejects.toThrow(/The data in .* cannot be opened/);
  });

  test('a gateway that finds a reader on an unfinished WAL starts beside it', async () => {
    const dataDir = temporaryFolder();
    const store = await openStore({ dataDir, role: 'gateway' });
    const key = await makeKey(store);
    const reader = new Database(join(dataDir, 'counterfoil.db'), { readonly: true });
    reader.exec('BEGIN; SELECT count(*) FROM records');
    await store.records.append(arrivalOf(key, { externalId: 'a' }));
    await store.close();
    const again = await openTemporaryStore({ dataDir });
    reader.close();
    expect(await again.records.countStatuses()).toMatchObject([{ records: { current: { NEW: 1 } } }]);
  });

  test('a second gateway on the same data directory is refused, and a command is not', async () => {
    const dataDir = temporaryFolder();
    await openTemporaryStore({ dataDir });
    await expect(openStore({ dataDir, role: 'gateway' })).rejects.toThrow(/Another gateway is running/);
    const command = await openStore({ dataDir, role: 'command' });
    await command.close();
  });

  test('the directory is free again after closing', async () => {
    const dataDir = temporaryFolder();
    await (await openStore({ dataDir, role: 'gateway' })).close();
    const again = await openTemporaryStore({ dataDir });
    expect(await again.setup.listKeys()).toEqual([]);
  });

  test.each([
    [
      'another program’s database',
      (path: string) => new Database(path).exec('CREATE TABLE theirs (id)').close(),
      /another program/,
    ],
    ['a file that is not a database', (path: string) => writeFileSync(path, 'x'.repeat(8192)), /not a database/],
    [
      'a newer schema',
      (path: string) =>
        new Database(path)
          .exec('PRAGMA application_id = 0x436f756e; PRAGMA user_version = 99; CREATE TABLE t (id)')
          .close(),
      /newer Counterfoil/,
    ],
  ])('%s is refused with one clear message and stays unchanged', async (_name, prepare, message) => {
    const dataDir = temporaryFolder();
    const path = join(dataDir, 'counterfoil.db');
    prepare(path);
    const before = new Database(path, { fileMustExist: true });
    const isReadable = (): string => {
      try {
        return JSON.stringify(before.prepare('SELECT * FROM sqlite_schema').all());
      } catch {
        return 'unreadable';
      }
    };
    const content = isReadable();
    await expect(openStore({ dataDir, role: 'gateway' })).rejects.toThrow(message);
    expect(isReadable()).toBe(content);
    before.close();
  });
});

describe('closing', () => {
  test('succeeds while the comparison thread fails to start', async () => {
    const dataDir = temporaryFolder();
    const store = await openStore({ dataDir, role: 'gateway' });
    const key = await makeKey(store);
    await store.records.append(arrivalOf(key, { externalId: 'a', object: { total: 1 } }));
    const closed = new Promise<void>((resolve, reject) => {
      process.once('worker', (comparer: Worker) => {
        void comparer.terminate();
        store.close().then(resolve, reject);
      });
    });
    const resent = store.records.append(arrivalOf(key, { externalId: 'a', object: { total: 2 } }));
    await expect(resent).rejects.toThrow(GatewayError); // its code depends on whether the thread has started
    await closed;
    expect(isOwned(dataDir)).toBe(false);
  });

  test('continues after a part that fails to close, and rejects with that error', async () => {
    const dataDir = temporaryFolder();
    let isClockBroken = false;
    const store = await openStore({
      dataDir,
      role: 'gateway',
      now() {
        if (isClockBroken) throw new Error('no clock');
        return 0;
      },
      onFault(_doing, error) {
        throw error;
      },
    });
    store.setup.noteKeyUse((await makeKey(store)).id, 0);
    isClockBroken = true;
    await expect(store.close()).rejects.toThrow('no clock');
    expect(isOwned(dataDir)).toBe(false);
  });
});

test('data of a newer version are used if they name this version as compatible', async () => {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store);
  await store.records.append(arrivalOf(key, { externalId: 'a' }));
  await store.close();
  withDatabase(dataDir, (db) =>
    db.exec(`
      CREATE TABLE of_the_next_version (id INTEGER) STRICT;
      UPDATE oldest_program SET schema = ${SCHEMA_VERSION};
      PRAGMA user_version = ${SCHEMA_VERSION + 1};`),
  );
  for (const role of ['gateway', 'command'] as const) {
    const older = await openStore({ dataDir, role });
    expect(await older.records.append(arrivalOf(key, { externalId: role }))).toMatchObject({ status: 'NEW' });
    await older.close();
  }
  withDatabase(dataDir, (db) => {
    expect(schemaVersion(db)).toBe(SCHEMA_VERSION + 1); // as if the newer version opened the data again
    db.exec(`UPDATE oldest_program SET schema = ${SCHEMA_VERSION + 1}`);
  });
  await expect(openStore({ dataDir, role: 'gateway' })).rejects.toThrow(/newer Counterfoil/);
});

describe('trouble', () => {
  test('no record is accepted while the database file is moved away; once it is back, records are accepted again', async () => {
    const dataDir = temporaryFolder();
    const troubles: (string | undefined)[] = [];
    const store = await openTemporaryStore({ dataDir, onTrouble: (trouble) => troubles.push(trouble?.code) });
    const key = await makeKey(store);
    await store.records.append(arrivalOf(key, { externalId: 'a' }));
    const elsewhere = join(dataDir, 'elsewhere');
    mkdirSync(elsewhere);
    const names = ['counterfoil.db', 'counterfoil.db-wal', 'counterfoil.db-shm'];
    for (const name of names) renameSync(join(dataDir, name), join(elsewhere, name));

    await expect(store.records.append(arrivalOf(key, { externalId: 'b' }))).rejects.toMatchObject({
      code: 'store_unavailable',
      retryAfterSeconds: 2,
    });
    await expect(store.records.append(arrivalOf(key, { externalId: 'b' }))).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    expect(store.health.trouble()).toMatchObject({ code: 'store_unavailable' });

    for (const name of names) renameSync(join(elsewhere, name), join(dataDir, name));
    await expect.poll(() => store.health.trouble()).toBeUndefined();
    expect(await store.records.append(arrivalOf(key, { externalId: 'b' }))).toMatchObject({ status: 'NEW' });
    expect(troubles).toEqual(['store_unavailable', undefined]);
  });

  test('when the WAL is deleted no further record is accepted, and acknowledged records are rescued', async () => {
    const dataDir = temporaryFolder();
    const store = await openStore({ dataDir, role: 'gateway' });
    const key = await makeKey(store);
    for (const externalId of ['a', 'b']) await store.records.append(arrivalOf(key, { externalId }));
    for (const name of ['counterfoil.db-wal', 'counterfoil.db-shm']) rmSync(join(dataDir, name));
    await expect(store.records.append(arrivalOf(key, { externalId: 'c' }))).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    await store.close();
    const after = await openTemporaryStore({ dataDir });
    expect((await after.records.list({ limit: 10 })).map(({ externalId }) => externalId)).toEqual(['b', 'a']);
  });

  test('while another program holds the write lock calls are refused as store_busy; afterwards new calls are accepted', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    const key = await makeKey(store);
    const other = new Database(join(dataDir, 'counterfoil.db'));
    other.exec('BEGIN IMMEDIATE');
    const calls = Array.from({ length: 12 }, (_, i) => store.records.append(arrivalOf(key, { externalId: `T-${i}` })));
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'store_busy', retryAfterSeconds: 1 } });
    }
    other.close();
    expect(await store.records.append(arrivalOf(key, { externalId: 'after' }))).toMatchObject({ status: 'NEW' });
    expect(await store.records.countStatuses()).toMatchObject([{ records: { current: { NEW: 1 } } }]);
  });
});

test('a few megabytes of large records cause a checkpoint of the WAL, even if the records are few', async () => {
  const store = await openTemporaryStore();
  const key = await makeKey(store);
  for (let i = 0; i < 12; i++)
    await store.records.append(arrivalOf(key, { externalId: `T-${i}`, object: { text: 'x'.repeat(900_000) } }));
  await expect.poll(() => store.health.load().walPages).toBeGreaterThan(1000);
});
