// A flood of refused calls from one address is counted completely but listed only in part. So refusals of other callers stay in
// the log.

import { expect, onTestFinished, test } from 'vitest';

import type { NewRefusal } from '../../../../../server/store/records/ledger.ts';
import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { migrate } from '../../../../../server/store/sqlite/migrations.ts';
import { type NotedRefusal, openRefusalWriter } from '../../../../../server/store/sqlite/records/refusal.ts';
import { makeKey, openTemporaryStore, refusalOf, temporaryFolder } from '../../../../support/temp-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 100 * DAY_MS;

async function open() {
  let now = NOW;
  const store = await openTemporaryStore({ now: () => now });
  const note = (more: Partial<NewRefusal> = {}): void => store.records.noteRefusal(refusalOf(now, more));
  return {
    store,
    note,
    setNow: (to: number): void => void (now = to),
    list: () => store.records.listRefusals(200_000), // this also writes pending refusals
    /** Refuses this number of calls. Writes after each thousand, because more pending calls would become one entry. */
    async flood(calls: number, more: (n: number) => Partial<NewRefusal> = () => ({})): Promise<void> {
      for (let n = 0; n < calls; n++) {
        note({ address: '10.0.0.66', ...more(n) });
        if (n % 1000 === 999) await store.records.listRefusals(1);
      }
    },
  };
}

test('a flood from one address does not push refusals of another out of the log', async () => {
  const { note, flood, list } = await open();
  note({ detail: 'of the quiet till' });
  await flood(130_000);
  const log = await list();
  expect(log.filter(({ detail }) => detail === 'of the quiet till')).toHaveLength(1);
  expect(log.length).toBeLessThan(5100);
  expect(
    log.reduce((calls, refusal) => calls + refusal.calls, 0),
    'every call is counted',
  ).toBe(130_001);
});

test.each<[what: string, more: (n: number) => Partial<NewRefusal>]>([
  ['from many addresses of a network', (n) => ({ address: `2001:db8:1:2::${(n % 5000).toString(16)}` })],
  ['with many codes', (n) => ({ code: n % 2 === 0 ? 'key_missing' : 'not_found' })],
])('a flood %s does not push refusals of another out either', async (_what, more) => {
  const { note, flood, list } = await open();
  note({ detail: 'of the quiet till' });
  await flood(110_000, more);
  const log = await list();
  expect(log.filter(({ detail }) => detail === 'of the quiet till')).toHaveLength(1);
  expect(log.length).toBeLessThan(5100);
});

test('of one address 5,000 calls are listed separately, and 200 more each day; the surplus of a group is one entry an hour', async () => {
  const { flood, list, setNow } = await open();
  await flood(5000);
  expect((await list()).length).toBe(5000);
  for (const after of [1, 2, 3]) {
    setNow(NOW + after);
    await flood(500);
    expect((await list())[0]).toMatchObject({ calls: 500 * after, at: NOW + after });
  }
  expect((await list()).length).toBe(5001);
  setNow(NOW + 1 + HOUR_MS);
  await flood(100, () => ({ code: 'key_missing' }));
  await flood(100);
  const [second, first] = await list();
  expect(first).toMatchObject({ code: 'key_missing', calls: 92 });
  expect(second).toMatchObject({ code: 'key_unknown', calls: 100 });
  setNow(NOW + 1 + HOUR_MS + DAY_MS);
  const before = (await list()).length;
  await flood(300);
  expect((await list()).length).toBe(before + 201);
});

test('a continuing surplus comes before older calls, in the list and in its group', async () => {
  const { store, note, flood, list, setNow } = await open();
  const { id: keyId, journalId } = await makeKey(store);
  await flood(5001, () => ({ keyId }));
  await list();
  setNow(NOW + 600_000); // enough time to list one more call of this address
  await flood(1, () => ({ keyId, path: '/listed' }));
  note();
  await list();
  setNow(NOW + 600_001);
  await flood(1, () => ({ keyId, path: '/latest' }));
  expect((await list()).slice(0, 3)).toMatchObject([
    { path: '/latest', calls: 2 },
    { address: '192.0.2.1' },
    { path: '/listed' },
  ]);
  expect(await store.records.groupRefusals({ journalId, since: 0, limit: 10 })).toMatchObject([
    { keyId, path: '/latest', calls: 5003 },
    { address: '192.0.2.1', calls: 1 },
  ]);
});

test('an entry whose transaction failed gets no further calls', () => {
  const db = openDatabase(databasePath(temporaryFolder()), 'write');
  onTestFinished(() => void db.close());
  migrate(db);
  const log = openRefusalWriter(db);
  const surplus: NotedRefusal = { ...refusalOf(NOW), calls: 5, isSurplus: true };
  const failing = db.transaction(() => {
    log.add([surplus], NOW);
    throw new Error('the disk is full');
  });
  expect(failing).toThrow('the disk is full');
  log.discard();
  log.add([{ ...surplus, code: 'not_found', calls: 1, isSurplus: false }], NOW); // this entry reuses the id of the entry that was rolled back
  log.add([surplus, { ...surplus, at: NOW + 1 }], NOW);
  expect(db.prepare('SELECT code, calls FROM refusals ORDER BY id').all()).toEqual([
    { code: 'not_found', calls: 1 },
    { code: 'key_unknown', calls: 10 },
  ]);
});

test('damaged faults of a refusal hide neither it nor the others', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir, now: () => NOW });
  const faults = [{ pointer: '/type', code: 'required' }];
  for (let n = 0; n < 4; n++) store.records.noteRefusal(refusalOf(NOW + n, { detail: `refused ${n}`, faults }));
  await store.records.listRefusals(10);
  const db = openDatabase(databasePath(dataDir), 'write');
  db.pragma('ignore_check_constraints = ON'); // as a flipped bit on the disk would
  const damage = db.prepare('UPDATE refusals SET faults = ? WHERE detail = ?');
  for (const [n, text] of ['[', 'null', '[null]'].entries()) damage.run(text, `refused ${n}`);
  db.close();
  const seen = (await store.records.listRefusals(10)).map((each) => [each.detail, each.faults]);
  expect(new Map(seen as [string, unknown][])).toEqual(
    new Map<string, unknown>([
      ['refused 0', []],
      ['refused 1', []],
      ['refused 2', []],
      ['refused 3', faults],
    ]),
  );
});
