// Keys: each gives one till access to one journal. Only the SHA-256 of a key is kept.

import type { NotedAct } from '../../../contract/acts.ts';
import type { KeyInterface } from '../../../contract/codes.ts';
import { generateSecret, digestSecret } from '../../setup/key-secret.ts';
import type { Key, EnsuredKey, NewKey, RotationResult } from '../../setup/ledger.ts';
import { isKeyFor } from '../../setup/missing-key.ts';
import { beginDayRules } from '../days/day-rule.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';
import { noteAct } from './act-log.ts';

const SELECT_KEY = `
  SELECT keys.id, journals.id AS journalId, tills.id AS tillId, administrations.name AS administration, mode, label,
    interface, adopted, keys.created_at AS createdAt, last_used_at AS lastUsedAt, last_address AS lastAddress, expires_at AS expiresAt, revoked_at AS revokedAt,
    digest
  FROM keys
  JOIN tills ON tills.id = till_id
  JOIN journals ON journals.id = tills.journal_id
  JOIN administrations ON administrations.id = administration_id`;

type KeyRow = Omit<Key, 'isAdopted'> & { readonly adopted: 0 | 1; readonly digest: Buffer };

/** Lists all keys, including revoked ones, with their digests. */
export function listKeys(db: Connection): { key: Key; digest: string }[] {
  const rows = db.prepare<[], KeyRow>(`${SELECT_KEY} ORDER BY keys.id`).all();
  return rows.map((row) => ({ key: keyOf(row), digest: row.digest.toString('base64') }));
}

function keyOf({ digest: _, adopted, ...key }: KeyRow): Key {
  return { ...key, isAdopted: adopted === 1 };
}

/** Whether a key is revoked at the time `now`. A replaced key that has expired counts as revoked. */
export function isRevokedAt({ expiresAt, revokedAt }: Key, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now);
}

/** Returns the state of a key at the time `now`. */
export function keyAt(key: Key, now: number): Key {
  return key.revokedAt === null && isRevokedAt(key, now) ? { ...key, revokedAt: key.expiresAt } : key;
}

/**
 * Adds a key and logs the act. Also adds its administration, journal and till if they are new. Returns undefined when the
 * secret already belongs to a key, even a revoked one, because a key identifies its till.
 */
export function createKey(db: Connection, key: NewKey, actor: string, now: number): Key | undefined {
  return db
    .transaction(() => (findKey(db, 'digest', digestOf(key)) === undefined ? addKey(db, key, actor, now) : undefined))
    .immediate();
}

/**
 * Adds a key like `createKey`, unless the till already has a key that can serve instead. If the key is adopted, only a key with
 * the same secret can serve. Returns undefined when the secret belongs to a key that cannot serve.
 */
export function ensureKey(db: Connection, key: NewKey, actor: string, now: number): EnsuredKey | undefined {
  return db
    .transaction((): EnsuredKey | undefined => {
      const same = findKey(db, 'digest', digestOf(key));
      const candidates = key.isAdopted ? [] : listKeys(db).map((each) => each.key);
      const found = (same === undefined ? candidates : [same]).find((each) => isKeyFor(each, key));
      if (found !== undefined) return { key: found, isNew: false };
      return same === undefined ? { key: addKey(db, key, actor, now), isNew: true } : undefined;
    })
    .immediate();
}

function digestOf({ secret }: Pick<NewKey, 'secret'>): Buffer {
  return Buffer.from(digestSecret(secret), 'base64');
}

/** Adds a key within the caller's transaction. No other key may have the secret. */
function addKey(db: Connection, key: NewKey, actor: string, now: number): Key {
  const { administration, mode, label, interface: keyInterface, isAdopted } = key;
  const { changes, lastInsertRowid } = db
    .prepare('INSERT INTO administrations (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING')
    .run(administration, now);
  if (changes === 1) {
    beginDayRules(db, Number(lastInsertRowid));
    noteAct(db, { act: { kind: 'create administration' }, administration }, actor, now);
  }
  db.prepare(`
    INSERT INTO journals (administration_id, mode)
    SELECT id, ? FROM administrations WHERE name = ? ON CONFLICT DO NOTHING`).run(mode, administration);
  db.prepare(`
    INSERT INTO lanes (journal_id, interface)
    SELECT journals.id, value FROM journals JOIN administrations ON administrations.id = administration_id
    CROSS JOIN json_each('["current","earlier"]')
    WHERE name = ? AND mode = ? ON CONFLICT DO NOTHING`).run(administration, mode);
  db.prepare(`
    INSERT INTO tills (journal_id, label)
    SELECT journals.id, ? FROM journals JOIN administrations ON administrations.id = administration_id
    WHERE name = ? AND mode = ? ON CONFLICT DO NOTHING`).run(label, administration, mode);
  const tillId = db
    .prepare<unknown[], number>(`
    SELECT tills.id FROM tills
    JOIN journals ON journals.id = journal_id JOIN administrations ON administrations.id = administration_id
    WHERE name = ? AND mode = ? AND label = ?`)
    .pluck()
    .get(administration, mode, label);
  if (tillId === undefined) throw new Error('the new till was not inserted');
  const made = insertKey(db, { tillId, digest: digestOf(key), interface: keyInterface, isAdopted }, now);
  noteKeyAct(db, isAdopted ? 'adopt key' : 'create key', made, actor, now);
  return made;
}

interface KeyOfTill extends Pick<NewKey, 'interface' | 'isAdopted'> {
  readonly tillId: number;
  readonly digest: Buffer;
}

function insertKey(db: Connection, { tillId, digest, interface: by, isAdopted }: KeyOfTill, now: number): Key {
  db.prepare('INSERT INTO keys (till_id, digest, interface, adopted, created_at) VALUES (?, ?, ?, ?, ?)').run(
    tillId,
    digest,
    by,
    Number(isAdopted),
    now,
  );
  const made = findKey(db, 'digest', digest);
  if (made === undefined) throw new Error('the new key was not inserted');
  return made;
}

function findKey(db: Connection, by: 'digest' | 'id', value: Buffer | number): Key | undefined {
  const row = db.prepare<[Buffer | number], KeyRow>(`${SELECT_KEY} WHERE keys.${by} = ?`).get(value);
  return row && keyOf(row);
}

type KeyAct = Extract<NotedAct, { readonly keyId: number; readonly interface: KeyInterface }>;

function noteKeyAct(db: Connection, kind: KeyAct['kind'], key: Key, actor: string, now: number): void {
  const { administration, mode, label: till, id: keyId, interface: by } = key;
  noteAct(db, { act: { kind, till, keyId, interface: by }, administration, mode }, actor, now);
}

/**
 * Revokes a key permanently and logs the act. A second call changes nothing. Returns the key, or undefined for an unknown id.
 */
export function revokeKey(db: Connection, id: number, actor: string, now: number): Key | undefined {
  return db
    .transaction(() => {
      const { changes } = db.prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL').run(now, id);
      const key = findKey(db, 'id', id);
      if (changes === 1 && key !== undefined) noteKeyAct(db, 'revoke key', key, actor, now);
      return key;
    })
    .immediate();
}

/**
 * Makes a new key with the till and the interface of an old key, and logs the act. The old key works for another `graceMs`
 * milliseconds.
 */
export function rotateKey(db: Connection, id: number, graceMs: number, actor: string, now: number): RotationResult {
  return db
    .transaction((): RotationResult => {
      const old = findKey(db, 'id', id);
      if (old === undefined) return { kind: 'unknown' };
      if (old.revokedAt !== null || old.expiresAt !== null) return { kind: 'ended', key: keyAt(old, now) };
      const secret = generateSecret(old.mode);
      const digest = digestOf({ secret });
      const key = insertKey(db, { tillId: old.tillId, digest, interface: old.interface, isAdopted: false }, now);
      const replaced = { ...old, expiresAt: now + graceMs };
      assertOneRow(db.prepare('UPDATE keys SET expires_at = ? WHERE id = ?').run(replaced.expiresAt, id));
      const { administration, mode, label: till, id: keyId } = key;
      const rotated = { till, keyId, replacedId: id, replacedUntil: replaced.expiresAt };
      noteAct(db, { act: { kind: 'rotate key', ...rotated }, administration, mode }, actor, now);
      return { kind: 'rotated', key, secret, replaced: keyAt(replaced, now) };
    })
    .immediate();
}

/** A use of a key: when (epoch milliseconds), and the base address that the till called. */
export interface KeyUse {
  readonly at: number;
  readonly address: string | undefined;
}

/** Stores the last use of keys. An older time never replaces a newer one. A use without an address keeps the stored address. */
export function noteKeyUses(db: Connection, uses: ReadonlyMap<number, KeyUse>): void {
  const update = db.prepare(`
    UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?), last_address = coalesce(?, last_address) WHERE id = ?`);
  for (const [keyId, { at, address }] of uses) update.run(at, address ?? null, keyId);
}
