// A salvage copies every readable record of a damaged store, and names the others. The judge knows which calls were stored.

import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import { type Salvaged, salvage } from '../../../../../server/store/sqlite/salvage/salvage.ts';
import type { Store } from '../../../../../server/store/store.ts';
import { FRAME_BYTES, killGatewayAfter, overwrite } from '../../../../support/killed-gateway.ts';
import { folderAtVersion2, RECORDS } from '../../../../support/old-data.ts';
import {
  arrivalOf,
  makeKey,
  openTemporaryStore,
  settleRecords,
  temporaryFolder,
} from '../../../../support/temp-store.ts';

const PAGE_BYTES = 4096;
const NOW = 1_770_000_000_000;

interface Shop {
  /** A closed data directory. */
  readonly dataDir: string;
  /** The body of each stored record, by its id. */
  readonly bodies: ReadonlyMap<number, Buffer>;
}

/** Sales of two tills on both interfaces, with equal and changed resends. Half of the sales are delivered. */
async function fillShop(store: Store): Promise<Map<number, Buffer>> {
  const keys = [await makeKey(store), await makeKey(store, 'Till 2')] as const;
  const bodies = new Map<number, Buffer>();
  for (let i = 0; i < 90; i++) {
    const key = keys[i % 2 === 0 ? 0 : 1];
    const text = 'x'.repeat(i % 9 === 0 ? 9000 : 200); // a long text needs its own pages
    const soldAt = 1_760_000_000 + 600 * i;
    const sale = { externalId: `T-${i}`, object: { text, total: i }, soldAt };
    const arrivals = [arrivalOf(key, sale)];
    if (i % 5 === 0) arrivals.push(arrivalOf(key, sale));
    if (i % 7 === 0) arrivals.push(arrivalOf(key, { ...sale, object: { text, total: -1 } }));
    if (i % 4 === 0) {
      const body = Buffer.from(`transactionid=E-${i}&amount=${i}`);
      const earlier = { version: 'v1', method: 'GET' } as const;
      arrivals.push({ ...arrivalOf(key, { externalId: `E-${i}`, type: 'transaction', soldAt }), earlier, body });
    }
    for (const arrival of arrivals)
      bodies.set((await store.records.append(arrival)).recordId, Buffer.from(arrival.body));
  }
  for (const { id } of store.outbox.lanes()) {
    const half = [...bodies.keys()].filter((recordId) => recordId % 2 === 0);
    await settleRecords(store, id, half, { state: 'delivered' });
  }
  return bodies;
}

let shop: Shop;

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-test-')); // stays for all tests of this file
  const store = await openStore({ dataDir, role: 'gateway' });
  const bodies = await fillShop(store);
  await store.close();
  shop = { dataDir, bodies };
  return () => rmSync(dataDir, { recursive: true, force: true });
});

/** Copies the shop's database, and damages the copy. */
function damaged(spoil: (path: string) => void): string {
  const path = databasePath(temporaryFolder());
  copyFileSync(databasePath(shop.dataDir), path);
  spoil(path);
  return path;
}

function write(path: string, at: number, bytes: Uint8Array): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

/** Runs SQL on a database, and leaves no log beside it. */
function changeQuietly(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

/** The content of every file beside a path. */
function filesBeside(path: string): Record<string, string> {
  const dir = dirname(path);
  return Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'base64')]));
}

type Found = Salvaged & { readonly toDir: string };

/** Salvages a file, and checks the promises that hold for any damage. */
async function salvaged(path: string, bodies = shop.bodies, where = ''): Promise<Found> {
  const before = filesBeside(path);
  const toDir = join(temporaryFolder(), 'new');
  const found = await salvage({ path, dataDir: undefined }, toDir, NOW);
  expect(filesBeside(path), where).toEqual(before);
  const rows = query<{ id: number; body: Buffer }>(toDir, 'SELECT id, body FROM records');
  expect(rows.length, where).toBe(found.records);
  expect(
    rows.filter(({ id, body }) => bodies.get(id)?.equals(body) !== true).map(({ id }) => id),
    where,
  ).toEqual([]);
  const known = found.records + found.missing;
  if (found.mayLackNewest) expect(known, where).toBeLessThanOrEqual(bodies.size);
  else expect(known, where).toBe(bodies.size);
  return { ...found, toDir };
}

function query<Row>(dataDir: string, sql: string): Row[] {
  const db = new Database(databasePath(dataDir), { readonly: true });
  try {
    return db.prepare<[], Row>(sql).all();
  } finally {
    db.close();
  }
}

/** The pages of a table or index. */
function pagesOf(name: string): number[] {
  const sql = `SELECT pageno FROM dbstat WHERE name = '${name}'`;
  return query<{ pageno: number }>(shop.dataDir, sql).map(({ pageno }) => pageno);
}

const ZEROS = (): Buffer => Buffer.alloc(PAGE_BYTES);
const NOISE = (page: number): Buffer =>
  Buffer.from(Array.from({ length: PAGE_BYTES }, (_, i) => ((i + page) * 7919) % 251));

test.each([
  ['zeros', ZEROS, 0],
  ['noise', NOISE, 2],
])(
  'if a page has only %s, the records found and those named as missing are all records',
  async (_name, content, from) => {
    const pages = statSync(databasePath(shop.dataDir)).size / PAGE_BYTES;
    expect(pages).toBeGreaterThan(100);
    // One page takes a quarter of a second, so each test takes every fourth page.
    for (let page = from; page < pages; page += 4) {
      const path = damaged((copy) => write(copy, page * PAGE_BYTES, content(page)));
      await salvaged(path, shop.bodies, `page ${page + 1} of ${pages}`);
    }
  },
);

test('flipped bits never lead to a record with wrong bytes or a wrong number', async () => {
  const bytes = readFileSync(databasePath(shop.dataDir));
  for (let seed = 1; seed <= 30; seed++) {
    let state = seed;
    const random = (limit: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const path = damaged((copy) => {
      const spoilt = Buffer.from(bytes);
      for (let flip = 0; flip < 20; flip++) {
        const at = random(bytes.length);
        spoilt.writeUInt8(spoilt.readUInt8(at) ^ (1 << random(8)), at);
      }
      writeFileSync(copy, spoilt);
    });
    expect((await salvaged(path, shop.bodies, `seed ${seed}`)).records).toBeGreaterThan(0);
  }
});

test('of a file that was cut off, the first part is saved, and the report says that newer records may be missing', async () => {
  const size = statSync(databasePath(shop.dataDir)).size;
  for (const part of [0.99, 0.9, 0.8, 0.7]) {
    const found = await salvaged(
      damaged((path) => truncateSync(path, Math.floor(size * part))),
      shop.bodies,
      `${100 * part} %`,
    );
    expect(found).toMatchObject({ mayLackNewest: true, log: 'none' });
    expect(found.missingPages).toBeGreaterThan(0);
  }
});

test('without its header and the first page of the schema, everything is found', async () => {
  const found = await salvaged(damaged((path) => write(path, 0, ZEROS())));
  expect(found).toMatchObject({ records: shop.bodies.size, missing: 0, tables: [], damagedPages: [1] });
});

test('a missing record is named with its id and its time of sale, as its indexes have them', async () => {
  const [, page = 0] = pagesOf('records');
  const { known, gaps } = await salvaged(damaged((path) => write(path, (page - 1) * PAGE_BYTES, ZEROS())));
  expect(known.length).toBeGreaterThan(0);
  for (const record of known)
    expect(record).toMatchObject({
      externalId: expect.stringMatching(/^[TE]-\d+$/),
      soldAt: expect.any(Number),
      administration: 'Bakery',
      mode: 'production',
    });
  expect(gaps.every(({ afterArrival, beforeArrival }) => afterArrival !== null || beforeArrival !== null)).toBe(true);
});

test.each([
  // A new upstream would release held records.
  ['without an upstream', 'set aside', ''],
  [
    'with an upstream',
    'held',
    "UPDATE lanes SET url = 'https://up.example', token = 'prod_x' WHERE interface = 'earlier'",
  ],
])(
  'a record whose delivery is lost waits until the upstream is asked; on the earlier interface %s, it is %s',
  async (_name, state, sql) => {
    const path = damaged((copy) => {
      changeQuietly(copy, sql);
      for (const page of pagesOf('deliveries')) write(copy, (page - 1) * PAGE_BYTES, ZEROS());
    });
    const { toDir, unknownAsked, unknownHeld } = await salvaged(path);
    expect([unknownAsked, unknownHeld]).toEqual([90, 23]);
    expect(
      query(
        toDir,
        `
      SELECT interface, deliveries.state, count(*) AS records, sum(asks_up_to IS NOT NULL) AS asked
      FROM deliveries JOIN lanes ON lanes.id = lane_id GROUP BY 1, 2`,
      ),
    ).toEqual([
      { interface: 'current', state: 'waiting', records: 90, asked: 90 },
      { interface: 'earlier', state, records: 23, asked: 0 },
    ]);
  },
);

test('an equal resend takes the place of its lost original; a changed resend does too, but is held', async () => {
  const ids = (sql: string): number[] => query<{ id: number }>(shop.dataDir, sql).map(({ id }) => id);
  const [equal = 0] = ids(`SELECT original_id AS id FROM records WHERE status = 'IGNORED' ORDER BY id LIMIT 1`);
  const [changed = 0] = ids(`
    SELECT original_id AS id FROM records AS resends WHERE status = 'ERROR'
      AND NOT EXISTS (SELECT 1 FROM records WHERE original_id = resends.original_id AND status = 'IGNORED') LIMIT 1`);
  const path = damaged((copy) =>
    changeQuietly(copy, `UPDATE records SET body = x'00' WHERE id IN (${equal}, ${changed})`),
  );
  const { promoted, changed: spoilt, toDir } = await salvaged(path);
  expect(spoilt).toEqual([equal, changed]);
  expect(promoted.map(({ was }) => was)).toEqual(['IGNORED', 'ERROR']);
  expect(
    query(
      toDir,
      `
      SELECT status, state FROM records JOIN deliveries ON record_id = records.id
      WHERE records.id IN (${promoted.map(({ id }) => id).join()}) ORDER BY records.id`,
    ),
  ).toEqual([
    { status: 'NEW', state: 'waiting' },
    { status: 'NEW', state: expect.stringMatching(/^(held|set aside)$/) },
  ]);
});

test('a damaged id, type or time of sale is read from the bytes of the record again', async () => {
  const path = damaged((copy) =>
    changeQuietly(copy, "UPDATE records SET external_id = 'wrong', type = 'sald', sold_at = sold_at + 64 WHERE id = 8"),
  );
  const fields = 'SELECT external_id, type, sold_at FROM records WHERE id = 8';
  const { corrected, toDir } = await salvaged(path);
  expect(corrected).toEqual([8]);
  expect(query(toDir, fields)).toEqual(query(shop.dataDir, fields));
});

test('lost tills, keys, journals and administrations are replaced, and no key of them is valid', async () => {
  const { replacements, toDir } = await salvaged(
    damaged((path) => {
      for (const name of ['administrations', 'journals', 'tills', 'keys'])
        for (const table of [name, `sqlite_autoindex_${name}_1`])
          for (const page of pagesOf(table)) write(path, (page - 1) * PAGE_BYTES, ZEROS());
    }),
  );
  expect(replacements).toEqual({ administrations: 1, journals: 1, tills: 2, keys: 2 });
  expect(query(toDir, 'SELECT id FROM keys WHERE revoked_at IS NULL')).toEqual([]);
  expect(query(toDir, 'SELECT id FROM lanes WHERE url IS NOT NULL')).toEqual([]);
});

test('the new store works, knows every copied id, and forwards nothing before a person confirms it', async () => {
  const [, page = 0] = pagesOf('records');
  const { toDir } = await salvaged(damaged((path) => write(path, (page - 1) * PAGE_BYTES, ZEROS())));
  const store = await openTemporaryStore({ dataDir: toDir });
  expect(store.outbox.lanes().every(({ isRestored }) => isRestored)).toBe(true);
  const { structure, damagedRecords, countFaults, deliveryFaults } = await store.health.check();
  expect([structure, damagedRecords, countFaults, deliveryFaults].flat()).toEqual([]);
  const key = await makeKey(store, 'Till 3');
  const sale = { externalId: 'T-89', object: { text: 'x'.repeat(200), total: 89 }, soldAt: 1_760_000_000 + 600 * 89 };
  expect(await store.records.append(arrivalOf(key, sale))).toMatchObject({ status: 'IGNORED' });
});

test('the write-ahead log is read: all sales are found, or the report says that the newest may be missing', async () => {
  const { dataDir, wal, frames } = await killGatewayAfter(40);
  const path = databasePath(dataDir);
  rmSync(join(dataDir, 'owner.lock'));
  const whole = await salvage({ path, dataDir }, join(temporaryFolder(), 'new'), NOW);
  expect(whole).toMatchObject({ records: 40, missing: 0, log: 'sound', mayLackNewest: false });

  const log = readFileSync(wal);
  overwrite(wal, 32 + FRAME_BYTES * Math.floor(frames / 2) + 24, 300, 0x55);
  const spoilt = await salvage({ path, dataDir }, join(temporaryFolder(), 'new'), NOW);
  expect(spoilt).toMatchObject({ log: 'damaged', mayLackNewest: true });
  expect(spoilt.records).toBeGreaterThan(30); // sales after the damaged frame are saved too

  writeFileSync(wal, log.subarray(0, 32 + FRAME_BYTES * Math.floor(frames / 2)));
  const half = await salvage({ path, dataDir }, join(temporaryFolder(), 'new'), NOW);
  expect(half.records).toBeGreaterThan(5);
  expect(half.records).toBeLessThan(40);
  expect(existsSync(`${path}-shm`)).toBe(false);
});

test('data of an earlier version are salvaged, and migrated', async () => {
  const path = databasePath(folderAtVersion2());
  write(path, 0, Buffer.alloc(100));
  const toDir = join(temporaryFolder(), 'new');
  const found = await salvage({ path, dataDir: undefined }, toDir, NOW);
  expect(found).toMatchObject({ records: RECORDS.length + 7, missing: 1, gaps: [{ from: 6, to: 6 }] });
});

test.each([
  [
    'a running gateway',
    /A gateway is running on .*\. Stop it/,
    async (dataDir: string) => void (await openTemporaryStore({ dataDir })),
  ],
  [
    'a file of another program',
    /has no data of Counterfoil that can be read/,
    async (dataDir: string) => writeFileSync(databasePath(dataDir), NOISE(1)),
  ],
  ['a missing file', /does not exist/, async () => {}],
])('%s is refused, and no folder is left', async (_name, message, prepare) => {
  const dataDir = temporaryFolder();
  await prepare(dataDir);
  const toDir = join(temporaryFolder(), 'new');
  await expect(salvage({ path: databasePath(dataDir), dataDir }, toDir, NOW)).rejects.toThrow(message);
  expect(existsSync(toDir)).toBe(false);
});

test('a folder with files is never used as the target', async () => {
  const toDir = temporaryFolder();
  writeFileSync(join(toDir, 'note.txt'), 'mine');
  const path = databasePath(shop.dataDir);
  await expect(salvage({ path, dataDir: undefined }, toDir, NOW)).rejects.toThrow(/is not an empty folder/);
  expect(readdirSync(toDir)).toEqual(['note.txt']);
});
