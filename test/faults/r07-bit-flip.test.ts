// Bits of the stored records flip. Each change of a record's content is found. A record whose content has changed is never
// handed out to be forwarded.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { openStore } from '../../server/store/open-store.ts';
import type { Store } from '../../server/store/store.ts';
import { MAX_PACK_RECORDS, packAll } from '../support/archived.ts';
import { DATABASE } from '../support/killed-gateway.ts';
import { arrivalOf, makeKey, temporaryFolder } from '../support/temp-store.ts';
import { openRandom } from '../support/till/random.ts';
import { countOf, repeatOf, report, SEED } from './tier.ts';

const TOTAL = countOf({ commit: 400, nightly: 20_000 });
/** A check lists at most a hundred damaged records. */
const FLIPS = 100;
const RECORDS = 2 * FLIPS;
const random = openRandom(SEED);

test('a flipped bit in the content of a record is found, and the record is not forwarded', async (context) => {
  const rounds = Math.ceil(TOTAL / FLIPS);
  for (let round = 0; round < rounds; round++) expect(await flipBits()).toBe(RECORDS - FLIPS);
  report(context, `${rounds * FLIPS} flipped bits: all found, none handed out`);
});

test('a flipped bit in a pack never changes a body: the record is damaged, or its bytes are as they were sent', async (context) => {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store);
  const sent = new Map<number, Buffer>();
  for (let i = 0; i < MAX_PACK_RECORDS; i++) {
    const arrival = arrivalOf(key, { externalId: `T-${i}.`, object: { total: i, text: String(random()) } });
    sent.set((await store.records.append(arrival)).recordId, Buffer.from(arrival.body));
  }
  await store.records.countStatuses(); // folds
  const laneId = store.outbox.lanes().find((lane) => lane.interface === 'current')?.id ?? 0;
  expect(await packAll(store)).toBe(1);
  const db = new Database(join(dataDir, DATABASE));
  const bodies = db.prepare<[], Buffer>('SELECT bodies FROM packs').pluck().get() ?? Buffer.alloc(0);
  const spoil = db.prepare('UPDATE packs SET bodies = ?');
  const flips = Math.ceil(TOTAL / 20);
  let [seen, damaged] = [0, 0];
  try {
    for (let flip = 0; flip < flips; flip++) {
      const flipped = Buffer.from(bodies);
      const at = Math.floor(random() * flipped.byteLength);
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
      spoil.run(flipped);
      const reader = await openStore({ dataDir, role: 'command' }); // has no pack in memory
      for (let after = 0, hasMore = true; hasMore;) {
        const page = await reader.outbox.listWaiting(laneId, after);
        for (const { recordId, body } of page.records) {
          seen += 1;
          if (body === undefined) damaged += 1;
          else
            expect(Buffer.from(body).equals(sent.get(recordId) ?? Buffer.alloc(0)), repeatOf('R7', TOTAL)).toBe(true);
        }
        ({ last: after, hasMore } = page);
      }
      await reader.close();
    }
  } finally {
    db.close();
    await store.close();
  }
  expect(seen).toBe(flips * MAX_PACK_RECORDS);
  expect(damaged).toBeGreaterThan(0);
  report(context, `${flips} flipped bits in packs: ${damaged} damaged records, no wrong byte handed out`);
});

/** Flips a bit in every other record of a store. Resolves to the number of records that are then handed out to be forwarded. */
async function flipBits(): Promise<number> {
  const dataDir = temporaryFolder();
  let store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store);
  const bodies = Array.from({ length: RECORDS }, (_, i) =>
    arrivalOf(key, { externalId: `T-${i}.`, object: { total: i } }),
  );
  await Promise.all(bodies.map((arrival) => store.records.append(arrival)));
  await store.close();

  const file = join(dataDir, DATABASE);
  const bytes = readFileSync(file);
  const flipped = bodies
    .filter((_, i) => i % 2 === 0)
    .map(({ externalId, body }) => {
      const [offset, bit] = [Math.floor(random() * body.byteLength), Math.floor(random() * 8)];
      // A page that SQLite has split still has old copies of its records.
      for (let at = bytes.indexOf(body); at !== -1; at = bytes.indexOf(body, at + 1))
        bytes.writeUInt8(bytes.readUInt8(at + offset) ^ (1 << bit), at + offset);
      return externalId;
    });
  writeFileSync(file, bytes);

  store = await openStore({ dataDir, role: 'gateway' });
  try {
    const idOf = new Map((await listAll(store)).map(({ recordId, externalId }) => [externalId, recordId]));
    const { damagedRecords } = await store.health.check();
    expect(
      damagedRecords.toSorted((a, b) => a - b),
      repeatOf('R7', TOTAL),
    ).toEqual(flipped.map((externalId) => idOf.get(externalId)).toSorted((a = 0, b = 0) => a - b));
    const laneId =
      store.outbox.lanes().find((lane) => lane.journalId === key.journalId && lane.interface === 'current')?.id ?? 0;
    const sent = new Map(bodies.map(({ externalId, body }) => [idOf.get(externalId), Buffer.from(body)]));
    const damaged = new Set(damagedRecords);
    let [after, handedOut] = [0, 0];
    for (
      let page = await store.outbox.listWaiting(laneId, after);
      page.records.length > 0;
      page = await store.outbox.listWaiting(laneId, after)
    )
      for (const { recordId, body } of page.records) {
        after = recordId;
        if (body === undefined) expect(damaged.has(recordId)).toBe(true);
        else expect(Buffer.from(body).equals(sent.get(recordId) ?? Buffer.alloc(0)), String(recordId)).toBe(true);
        if (body !== undefined) handedOut += 1;
      }
    return handedOut;
  } finally {
    await store.close();
  }
}

function listAll(store: Store) {
  return store.records.list({ limit: RECORDS });
}
