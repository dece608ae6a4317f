// Makes every reference of salvaged rows lead to a row again. Records are never deleted: if the key, till, journal or
// administration of a record is lost, a replacement takes its place. A resend whose original is lost becomes the original.

import { randomBytes } from 'node:crypto';

import type { Status } from '../../../contract/codes.ts';
import { assertOneRow, type Connection, hasTable } from '../engine/database.ts';
import { FIND_ORIGINAL_SQL } from '../records/record.ts';

/** Replacements for lost rows. */
export interface Replaced {
  /** Names of the administrations, journals, tills and keys that were made again, by table. */
  readonly replacements: Readonly<Record<'administrations' | 'journals' | 'tills' | 'keys', number>>;
  /** Resends that are NEW now, because their original is lost. */
  readonly promoted: readonly { readonly id: number; readonly was: Exclude<Status, 'NEW'> }[];
}

/** Repairs all references, within its own transaction. Adds the deleted rows to `lost`, by table. */
export function repairReferences(db: Connection, now: number, lost: Map<string, number>): Replaced {
  return db.transaction(() => {
    const before = countRows(db);
    replaceParents(db, now);
    const after = countRows(db);
    const promoted = promoteResends(db);
    removeOrphans(db, lost);
    const made = (table: keyof Replaced['replacements']): number => after[table] - before[table];
    return {
      replacements: {
        administrations: made('administrations'),
        journals: made('journals'),
        tills: made('tills'),
        keys: made('keys'),
      },
      promoted,
    };
  })();
}

function countRows(db: Connection): Replaced['replacements'] {
  const count = (table: string): number => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  return {
    administrations: count('administrations'),
    journals: count('journals'),
    tills: count('tills'),
    keys: count('keys'),
  };
}

interface UsedKey {
  readonly keyId: number;
  readonly journalId: number;
}

/**
 * Replaces lost parents of records, from keys up to administrations. A replaced key is revoked, because nobody knows whether the
 * lost key was.
 */
function replaceParents(db: Connection, now: number): void {
  const used = db
    .prepare<[], UsedKey>('SELECT key_id AS keyId, min(journal_id) AS journalId FROM records GROUP BY key_id')
    .all();
  const findKey = db.prepare<[number], { tillId: number; hasTill: 0 | 1 }>(
    'SELECT till_id AS tillId, EXISTS (SELECT 1 FROM tills WHERE id = till_id) AS hasTill FROM keys WHERE id = ?',
  );
  const addTill = db.prepare('INSERT INTO tills (id, journal_id, label) VALUES (?, ?, ?)');
  const addKey = db.prepare(`
    INSERT INTO keys (id, till_id, digest, interface, adopted, created_at, revoked_at) VALUES (?, ?, ?, 'both', 0, ?, ?)`);
  for (const { keyId, journalId } of used) {
    const key = findKey.get(keyId);
    if (key === undefined) {
      const { lastInsertRowid } = addTill.run(null, journalId, `Salvaged till of key ${keyId}`);
      addKey.run(keyId, lastInsertRowid, randomBytes(32), now, now);
    } else if (key.hasTill === 0) addTill.run(key.tillId, journalId, `Salvaged till ${key.tillId}`);
  }
  replaceJournals(db, now);
  db.prepare(`
    INSERT INTO administrations (id, name, created_at)
    SELECT DISTINCT administration_id, 'Salvaged administration ' || administration_id, ? FROM journals
    WHERE administration_id NOT IN (SELECT id FROM administrations)`).run(now);
  if (hasTable(db, 'day_rules'))
    db.exec(`
      INSERT INTO day_rules (administration_id, from_date, day_starts_at) SELECT id, '', 0 FROM administrations
      WHERE NOT EXISTS (SELECT 1 FROM day_rules WHERE administration_id = administrations.id AND from_date = '')`);
}

/**
 * Replaces lost journals. Nobody knows their mode. So they count as production, but have no upstream: a person must set it
 * before anything is sent.
 */
function replaceJournals(db: Connection, now: number): void {
  const lost = db
    .prepare<[], number>(`
    SELECT DISTINCT journal_id FROM (SELECT journal_id FROM tills UNION ALL SELECT journal_id FROM records)
    WHERE journal_id NOT IN (SELECT id FROM journals)`)
    .pluck()
    .all();
  const addAdministration = db.prepare('INSERT INTO administrations (name, created_at) VALUES (?, ?)');
  const addJournal = db.prepare("INSERT INTO journals (id, administration_id, mode) VALUES (?, ?, 'production')");
  for (const journalId of lost) {
    const { lastInsertRowid } = addAdministration.run(`Salvaged journal ${journalId}`, now);
    addJournal.run(journalId, lastInsertRowid);
    if (hasTable(db, 'lanes'))
      db.prepare('UPDATE lanes SET url = NULL, token = NULL WHERE journal_id = ?').run(journalId);
  }
}

interface Resend {
  readonly id: number;
  readonly was: Exclude<Status, 'NEW'>;
  readonly interface: keyof typeof FIND_ORIGINAL_SQL;
  readonly journalId: number;
  readonly externalId: string;
  readonly type: string;
}

/**
 * Gives each resend its original. Without one, the first equal resend becomes the original, because it has the same content. If
 * only changed resends are left, the first of them becomes the original.
 */
function promoteResends(db: Connection): Replaced['promoted'] {
  const resends = db
    .prepare<[], Resend>(`
    SELECT resends.id, resends.status AS was, resends.interface, resends.journal_id AS journalId,
      resends.external_id AS externalId, resends.type
    FROM records AS resends LEFT JOIN records AS originals ON originals.id = resends.original_id
      AND originals.status = 'NEW' AND originals.journal_id = resends.journal_id
      AND originals.interface = resends.interface AND originals.external_id = resends.external_id
      AND (resends.interface = 'current' OR originals.type = resends.type)
    WHERE resends.status != 'NEW' AND originals.id IS NULL ORDER BY resends.status = 'ERROR', resends.id`)
    .all();
  const find = {
    current: db.prepare<unknown[], { id: number }>(FIND_ORIGINAL_SQL.current(db)),
    earlier: db.prepare<unknown[], { id: number }>(FIND_ORIGINAL_SQL.earlier(db)),
  };
  const lead = db.prepare('UPDATE records SET original_id = ? WHERE id = ?');
  const promote = db.prepare("UPDATE records SET status = 'NEW', original_id = NULL WHERE id = ?");
  const promoted: { id: number; was: Exclude<Status, 'NEW'> }[] = [];
  for (const { id, was, interface: by, journalId, externalId, type } of resends) {
    const original = find[by].get({ journalId, externalId, type });
    if (original !== undefined) assertOneRow(lead.run(original.id, id));
    else {
      assertOneRow(promote.run(id));
      promoted.push({ id, was });
    }
  }
  return promoted;
}

interface Reference {
  readonly parent: string;
  readonly column: string;
  /** Null for the primary key. */
  readonly key: string | null;
}

/** Removes references to lost rows. If a row must have the reference, removes the row. Repeats this for rows that refer to it. */
function removeOrphans(db: Connection, lost: Map<string, number>): void {
  const tables = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('records', 'sqlite_sequence')",
    )
    .pluck()
    .all();
  for (let changes = 1; changes > 0;) {
    changes = 0;
    for (const table of tables)
      for (const { parent, column, key } of listReferences(db, table)) {
        const parentKey = key ?? keyOf(db, parent);
        const isOrphan = `${column} IS NOT NULL AND ${column} NOT IN (SELECT ${parentKey} FROM ${parent})`;
        const isRequired =
          db
            .prepare<[string, string], 0 | 1>('SELECT "notnull" OR pk > 0 FROM pragma_table_xinfo(?) WHERE name = ?')
            .pluck()
            .get(table, column) === 1;
        const sql = isRequired
          ? `DELETE FROM ${table} WHERE ${isOrphan}`
          : `UPDATE ${table} SET ${column} = NULL WHERE ${isOrphan}`;
        const found = db.prepare(sql).run().changes;
        // The delivery of a missing record is no further loss.
        if (isRequired && found > 0 && table !== 'deliveries') lost.set(table, (lost.get(table) ?? 0) + found);
        changes += found;
      }
  }
}

function listReferences(db: Connection, table: string): Reference[] {
  return db
    .prepare<[string], Reference>(
      'SELECT "table" AS parent, "from" AS "column", "to" AS "key" FROM pragma_foreign_key_list(?)',
    )
    .all(table);
}

function keyOf(db: Connection, table: string): string {
  const key = db.prepare<[string], string>('SELECT name FROM pragma_table_xinfo(?) WHERE pk = 1').pluck().get(table);
  if (key === undefined) throw new Error(`the table ${table} has no primary key`);
  return key;
}
