// A start repairs damage to the write-ahead log. It never drops an acknowledged sale without a report.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import type { Store } from '../../../../../server/store/store.ts';
import { MAX_PACK_RECORDS, packAll } from '../../../../support/archived.ts';
import {
  copyKilled,
  DATABASE,
  flipBit,
  FRAME_BYTES,
  killGatewayAfter,
  overwrite,
  WAL,
} from '../../../../support/killed-gateway.ts';
import { mountSmallDisk } from '../../../../support/small-disk.ts';
import { arrivalOf, makeKey, openTemporaryStore } from '../../../../support/temp-store.ts';

/** A program that opens a database, starts a read, prints a line, and closes the database when its input ends. */
const READER = fileURLToPath(new URL('../../../../support/database-reader.ts', import.meta.url));

const SALES = 60;

/** Opens the data as a gateway does. Returns the ids of the sales and the reported damage. */
async function start(dataDir: string) {
  const store = await openTemporaryStore({ dataDir });
  const ids = (await store.records.list({ limit: 10_000 })).map(({ externalId }) => externalId);
  const { walDamage } = await store.health.readMachine();
  return { store, ids, walDamage };
}

const SOUND = { structure: [], damagedRecords: [], countFaults: [], deliveryFaults: [] };

describe('a flipped bit in the log', () => {
  test.each([
    ['in the middle', 400, (frames: number) => 32 + Math.floor(frames / 2) * FRAME_BYTES + 24 + 2000],
    ['in the first frame', 100, () => 32 + 24 + 500],
    ['in the header', 900, () => 18],
  ])('%s loses no acknowledged sale and is reported', async (_name, sales, byteOf) => {
    const { dataDir, wal, frames } = await killGatewayAfter(sales);
    const damaged = [DATABASE, WAL].map((name) => join(dataDir, name));
    flipBit(wal, byteOf(frames));
    const before = damaged.map((file) => readFileSync(file));
    const { store, ids, walDamage } = await start(dataDir);
    expect(ids).toHaveLength(sales);
    expect(walDamage).toMatchObject({ kind: 'repaired', missingRecords: 0 });
    expect(await store.health.check()).toMatchObject({ ...SOUND, records: sales });

    const folder = join(dataDir, walDamage!.folder);
    const copies = [join(folder, DATABASE), join(folder, `${WAL}.damaged`)].map((file) => readFileSync(file));
    expect(copies.map((copy, index) => copy.equals(before[index]!))).toEqual([true, true]);
    expect(readdirSync(folder).toSorted()).toEqual([DATABASE, `${WAL}.damaged`, 'report.json']);
  });

  test('is reported until the copies are moved away', async () => {
    const { dataDir, wal } = await killGatewayAfter(20);
    flipBit(wal, 32 + 30 * FRAME_BYTES + 24 + 2000);
    const { store, walDamage } = await start(dataDir);
    await store.close();
    const again = await start(dataDir);
    expect(again.walDamage).toEqual(walDamage);
    renameSync(join(dataDir, walDamage!.folder), join(dataDir, '..', 'elsewhere'));
    expect(await again.store.health.readMachine()).toMatchObject({ walDamage: null, damaged: null });
  });

  test('stops a command, which leaves everything unchanged, until a gateway has repaired the log', async () => {
    const { dataDir, wal } = await killGatewayAfter(20);
    flipBit(wal, 32 + 30 * FRAME_BYTES + 24 + 2000);
    const before = readFileSync(wal);
    await expect(openStore({ dataDir, role: 'command' })).rejects.toThrow(
      /The write-ahead log .* is damaged\. Start the gateway/,
    );
    expect(readFileSync(wal).equals(before)).toBe(true);
    await (await start(dataDir)).store.close();
    await (await openStore({ dataDir, role: 'command' })).close();
  });
});

test('a database that a checkpoint was about to enlarge does not stop the repair of its log', async () => {
  const { dataDir, wal, frames } = await killGatewayAfter(SALES);
  flipBit(wal, 32 + Math.floor(frames / 2) * FRAME_BYTES + 24 + 2000);
  const database = join(dataDir, DATABASE);
  const bytes = readFileSync(database);
  bytes.writeUInt32BE(bytes.byteLength / 4096 + 2, 28); // the header counts pages that did not reach the disk
  writeFileSync(database, bytes);
  const { store, ids, walDamage } = await start(dataDir);
  expect(ids).toHaveLength(SALES);
  expect(walDamage).toMatchObject({ kind: 'repaired', missingRecords: 0 });
  expect(await store.health.check()).toMatchObject({ ...SOUND, records: SALES });
});

describe('damage from the first byte on', () => {
  test.each([
    ['zeros over the header and the first frame', 32 + FRAME_BYTES, 0],
    ['zeros over the first two frames', 32 + 2 * FRAME_BYTES, 0],
    ['an erased block over the first frames', 65_536, 0xff],
  ])('%s is reported, and costs at most the damaged part', async (_name, bytes, value) => {
    const { dataDir, wal } = await killGatewayAfter(300, { isOld: true });
    overwrite(wal, 0, bytes, value);
    const { ids, walDamage } = await start(dataDir);
    expect(walDamage).toMatchObject({ kind: 'salvaged' });
    expect(300 - ids.length).toBeLessThanOrEqual(Math.ceil(bytes / FRAME_BYTES));
  });

  test.each([
    ['that contains only other bytes is reported as lost', 0xa5, 'lost'],
    ['of zeros, as before a first commit, is a notice', 0, 'cut_off'],
  ])('a log %s', async (_name, value, kind) => {
    const { dataDir, wal, frames } = await killGatewayAfter(20);
    overwrite(wal, 0, 32 + frames * FRAME_BYTES, value);
    const { walDamage } = await start(dataDir);
    expect(walDamage).toMatchObject({ kind, missingRecords: null });
  });
});

/** The offset of the last frame of each commit. */
function listCommits(wal: string): number[] {
  const log = readFileSync(wal);
  const found: number[] = [];
  for (let at = 32; at + FRAME_BYTES <= log.byteLength; at += FRAME_BYTES)
    if (log.readUInt32BE(at + 4) !== 0) found.push(at);
  return found;
}

describe('a damaged end after a single flipped bit', () => {
  test.each([1, 2])('in a log of %i commits is never reported as undamaged', async (damagedCommits) => {
    const { dataDir, wal } = await killGatewayAfter(SALES);
    flipBit(wal, 32 + 30 * FRAME_BYTES + 24 + 2000);
    for (const at of listCommits(wal).slice(-damagedCommits)) overwrite(wal, at + 24, 512);
    const { store, ids, walDamage } = await start(dataDir);
    expect(ids.length).toBeGreaterThanOrEqual(SALES - damagedCommits);
    expect(ids.length).toBeLessThan(SALES);
    expect(walDamage).toMatchObject({ kind: 'salvaged', missingRecords: null });
    expect(await store.health.check()).toMatchObject(SOUND);
  });
});

test('a damaged sector costs at most the sales on it, at any position, and the report counts them', async () => {
  const killed = await killGatewayAfter(SALES, { size: 2500 });
  for (let at = 32; at + 512 < 32 + killed.frames * FRAME_BYTES; at += 512 * 311) {
    const { dataDir, wal } = copyKilled(killed.dataDir);
    overwrite(wal, at, 512);
    const store = await openStore({ dataDir, role: 'gateway' });
    try {
      const { walDamage } = await store.health.readMachine();
      const { damagedRecords, records, ...faults } = await store.health.check();
      expect(faults, `at ${at}`).toEqual({
        structure: [],
        archiveFaults: [],
        countFaults: [],
        wrongAmounts: [],
        amountFaults: [],
        saleFaults: [],
        deliveryFaults: [],
      });
      const missing = SALES - records + damagedRecords.length;
      expect(walDamage, `at ${at}`).toMatchObject({ kind: 'salvaged', missingRecords: missing });
      expect(missing, `at ${at}`).toBeLessThan(2);
    } finally {
      await store.close();
    }
  }
});

test('a damaged sector in a log with packs costs at most the sales of a pack, and the report counts them', async () => {
  const killed = await killGatewayAfter(SALES, {
    async work(store) {
      const key = await makeKey(store, 'Till 2');
      for (let n = 0; n < MAX_PACK_RECORDS; n++) await store.records.append(arrivalOf(key, { externalId: `OLD-${n}` }));
      expect(await packAll(store)).toBe(1);
    },
  });
  for (let at = 32; at + 512 < 32 + killed.frames * FRAME_BYTES; at += 512 * 733) {
    const { dataDir, wal } = copyKilled(killed.dataDir);
    overwrite(wal, at, 512);
    const store = await openStore({ dataDir, role: 'gateway' });
    try {
      const { walDamage } = await store.health.readMachine();
      const { damagedRecords, records, structure, deliveryFaults } = await store.health.check();
      expect([...structure, ...deliveryFaults], `at ${at}`).toEqual([]);
      const missing = MAX_PACK_RECORDS + SALES - records + damagedRecords.length;
      expect(walDamage, `at ${at}`).toMatchObject({ missingRecords: missing });
      expect(missing, `at ${at}`).toBeLessThanOrEqual(MAX_PACK_RECORDS);
    } finally {
      await store.close();
    }
  }
});

test('a log whose later commits do not match the data is salvaged sale by sale', async () => {
  const { dataDir, wal, frames } = await killGatewayAfter(SALES);
  const log = readFileSync(wal);
  // Damages database pages of many kinds in the middle of the log. Indexes break, but most sales stay intact.
  const from = Math.floor(frames / 2);
  for (let index = from; index < from + 40; index++)
    log.fill(0xa5, 32 + index * FRAME_BYTES + 24, 32 + index * FRAME_BYTES + 600);
  writeFileSync(wal, log);
  const { store, ids, walDamage } = await start(dataDir);
  expect(walDamage).toMatchObject({ kind: 'salvaged' });
  expect(ids).toHaveLength(SALES - (walDamage?.missingRecords ?? 0));
  expect(await store.health.check()).toMatchObject(SOUND);
  expect((await store.outbox.listLaneStatus()).find(({ interface: by }) => by === 'current')).toMatchObject({
    waiting: ids.length,
  });
});

test('an undamaged page with different content is never reported as saved', async () => {
  const { dataDir, wal } = await killGatewayAfter(700, { size: 10 });
  /** The first bytes of a delivery row: lane 1, a state of seven letters. */
  const delivery = Buffer.from([0x0a, 0x00, 0x09, 0x1b, 0x08]);
  const log = readFileSync(wal);
  // Picks the first full database page of deliveries, because later sales do not change it.
  const newest = new Map<number, number>();
  for (let at = 32; at + FRAME_BYTES <= log.byteLength; at += FRAME_BYTES) newest.set(log.readUInt32BE(at), at);
  const old = [...newest.values()].find((at) => {
    const page = log.subarray(at + 24, at + FRAME_BYTES);
    return at < log.byteLength / 2 && page[0] === 13 && page.includes(delivery);
  });
  const one = log.indexOf(delivery, old!);
  for (const at of [one, log.indexOf(delivery, one + 1)]) log.writeUInt8(0x08, at + 2); // lane 8 does not exist
  writeFileSync(wal, log);
  const { store, ids, walDamage } = await start(dataDir);
  expect(ids).toHaveLength(700);
  expect(walDamage).toMatchObject({ kind: 'salvaged', missingRecords: 0 });
  expect(await store.health.check()).toMatchObject(SOUND);
});

describe('a false sign of damage', () => {
  test('an incomplete last commit is a notice, and no earlier sale is missing', async () => {
    const { dataDir, wal, frames } = await killGatewayAfter(SALES);
    overwrite(wal, 32 + (frames - 2) * FRAME_BYTES + 24, 4096, 0);
    const { ids, walDamage, store } = await start(dataDir);
    expect(ids).toHaveLength(SALES - 1);
    expect(walDamage).toMatchObject({ kind: 'cut_off', missingRecords: null });
    expect(readdirSync(join(dataDir, walDamage!.folder)).toSorted()).toEqual([`${WAL}.damaged`, 'report.json']);
    expect(await store.health.check()).toMatchObject(SOUND);
  });

  test('frames of an earlier generation are not reported as damage', async () => {
    const work = async (store: Store): Promise<void> => {
      const key = await makeKey(store, 'Till 2');
      for (let i = 0; i < 200; i++) await store.records.append(arrivalOf(key, { externalId: `E-${i}` }));
    };
    const { dataDir, wal } = await killGatewayAfter(0, { work });
    const old = readFileSync(wal);
    await (await start(dataDir)).store.close();
    // Imitates a power cut after the log was restarted. The new header and frames overwrite only the first frames of the
    // earlier generation.
    const store = await openStore({ dataDir, role: 'gateway' });
    await store.records.append(arrivalOf(await makeKey(store, 'Till 3'), { externalId: 'new' }));
    const fresh = copyKilled(dataDir);
    await store.close();
    writeFileSync(
      fresh.wal,
      Buffer.concat([readFileSync(fresh.wal), old.subarray(readFileSync(fresh.wal).byteLength)]),
    );
    const { ids, walDamage } = await start(fresh.dataDir);
    expect(ids).toHaveLength(201);
    expect(walDamage).toBeNull();
  });
});

describe('another process that has the database open', () => {
  test.each(['killed', 'ended'])('stops the repair, and loses no later sale if it is %s', async (end) => {
    const { dataDir, wal, frames } = await killGatewayAfter(60, { isOld: true });
    const reader = spawn(process.execPath, [READER, join(dataDir, DATABASE)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(reader, 'close');
    onTestFinished(() => void reader.kill('SIGKILL'));
    await once(reader.stdout, 'data');
    flipBit(wal, 32 + Math.floor(frames / 2) * FRAME_BYTES + 24 + 2000);
    const before = readFileSync(wal);
    await expect(openStore({ dataDir, role: 'gateway' })).rejects.toThrow(
      /is damaged, and another program has \S+counterfoil\.db open\. End that program, then start again\. Nothing was changed\.$/,
    );
    expect(readFileSync(wal).equals(before)).toBe(true);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('damaged-log'))).toEqual([]);

    if (end === 'killed') reader.kill('SIGKILL');
    else reader.stdin.end();
    await ended;
    const { store, ids } = await start(dataDir);
    expect(ids).toHaveLength(60);
    expect(await store.health.check()).toMatchObject({ ...SOUND, records: 60 });
  });
});

test('a disk without room for the copies stops the start with one sentence, and nothing is changed', async ({
  skip,
}) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip('not run: mounting a small disk needs root on Linux');
  const killed = await killGatewayAfter(20);
  flipBit(killed.wal, 32 + 30 * FRAME_BYTES + 24 + 2000);
  for (const name of [DATABASE, WAL]) copyFileSync(join(killed.dataDir, name), join(disk, name));
  const before = [DATABASE, WAL].map((name) => readFileSync(join(disk, name)));
  await expect(openStore({ dataDir: disk, role: 'gateway' })).rejects.toThrow(
    /is damaged, and the disk has no room to keep copies\. Free \d+ MB, then start again\. Nothing was changed\.$/,
  );
  expect([DATABASE, WAL].map((name, index) => readFileSync(join(disk, name)).equals(before[index]!))).toEqual([
    true,
    true,
  ]);
  expect(readdirSync(disk).filter((name) => name.startsWith('damaged-log'))).toEqual([]);
});
