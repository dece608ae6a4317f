// Migration 6, on old rows. The cut-off of store days moves to a separate table. From now on the time of the last answer is
// stored.

import { expect, test } from 'vitest';

import { machineZone } from '../../../../../server/lib/calendar.ts';
import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, RECORDS, rowsOf, SECRETS, SOLD_AT, withDatabase } from '../../../../support/old-data.ts';
import { arrivalOf, openTemporaryStore, settleRecords } from '../../../../support/temp-store.ts';

/** Makes a data directory at schema 5 with three stores: with time zone and cut-off, with neither, and with only a cut-off. */
function folderAtVersion5(): string {
  const dataDir = folderAtVersion2();
  withDatabase(dataDir, (db) => {
    migrate(db, 5);
    db.exec(`
      UPDATE administrations SET time_zone = 'Asia/Kathmandu', day_starts_at = 240 WHERE id = 1;
      INSERT INTO administrations (id, name, created_at, day_starts_at) VALUES (3, 'Kiosk', 3000, 1425);
      UPDATE deliveries SET state = 'delivered', attempts = 1, answered_at = 5000, answer_status = 201 WHERE record_id = 1;
      UPDATE delivery_counts SET deliveries = deliveries - 1
        WHERE lane_id = (SELECT lane_id FROM deliveries WHERE record_id = 1) AND state = 'waiting' AND status = 'NEW'
          AND starts_at = ${SOLD_AT} / 900 * 900;
      DELETE FROM delivery_counts WHERE deliveries = 0;
      INSERT INTO delivery_counts (lane_id, state, status, starts_at, deliveries)
        SELECT lane_id, 'delivered', 'NEW', ${SOLD_AT} / 900 * 900, 1 FROM deliveries WHERE record_id = 1;
      UPDATE lanes SET waiting = waiting - 1, delivered = delivered + 1
        WHERE id = (SELECT lane_id FROM deliveries WHERE record_id = 1);
      INSERT INTO users (name, role, created_at, salt, cost, digest)
        VALUES ('ann', 'clerk', 1000, zeroblob(16), 1024, zeroblob(32));`);
  });
  return dataDir;
}

test('zones and cut-offs become rules, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion5(), (db) => {
    const before = rowsOf(db);
    migrate(db, 6);
    expect(schemaVersion(db)).toBe(6);
    const {
      administrations = [],
      delivery_counts: deliveryCounts = [],
      day_rules: dayRules,
      verdicts,
      findings,
      checks,
      check_turns: turns,
      declared_totals: totals,
      declared_ids: ids,
      sign_offs: signOffs,
      ...others
    } = rowsOf(db);
    expect(dayRules).toEqual([
      { administration_id: 1, from_date: '', from_at: null, time_zone: 'Asia/Kathmandu', day_starts_at: 240 },
      { administration_id: 2, from_date: '', from_at: null, time_zone: null, day_starts_at: 0 },
      { administration_id: 3, from_date: '', from_at: null, time_zone: null, day_starts_at: 1425 },
    ]);
    const { administrations: old = [], delivery_counts: oldCounts = [], ...rest } = before;
    expect(administrations).toEqual(old.map(({ time_zone: _, day_starts_at: __, ...row }) => row));
    expect(deliveryCounts).toEqual(oldCounts.map((row) => ({ ...row, last_at: null })));
    expect(others).toEqual(rest);
    expect([verdicts, findings, checks, turns, totals, ids, signOffs]).toEqual(Array(7).fill([]));
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
  });
});

test('stores begin their days as before, and their zone and cut-off can be changed', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion5() });
  const rules = async () =>
    (await store.setup.listAdministrations()).map(({ name, timeZone, dayStartsAt, dayRules }) => [
      name,
      timeZone,
      dayStartsAt,
      dayRules.length,
    ]);
  expect(await rules()).toEqual([
    ['Bakery', 'Asia/Kathmandu', 240, 1],
    ['Café', machineZone(), 0, 1],
    ['Kiosk', machineZone(), 1425, 1],
  ]);
  await store.setup.changeAdministration('Bakery', { dayStartsAt: 0 }, 'test');
  expect((await rules())[0]).toEqual(['Bakery', 'Asia/Kathmandu', 0, 1]);
});

test('old deliveries belong to their days without a time of answer, and new ones have it', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion5() });
  const day = { date: '2025-10-09', from: SOLD_AT - (SOLD_AT % 900), to: SOLD_AT - (SOLD_AT % 900) + 900 };
  const count = async () => (await store.days.count({ journalId: 1, days: [day] }))[0];
  const before = await count();
  expect(before).toMatchObject({ here: 2, lastAnsweredAt: null, deliveries: { delivered: 1, waiting: 1 } });
  expect(await store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [], damagedRecords: [] });

  const key = store.setup.findKey(SECRETS[0] ?? '');
  if (key === undefined) throw new Error('the key is gone');
  const { recordId } = await store.records.append(arrivalOf(key, { externalId: 'new', soldAt: SOLD_AT }));
  const lane = store.outbox.lanes().find((each) => each.journalId === 1 && each.interface === 'current');
  await settleRecords(store, lane?.id ?? 0, [recordId], { state: 'delivered', answeredAt: 7000 });
  expect(await count()).toMatchObject({ here: 3, lastAnsweredAt: 7000, deliveries: { delivered: 2, waiting: 1 } });
  expect(await store.health.check()).toMatchObject({ countFaults: [], deliveryFaults: [] });
  expect((await store.records.search({ journalId: 1, order: 'oldest', limit: 100 })).records.length).toBeGreaterThan(
    RECORDS.filter(([, journal]) => journal === 1).length,
  );
});

test('a failed migration leaves everything unchanged, and is done once the obstacle is gone', async () => {
  const dataDir = folderAtVersion5();
  const before = withDatabase(dataDir, (db) => {
    db.exec('CREATE TABLE sign_offs (id)');
    return rowsOf(db);
  });
  withDatabase(dataDir, (db) => expect(() => migrate(db)).toThrow(/sign_offs already exists/));
  withDatabase(dataDir, (db) => {
    expect(schemaVersion(db)).toBe(5);
    expect(rowsOf(db)).toEqual(before);
    db.exec('DROP TABLE sign_offs');
  });
  const store = await openTemporaryStore({ dataDir });
  expect(await store.setup.listAdministrations()).toHaveLength(3);
  const db = openDatabase(databasePath(dataDir), 'read');
  expect(schemaVersion(db)).toBeGreaterThanOrEqual(6);
  db.close();
});
