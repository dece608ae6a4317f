// A salvage of a store with packs: a record is copied only if its pack has its bytes.

import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { bodyColumns, type BodyRow, openBodies } from '../../../../../server/store/sqlite/archive/body.ts';
import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import { type Salvaged, salvage } from '../../../../../server/store/sqlite/salvage/salvage.ts';
import { MAX_PACK_RECORDS, packAll } from '../../../../support/archived.ts';
import { arrivalOf, makeKey, temporaryFolder } from '../../../../support/temp-store.ts';

const PAGE_BYTES = 4096;
const RECORDS = 300;
const NOW = 1_770_000_000_000;

/** A closed data directory, and the body of each stored record by its id. */
let shop: { readonly dataDir: string; readonly bodies: ReadonlyMap<number, Buffer> };

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-test-')); // stays for all tests of this file
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store);
  const bodies = new Map<number, Buffer>();
  for (let n = 0; n < RECORDS; n++) {
    const arrival = arrivalOf(key, { externalId: `T-${n}`, soldAt: 1_760_000_000 + n, object: { total: n } });
    bodies.set((await store.records.append(arrival)).recordId, Buffer.from(arrival.body));
  }
  await packAll(store);
  await store.close();
  shop = { dataDir, bodies };
  return () => rmSync(dataDir, { recursive: true, force: true });
});

/** Salvages a damaged copy of the shop. Expects that every record is either copied with its bytes or missing. */
async function salvaged(spoil: (path: string) => void): Promise<Salvaged & { readonly toDir: string }> {
  const path = databasePath(temporaryFolder());
  copyFileSync(databasePath(shop.dataDir), path);
  spoil(path);
  const toDir = join(temporaryFolder(), 'new');
  const found = await salvage({ path, dataDir: undefined }, toDir, NOW);
  const db = new Database(databasePath(toDir), { readonly: true });
  try {
    const bodyOf = openBodies(db);
    const rows = db.prepare<[], BodyRow & { id: number }>(`SELECT id, ${bodyColumns(db)} FROM records`).all();
    expect(rows.length).toBe(found.records);
    for (const row of rows) expect(bodyOf(row.id, row).equals(shop.bodies.get(row.id) ?? Buffer.alloc(0))).toBe(true);
  } finally {
    db.close();
  }
  expect(found.records + found.missing).toBe(RECORDS);
  return { ...found, toDir };
}

function change(sql: string): (path: string) => void {
  return (path) => {
    const db = new Database(path);
    db.exec(sql);
    db.close();
  };
}

test('of an undamaged store, every packed record is copied', async () => {
  expect(await salvaged(() => {})).toMatchObject({ records: RECORDS, changed: [], corrected: [], tables: [] });
});

test('if a page is lost, the records found and those counted as missing are all records', async () => {
  const pages = statSync(databasePath(shop.dataDir)).size / PAGE_BYTES;
  let lostPacks = 0;
  for (let page = 0; page < pages; page += 3) {
    const { records } = await salvaged((path) => {
      const file = openSync(path, 'r+');
      writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, page * PAGE_BYTES);
      closeSync(file);
    });
    if (records < RECORDS - MAX_PACK_RECORDS / 2) lostPacks += 1;
  }
  expect(lostPacks).toBeGreaterThan(0);
});

test('the records of a lost pack are named', async () => {
  const { records, changed } = await salvaged(change('DELETE FROM packs'));
  expect(records).toBe(RECORDS - MAX_PACK_RECORDS);
  expect(changed).toEqual([...shop.bodies.keys()].slice(0, MAX_PACK_RECORDS));
});

test('a record whose bytes do not match its SHA-256 is named and not copied, from a pack or a row', async () => {
  const { changed } = await salvaged(change('UPDATE records SET digest = randomblob(32) WHERE id IN (3, 4, 270)'));
  expect(changed.toSorted((a, b) => a - b)).toEqual([3, 4, 270]);
});

test('a damaged id, type or time of sale is read from the bytes in the pack again', async () => {
  const { corrected, toDir } = await salvaged(
    change("UPDATE records SET external_id = 'wrong', type = 'sald', sold_at = sold_at + 64 WHERE id = 8"),
  );
  expect(corrected).toEqual([8]);
  const db = new Database(databasePath(toDir), { readonly: true });
  expect(db.prepare('SELECT external_id, type, sold_at FROM records WHERE id = 8').get()).toEqual({
    external_id: 'T-7',
    type: 'sale',
    sold_at: 1_760_000_007,
  });
  db.close();
});

test('a flipped bit that gives a packed record the id of another record costs neither of them', async () => {
  const { records, corrected, toDir } = await salvaged((path) => {
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf('T-106sale'); at >= 0; at = bytes.indexOf('T-106sale', at))
      bytes.write('T-107sale', at);
    writeFileSync(path, bytes);
  });
  expect(records).toBe(RECORDS);
  expect(corrected).toEqual([107]);
  const db = new Database(databasePath(toDir), { readonly: true });
  expect(db.prepare('SELECT external_id FROM records WHERE id IN (107, 108)').pluck().all()).toEqual([
    'T-106',
    'T-107',
  ]);
  db.close();
});
