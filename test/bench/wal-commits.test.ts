import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { temporaryFolder } from '../support/temp-store.ts';
import { openWalCounter } from './wal-commits.ts';

/** A database in WAL mode with one table. A body of 3000 bytes fills a page. */
function openDatabase() {
  const path = join(temporaryFolder(), 'sales.db');
  const db = new Database(path);
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE sales (id INTEGER PRIMARY KEY, body)',
  );
  const insert = db.prepare("INSERT INTO sales (body) VALUES (printf('%3000c', 'x'))");
  const framesInLog = () => (db.pragma('wal_checkpoint(NOOP)') as [{ log: number }])[0].log;
  const empty = (mode: 'PASSIVE' | 'TRUNCATE') => db.pragma(`wal_checkpoint(${mode})`);
  return { path, db, insert, framesInLog, empty };
}

test('counts every commit and all its pages, and nothing from before it was opened', () => {
  const { path, db, insert, framesInLog } = openDatabase();
  insert.run();
  const before = framesInLog();
  const counter = openWalCounter(path);
  expect(counter.total()).toMatchObject({ count: 0, pages: 0 });

  for (let sale = 0; sale < 10; sale += 1) insert.run();
  counter.read();
  counter.read();
  db.transaction(() => {
    for (let sale = 0; sale < 50; sale += 1) insert.run();
  })();
  counter.read();

  expect(counter.total()).toMatchObject({ count: 11, pages: framesInLog() - before });
  db.close();
});

test('counts the end of a log that began again after a checkpoint', () => {
  const { path, db, insert, framesInLog, empty } = openDatabase();
  for (let sale = 0; sale < 20; sale += 1) insert.run();
  const before = framesInLog();
  const counter = openWalCounter(path);
  for (let sale = 0; sale < 10; sale += 1) insert.run();
  const ofFirst = framesInLog() - before;
  empty('PASSIVE');
  for (let sale = 0; sale < 3; sale += 1) insert.run();
  const ofSecond = framesInLog();
  counter.read();

  expect(ofSecond).toBeLessThan(before);
  expect(counter.total()).toMatchObject({ count: 13, pages: ofFirst + ofSecond });
  db.close();
});

test.each([
  ['was overwritten', 'PASSIVE', 40],
  ['was truncated', 'TRUNCATE', 1],
] as const)('gives no figure if a log %s before it was read', (_, mode, sales) => {
  const { path, db, insert, empty } = openDatabase();
  insert.run();
  const counter = openWalCounter(path);
  for (let sale = 0; sale < 10; sale += 1) insert.run();
  empty(mode);
  for (let sale = 0; sale < sales; sale += 1) insert.run();
  counter.read();

  expect(counter.total()).toBeNull();
  db.close();
});

test('gives no figure if a whole log went by unseen', () => {
  const { path, db, insert, empty } = openDatabase();
  for (let sale = 0; sale < 20; sale += 1) insert.run();
  const counter = openWalCounter(path);
  for (const _ of [1, 2]) {
    empty('PASSIVE');
    insert.run();
  }
  counter.read();

  expect(counter.total()).toBeNull();
  db.close();
});
