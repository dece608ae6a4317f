// A resend with different bytes is compared on a separate thread between two group commits. The writer never waits for the
// comparison. The commit uses the result only if it finds the same original.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { Arrival } from '../../../server/store/records/ledger.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';
import { databasePath, openDatabase } from '../../../server/store/sqlite/engine/database.ts';
import { openRecordWriter } from '../../../server/store/sqlite/records/record.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

/**
 * A record of 869 kB. Comparing two of them with different `names` is as costly as their size allows, because they share no
 * member name.
 */
function costly(key: Key, externalId: string, names: string): Arrival {
  const members = Array.from({ length: 60_000 }, (_, i) => [`${names}${i}`, i]);
  return arrivalOf(key, { externalId, object: Object.fromEntries(members) });
}

describe('a changed resend', () => {
  test('does not delay another till', async () => {
    const store = await openTemporaryStore();
    const [noisy, quiet] = [await makeKey(store, 'Noisy'), await makeKey(store, 'Quiet')];
    await store.records.append(costly(noisy, 'large', 'a'));
    const answered: string[] = [];
    const resends = Array.from({ length: 8 }, (_, i) => store.records.append(costly(noisy, 'large', `b${i}`)));
    for (const resend of resends) {
      resend.then(
        () => answered.push('resend'),
        () => answered.push('stopped'),
      );
    }
    for (let i = 0; i < 20; i++) {
      expect(await store.records.append(arrivalOf(quiet, { externalId: `quiet-${i}` }))).toMatchObject({
        status: 'NEW',
      });
      answered.push('sale');
    }
    expect(answered.filter((each) => each !== 'sale').length).toBeLessThan(resends.length);
  });

  test('of small size does not wait for the large resends of other tills', async () => {
    const store = await openTemporaryStore();
    const quiet = await makeKey(store, 'Quiet');
    const noisy = await Promise.all(Array.from({ length: 8 }, (_, i) => makeKey(store, `Noisy ${i}`)));
    for (const [i, key] of noisy.entries()) await store.records.append(costly(key, `large ${i}`, 'a'));
    const resendOf = (total: number): Arrival => arrivalOf(quiet, { externalId: 'small', object: { total } });
    await store.records.append(resendOf(0));
    await store.records.append(resendOf(1));
    const answered: string[] = [];
    const resends = noisy.map((key, i) =>
      store.records.append(costly(key, `large ${i}`, 'b')).then(() => answered.push('large')),
    );
    for (let total = 2; total < 22; total++) {
      expect(await store.records.append(resendOf(total))).toMatchObject({
        status: 'ERROR',
        differences: ['/object/total'],
      });
      answered.push('small');
    }
    expect(answered.filter((each) => each === 'large').length).toBeLessThan(4);
    await Promise.all(resends);
  });

  test('becomes ERROR or IGNORED by its differences, also in the group of its original', async () => {
    const store = await openTemporaryStore();
    const key = await makeKey(store);
    const sale = arrivalOf(key, { externalId: 'a', object: { total: 1 } });
    const respaced = { ...sale, body: Buffer.from(sale.body.toString().replaceAll('":', '" : ')) };
    const changed = arrivalOf(key, { externalId: 'a', object: { total: 2 } });
    const outcomes = await Promise.all(
      [sale, changed, respaced, sale, changed].map((each) => store.records.append(each)),
    );
    expect(outcomes).toMatchObject([
      { status: 'NEW', recordId: 1 },
      { status: 'ERROR', originalId: 1, differences: ['/object/total'] },
      { status: 'IGNORED', originalId: 1 },
      { status: 'IGNORED', originalId: 1 },
      { status: 'ERROR', originalId: 1, differences: ['/object/total'] },
    ]);
    expect(await store.health.check()).toMatchObject({
      damagedRecords: [],
      countFaults: [],
      deliveryFaults: [],
      records: 5,
    });
  });

  test('of 64 at once with the same id and other content, one is NEW and each other is compared with it', async () => {
    const store = await openTemporaryStore();
    const keys = [await makeKey(store, 'Till 1'), await makeKey(store, 'Till 2')];
    const totals = Array.from({ length: 64 }, (_, i) => i % 8);
    const outcomes = await Promise.all(
      totals.map((total, i) =>
        store.records.append(arrivalOf(keys[i % 2]!, { externalId: 'same', object: { total } })),
      ),
    );
    const first = outcomes.findIndex(({ status }) => status === 'NEW');
    expect(outcomes.map(({ status }) => status)).toEqual(
      totals.map((total, i) => (i === first ? 'NEW' : total === totals[first] ? 'IGNORED' : 'ERROR')),
    );
    for (const outcome of outcomes) {
      if (outcome.status !== 'NEW') expect(outcome.originalId).toBe(outcomes[first]!.recordId);
    }
  });

  test('is compared again if the transaction finds another original than the compared one', async () => {
    const dataDir = temporaryFolder();
    const key = await makeKey(await openTemporaryStore({ dataDir }));
    const db = openDatabase(databasePath(dataDir), 'write');
    onTestFinished(() => void db.close());
    const addRecord = openRecordWriter(db);
    const original = addRecord(arrivalOf(key, { externalId: 'a', object: { total: 1 } }));
    const changed = arrivalOf(key, { externalId: 'a', object: { total: 2 } });
    const originalBytes = arrivalOf(key, { externalId: 'a', object: { total: 1 } }).body.length;
    const originalId = original.status === 'NEW' ? original.recordId : 0;
    const uncompared = { status: 'uncompared', originalId, originalBytes };
    expect(addRecord(changed)).toEqual(uncompared);
    expect(addRecord({ ...changed, compared: { originalId: 99, differences: [] } })).toEqual(uncompared);
    expect(db.prepare('SELECT count(*) FROM records').pluck().get(), 'nothing was kept').toBe(1);
    const compared = { originalId: uncompared.originalId, differences: ['/object/total'] };
    expect(addRecord({ ...changed, compared })).toMatchObject({ status: 'ERROR', ...compared });
  });
});
