// What the gateway finds in a write-ahead log when it reads the log without SQLite. SQLite wrote these logs, and the test
// changes bytes in them.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';

import { scanWal } from '../../../../../server/store/sqlite/integrity/wal-scan.ts';
import { writeWal } from '../../../../../server/store/sqlite/integrity/wal-write.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

const FRAME = 24 + 4096;

/**
 * Makes a database and its write-ahead log as a killed process leaves them. They have `commits` rows, each in its own commit.
 */
function makeLog(commits: number, before?: (db: Database.Database) => void) {
  const folder = temporaryFolder();
  const live = join(folder, 'live.db');
  const db = new Database(live);
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE sales (id INTEGER PRIMARY KEY, body TEXT)',
  );
  before?.(db);
  const insert = db.prepare('INSERT INTO sales (body) VALUES (?)');
  for (let i = 0; i < commits; i++) insert.run(`sale ${i} ${'x'.repeat(700)}`);
  const file = join(folder, 'killed.db');
  const wal = `${file}-wal`;
  copyFileSync(live, file);
  copyFileSync(`${live}-wal`, wal);
  db.close();
  return { folder, file, wal, frames: (readFileSync(wal).byteLength - 32) / FRAME };
}

function flipBit(path: string, byte: number, bit = 3): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(byte) ^ (1 << bit), byte);
  writeFileSync(path, bytes);
}

function overwrite(path: string, byte: number, length: number, value = 0xa5): void {
  const bytes = readFileSync(path);
  bytes.fill(value, byte, byte + length);
  writeFileSync(path, bytes);
}

function readSales(file: string): string[] {
  const db = new Database(file);
  try {
    return db.prepare<[], string>('SELECT body FROM sales ORDER BY id').pluck().all();
  } finally {
    db.close();
  }
}

/** Repairs a write-ahead log. Returns the sales that SQLite reads afterwards. */
function salesAfterRepair({ folder, file, wal }: ReturnType<typeof makeLog>): string[] {
  const scan = scanWal(wal, file);
  if (scan.kind !== 'broken') throw new Error(`the log is ${scan.kind}`);
  expect(scan.frames.every(({ isProven }) => isProven)).toBe(true);
  const repaired = join(folder, 'repaired');
  expect(writeWal(repaired, wal, scan.header, scan.frames)).toBe(true);
  copyFileSync(repaired, wal);
  return readSales(file);
}

describe('a log without damage', () => {
  test.each<[string, () => { file: string; wal: string }]>([
    ['none', () => ({ file: join(temporaryFolder(), 'x.db'), wal: join(temporaryFolder(), 'x.db-wal') })],
    ['of many commits', () => makeLog(40)],
    ['that was restarted over the frames of an earlier generation', () => makeLog(5, fillAndReset)],
    [
      'with an incomplete last commit',
      () => {
        const log = makeLog(40);
        writeFileSync(log.wal, readFileSync(log.wal).subarray(0, -100));
        return log;
      },
    ],
  ])('is recognised as undamaged: %s', (_name, make) => {
    const { file, wal } = make();
    expect(scanWal(wal, file)).toEqual({ kind: 'sound' });
  });
});

/** Leaves a long write-ahead log that was checkpointed. Its old frames stay in the file. */
function fillAndReset(db: Database.Database): void {
  const insert = db.prepare('INSERT INTO sales (body) VALUES (?)');
  for (let i = 0; i < 60; i++) insert.run('x'.repeat(700));
  db.pragma('wal_checkpoint(RESTART)');
}

describe('one flipped bit', () => {
  test.each<[string, (frames: number) => number]>([
    ['in a page', () => 32 + 7 * FRAME + 24 + 3000],
    ['in the first page', () => 32 + 24],
    ['in the number of a page', () => 32 + 7 * FRAME + 3],
    ['in the mark of a commit', () => 32 + 7 * FRAME + 7],
    ['in the last word of a page', () => 32 + 8 * FRAME - 4],
    ['in the second half of a checksum', () => 32 + 7 * FRAME + 22],
    ['in a salt', () => 32 + 7 * FRAME + 9],
    ['in a checksum', () => 32 + 7 * FRAME + 18],
    ['in the last frame’s page', (frames) => 32 + (frames - 1) * FRAME + 24 + 4000],
    ['in the last frame’s checksum', (frames) => 32 + (frames - 1) * FRAME + 18],
    ['in the last frame’s salt', (frames) => 32 + (frames - 1) * FRAME + 13],
    ['in the header’s magic number', () => 2],
    ['in the header’s page size', () => 10],
    ['in the header’s salt', () => 18],
    ['in the header’s checksum', () => 29],
  ])('%s is found, and its correction is proven', (_name, byteOf) => {
    const log = makeLog(40);
    const all = readSales(makeLog(40).file);
    flipBit(log.wal, byteOf(log.frames));
    expect(salesAfterRepair(log)).toEqual(all);
  });

  test('anywhere in a log is found, and parts called proven are as they were written', () => {
    const log = makeLog(6);
    const sound = readFileSync(log.wal);
    let proven = 0;
    let flips = 0;
    for (let byte = 0; byte < sound.byteLength; byte += 101) {
      flips += 1;
      flipBit(log.wal, byte, flips % 8);
      const scan = scanWal(log.wal, log.file);
      if (scan.kind !== 'broken') throw new Error(`the flip in byte ${byte} was not found`);
      for (const [index, { isProven, repaired, page, commitPages }] of scan.frames.entries()) {
        if (!isProven) continue;
        const at = 32 + index * FRAME;
        const written = sound.subarray(at, at + FRAME);
        const content = repaired ?? readFileSync(log.wal).subarray(at + 24, at + FRAME);
        expect(written.subarray(24).equals(content), `byte ${byte}`).toBe(true);
        expect([page, commitPages]).toEqual([written.readUInt32BE(0), written.readUInt32BE(4)]);
      }
      if (scan.frames.every(({ isProven }) => isProven)) proven += 1;
      writeFileSync(log.wal, sound);
    }
    // The unproven flips are in the upper bits of a word. Flips of different bits can change the checksums in the same way
    // there, so the scan cannot tell which bit was flipped.
    expect(proven / flips).toBeGreaterThan(0.65);
  });
});

test('a damaged page that was copied into the database is proven by the database', () => {
  const log = makeLog(0, (db) => {
    const insert = db.prepare('INSERT INTO sales (body) VALUES (?)');
    for (let i = 0; i < 40; i++) insert.run(`sale ${i} ${'x'.repeat(700)}`);
    db.pragma('wal_checkpoint(PASSIVE)');
  });
  const scan = scanWal(log.wal, log.file);
  expect(scan).toEqual({ kind: 'sound' });
  overwrite(log.wal, 32 + (log.frames - 1) * FRAME + 24 + 100, 512);
  const broken = scanWal(log.wal, log.file);
  expect(broken).toMatchObject({ kind: 'broken' });
  expect(broken.kind === 'broken' && broken.frames.every(({ isProven }) => isProven)).toBe(true);
});

test('a damaged sector leaves every other frame proven', () => {
  const log = makeLog(40);
  overwrite(log.wal, 32 + 9 * FRAME + 24 + 1024, 512);
  const scan = scanWal(log.wal, log.file);
  if (scan.kind !== 'broken') throw new Error(scan.kind);
  expect(scan.frames.flatMap(({ isProven }, index) => (isProven ? [] : [index]))).toEqual([9]);
  expect(scan.readable).toBeLessThan(10);
});
