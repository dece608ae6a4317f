// Keys, and what they belong to: a key is one till's way into one journal (an administration in one mode).
// Only a key's SHA-256 is kept.

import { hash, randomInt } from 'node:crypto';

import { KEY_PREFIXES, type KeyInterface, type Mode } from '../contract.ts';
import type { Connection } from './database.ts';

export interface Key {
  readonly id: number;
  readonly journalId: number;
  readonly tillId: number;
  readonly administration: string;
  readonly mode: Mode;
  /** The till's name. */
  readonly label: string;
  readonly interface: KeyInterface;
  readonly isAdopted: boolean;
  /** Epoch milliseconds, as are the other times. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewKey {
  readonly administration: string;
  readonly mode: Mode;
  readonly label: string;
  readonly interface: KeyInterface;
  /** The key as the till will send it; its prefix says the mode. */
  readonly secret: string;
  readonly isAdopted: boolean;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 characters of base62 carry 256 bits. */
const SECRET_LENGTH = 43;

/** Makes a key with 256 random bits behind the prefix of its mode. */
export function generateSecret(mode: Mode): string {
  return KEY_PREFIXES[mode] + Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('');
}

/** The mode that a key's prefix says, or undefined for an unknown prefix (specification 5.1). */
export function modeOfSecret(secret: string): Mode | undefined {
  if (secret.startsWith(KEY_PREFIXES.production)) return 'production';
  if (secret.startsWith(KEY_PREFIXES.test)) return 'test';
  return undefined;
}

/** SHA-256 in base64: how a key is looked up. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'base64');
}

const SELECT_KEY = `
  SELECT keys.id, journals.id AS journalId, tills.id AS tillId, administrations.name AS administration, mode, label,
    interface, adopted, keys.created_at AS createdAt, last_used_at AS lastUsedAt, revoked_at AS revokedAt, digest
  FROM keys
  JOIN tills ON tills.id = till_id
  JOIN journals ON journals.id = tills.journal_id
  JOIN administrations ON administrations.id = administration_id`;

type KeyRow = Omit<Key, 'isAdopted'> & { readonly adopted: 0 | 1; readonly digest: Buffer };

/** Lists every key, revoked ones too, with the digest it is found by. */
export function listKeys(db: Connection): { key: Key; digest: string }[] {
  const rows = db.prepare(`${SELECT_KEY} ORDER BY keys.id`).all() as KeyRow[];
  return rows.map(({ digest, adopted, ...key }) => ({
    key: { ...key, isAdopted: adopted === 1 },
    digest: digest.toString('base64'),
  }));
}

/**
 * Adds a key, and its administration, journal and till where they are new. Returns undefined, and adds nothing, when
 * this key exists already, revoked or not: two tills with one key could not be told apart.
 */
export function createKey(db: Connection, key: NewKey, now: number): Key | undefined {
  return db
    .transaction(() => {
      const digest = Buffer.from(digestSecret(key.secret), 'base64');
      if (db.prepare('SELECT 1 FROM keys WHERE digest = ?').get(digest) !== undefined) return undefined;
      const administrationId = idOf(db, 'administrations', { name: key.administration }, { created_at: now });
      const journalId = idOf(db, 'journals', { administration_id: administrationId, mode: key.mode });
      const tillId = idOf(db, 'tills', { journal_id: journalId, label: key.label });
      const { lastInsertRowid } = db
        .prepare('INSERT INTO keys (till_id, digest, interface, adopted, created_at) VALUES (?, ?, ?, ?, ?)')
        .run(tillId, digest, key.interface, Number(key.isAdopted), now);
      const id = Number(lastInsertRowid);
      const { secret: _, ...rest } = key;
      return { id, journalId, tillId, ...rest, createdAt: now, lastUsedAt: null, revokedAt: null };
    })
    .immediate();
}

/** The id of the row that has these unique values; adds it, with `more`, where there is none. */
function idOf(
  db: Connection,
  table: 'administrations' | 'journals' | 'tills',
  unique: Record<string, string | number>,
  more: Record<string, string | number> = {},
): number {
  const where = Object.keys(unique)
    .map((column) => `${column} = @${column}`)
    .join(' AND ');
  const found = db.prepare(`SELECT id FROM ${table} WHERE ${where}`).pluck().get(unique) as number | undefined;
  if (found !== undefined) return found;
  const columns = Object.keys({ ...unique, ...more });
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((c) => `@${c}`).join(', ')})`,
  );
  return Number(insert.run({ ...unique, ...more }).lastInsertRowid);
}

/** Revokes a key for ever and returns it, or undefined when there is none; a second time changes nothing. */
export function revokeKey(db: Connection, id: number, now: number): Key | undefined {
  db.prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL').run(now, id);
  return listKeys(db).find(({ key }) => key.id === id)?.key;
}

/** Notes when keys were last used; an older time never replaces a newer one. */
export function noteKeyUses(db: Connection, uses: ReadonlyMap<number, number>): void {
  const update = db.prepare('UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?');
  for (const [keyId, at] of uses) update.run(at, keyId);
}
