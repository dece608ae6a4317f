// Migration 14, on old acts of every kind: it turns their texts into data.

import { expect, test } from 'vitest';

import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { OLD_ACTS } from '../../../../support/acts.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';
import { openTemporaryStore } from '../../../../support/temp-store.ts';

/** Old acts that cannot be read: texts that no version wrote, or acts without a row in their own table. */
const UNREADABLE = [
  ['count the drawers', 'by hand'],
  ['pause', 'for lunch'],
  ['send again', 'everything'],
  ['send again', '1 records: {"kind":"held"}'],
  ['send again', '2 records: {"kind":"held"}, delivered'],
  ['send again', '2 records: {"kind":"one","recordId":"5"}'],
  ['send again', '2 records: { "kind": "held" }'],
  ['set aside', 'the reason alone, as the first version wrote it'],
  ['create key', 'who knows'],
  ['create key', 'Till 1, key 7, for everything'],
  ['rotate key', 'Till 1, key 8, instead of key 7, which works until tomorrow'],
  ['add user', 'Ann, owner'],
  ['sign in', 'badge, from 192.0.2.1'],
  ['refuse call', 'POST /api/keys'],
  ['change administration', ''],
  ['change administration', 'name: "Bar" → "Foo", colour: "red" → "blue"'],
  ['change administration', 'name: Bar → Foo'],
  ['change administration', 'dayStartsAt: "0" → "1"'],
  ['change administration', 'name: "Bar" → "Foo"dayStartsAt: 0 → 1'],
  ['declare totals', 'many'],
  ['declare totals', '2026-11-04: 7 (which no entry says)'],
  ['sign off day', '2026-11-04: Zoe, whose signature is not kept'],
] as const;

function folderAtVersion13(): string {
  const dataDir = folderAtVersion2();
  withDatabase(dataDir, (db) => {
    migrate(db, 13);
    db.exec(`INSERT INTO tills (id, journal_id, label) VALUES (90, 1, 'Till 1 (left)')`);
    const note = db.prepare(
      "INSERT INTO acts (id, at, actor, act, administration, mode, detail) VALUES (?, ?, 'Ann', ?, 'Bakery', 'production', ?)",
    );
    const declare = db.prepare(`
      INSERT INTO declared_totals (journal_id, date, type, till_id, records, has_ids, source, actor, at)
      VALUES (1, ?, ?, ?, ?, 0, 'typed', 'Ann', ?)`);
    const sign = db.prepare(`
      INSERT INTO sign_offs (journal_id, date, is_undone, verdict, here, earlier, declared, reasons, name, note, actor, at)
      VALUES (1, ?, ?, 'complete', 1, 0, NULL, '[]', ?, ?, 'Ann', ?)`);
    for (const [i, [act, name, detail]] of OLD_ACTS.entries()) {
      const at = 1000 + i;
      note.run(i + 1, at, name, detail);
      if (act.kind === 'declare total') declare.run(act.date, act.type, act.till && 90, act.records, at);
      if (act.kind === 'sign off day' || act.kind === 'take back signature')
        sign.run(act.date, Number(act.kind === 'take back signature'), act.name, act.note, at);
    }
    for (const [i, [name, detail]] of UNREADABLE.entries()) note.run(1000 + i, 5000 + i, name, detail);
  });
  return dataDir;
}

test('acts get their data, and everything else stays unchanged', () => {
  withDatabase(folderAtVersion13(), (db) => {
    const { acts: oldActs = [], ...before } = rowsOf(db);
    migrate(db, 14);
    expect(schemaVersion(db)).toBe(14);
    const { acts = [], ...after } = rowsOf(db);
    expect(after).toEqual(before);
    expect(acts.map(({ data: _, ...act }) => act)).toEqual(oldActs);
    expect(acts.filter(({ data }) => data !== null)).toHaveLength(OLD_ACTS.length);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  });
});

test('every text that a version wrote is read as the right act', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion13() });
  const acts = await store.setup.listActs({ limit: 500, beforeId: 1000 });
  expect(acts.toReversed().map(({ act }) => act)).toEqual(OLD_ACTS.map(([act]) => act));
});

test('texts that do not parse are shown unchanged', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion13() });
  const acts = await store.setup.listActs({ limit: UNREADABLE.length });
  const unknown = UNREADABLE.map(([name, text]) => ({ kind: 'unknown', name, text }));
  expect(acts.toReversed().map(({ act }) => act)).toEqual(unknown);
});

test('a text that fits two entries of its day becomes an unknown act', async () => {
  const dataDir = folderAtVersion13();
  withDatabase(dataDir, (db) =>
    db.exec(`
    INSERT INTO acts (id, at, actor, act, administration, mode, detail)
      VALUES (2000, 9000, 'Ann', 'sign off day', 'Bakery', 'production', '2026-11-04: Ann, a, b');
    INSERT INTO sign_offs (journal_id, date, is_undone, verdict, here, earlier, declared, reasons, name, note, actor, at)
      SELECT 1, '2026-11-04', 0, 'complete', 1, 0, NULL, '[]', value->>0, value->>1, 'Ann', 9000
      FROM json_each('[["Ann, a", "b"], ["Ann", "a, b"]]')`),
  );
  const store = await openTemporaryStore({ dataDir });
  const [newest] = await store.setup.listActs({ limit: 1 });
  expect(newest?.act).toEqual({ kind: 'unknown', name: 'sign off day', text: '2026-11-04: Ann, a, b' });
});

test('an act on an end point is read without the method that a running lane also wrote', async () => {
  const dataDir = folderAtVersion13();
  const detail = '2 records: {"kind":"held at","version":"v1","method":"POST","resource":"transaction"}';
  withDatabase(dataDir, (db) => {
    db.prepare("INSERT INTO acts (id, at, actor, act, detail) VALUES (9000, 9000, 'Ann', 'send again', ?)").run(detail);
  });
  const store = await openTemporaryStore({ dataDir });
  const [newest] = await store.setup.listActs({ limit: 1, beforeId: 10_000 });
  const records = { kind: 'held at', version: 'v1', resource: 'transaction' };
  expect(newest?.act).toMatchObject({ kind: 'send again', records, moved: 2 });
});
