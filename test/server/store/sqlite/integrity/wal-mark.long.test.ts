// A database and a write-ahead log that do not belong together are refused, and no file is changed. A matching pair is opened.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { copyKilled, DATABASE, type Killed, WAL } from '../../../../support/killed-gateway.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

/**
 * Sells in three runs of a gateway and kills the last run. Returns its files, and the database as it was after the first run.
 */
async function openThreeRuns(perRun = 100): Promise<{ readonly killed: Killed; readonly older: string }> {
  const dataDir = join(temporaryFolder(), 'data');
  const older = join(temporaryFolder(), 'older.db');
  let killed: Killed | undefined;
  for (const run of [1, 2, 3]) {
    const store = await openStore({ dataDir, role: 'gateway' });
    const key = await makeKey(store, `Till ${run}`);
    for (let i = 0; i < perRun; i++) await store.records.append(arrivalOf(key, { externalId: `${run}-${i}` }));
    if (run === 3) killed = copyKilled(dataDir);
    await store.close();
    if (run === 1) copyFileSync(join(dataDir, DATABASE), older);
  }
  return { killed: killed as Killed, older };
}

/** Expects that a start and a command refuse the data and leave the files unchanged. */
async function expectRefusal({ dataDir }: Killed, sentence: RegExp): Promise<void> {
  const files = [DATABASE, WAL].map((name) => join(dataDir, name));
  const before = files.map((file) => readFileSync(file));
  for (const role of ['gateway', 'command'] as const)
    await expect(openStore({ dataDir, role })).rejects.toThrow(sentence);
  expect(files.map((file, index) => readFileSync(file).equals(before[index]!))).toEqual([true, true]);
}

test('an older copy of the database is refused beside a newer log', async () => {
  const { killed, older } = await openThreeRuns();
  copyFileSync(older, join(killed.dataDir, DATABASE));
  await expectRefusal(
    killed,
    /counterfoil\.db is older than the write-ahead log beside it, \S+-wal: one of them was replaced\. Put the newest database back, then start again\. Nothing was changed\.$/,
  );
});

test('an older copy of the same run is refused beside a newer log', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  const large = { object: { text: 'x'.repeat(100_000) } };
  /** Makes enough sales for two checkpoints of the write-ahead log. */
  const sellMuch = async (name: string): Promise<void> => {
    for (let i = 0; i < 200; i++) await store.records.append(arrivalOf(key, { externalId: `${name}-${i}`, ...large }));
  };
  await sellMuch('first');
  const older = readFileSync(join(dataDir, DATABASE));
  await sellMuch('second');
  const killed = copyKilled(dataDir);
  await openTemporaryStore({ dataDir: copyKilled(dataDir).dataDir });
  writeFileSync(join(killed.dataDir, DATABASE), older);
  await expectRefusal(killed, /counterfoil\.db is older than the write-ahead log/);
});

test('an older log is refused beside a newer database', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const first = await openStore({ dataDir, role: 'gateway' });
  await first.records.append(arrivalOf(await makeKey(first), { externalId: 'first' }));
  const killed = copyKilled(dataDir);
  await first.close();
  for (const run of [2, 3]) {
    const store = await openStore({ dataDir, role: 'gateway' });
    await store.records.append(arrivalOf(await makeKey(store, `Till ${run}`), { externalId: `run ${run}` }));
    await store.close();
  }
  copyFileSync(join(dataDir, DATABASE), join(killed.dataDir, DATABASE));
  await expectRefusal(
    killed,
    /counterfoil\.db is newer than the write-ahead log .* Move the log and \S+-shm to another folder/,
  );
});

test('a database and its own log open after a kill at any time, also while another program reads', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const sold: string[] = [];
  for (let run = 0; run < 4; run++) {
    const store = await openStore({ dataDir, role: 'gateway' });
    const key = await makeKey(store, `Till ${run}`);
    const reader = new Database(join(dataDir, DATABASE), { readonly: true });
    for (let i = 0; i < 300; i++) {
      if (run % 2 === 1 && i === 150) reader.exec('BEGIN; SELECT count(*) FROM records');
      const externalId = `${run}-${i}`;
      await store.records.append(arrivalOf(key, { externalId, object: { text: 'x'.repeat(40_000) } }));
      sold.push(externalId);
      if (i % 149 !== 0) continue;
      const killed = await openTemporaryStore({ dataDir: copyKilled(dataDir).dataDir });
      const ids = (await killed.records.list({ limit: 10_000 })).map(({ externalId }) => externalId);
      expect(ids.toSorted()).toEqual(sold.toSorted());
      await killed.close();
    }
    reader.close();
    await store.close();
  }
});

test('a till cannot forge the mark', async () => {
  const { killed } = await openThreeRuns(1);
  const store = await openStore({ dataDir: killed.dataDir, role: 'gateway' });
  const key = await makeKey(store, 'Forger');
  for (let size = 3000; size < 4100; size++)
    await store.records.append(
      arrivalOf(key, { externalId: `f${size}`, object: { text: `${'x'.repeat(size)}log-mark:0000000000009999` } }),
    );
  const { dataDir } = copyKilled(killed.dataDir);
  await store.close();
  const again = await openTemporaryStore({ dataDir });
  expect(await again.records.list({ limit: 10_000 })).toHaveLength(3 + 1100);
});
