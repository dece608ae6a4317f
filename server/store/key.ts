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
  const rows = db.prepare<[], KeyRow>(`${SELECT_KEY} ORDER BY keys.id`).all();
  return rows.map((row) => ({ key: keyOf(row), digest: row.digest.toString('base64') }));
}

function keyOf({ digest: _, adopted, ...key }: KeyRow): Key {
  return { ...key, isAdopted: adopted === 1 };
}

/**
 * Adds a key, and its administration, journal and till where they are new. Returns undefined when this key exists
 * already, revoked or not: two tills with one key could not be told apart.
 */
export function createKey(db: Connection, key: NewKey, now: number): Key | undefined {
  const { administration, mode, label, interface: keyInterface, secret, isAdopted } = key;
  const digest = Buffer.from(digestSecret(secret), 'base64');
  return db
    .transaction(() => {
      if (findKey(db, 'digest', digest) !== undefined) return undefined;
      db.prepare(`
        INSERT INTO administrations (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING`).run(administration, now);
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
      db.prepare(`
        INSERT INTO keys (till_id, digest, interface, adopted, created_at)
        SELECT tills.id, ?, ?, ?, ? FROM tills
        JOIN journals ON journals.id = journal_id JOIN administrations ON administrations.id = administration_id
        WHERE name = ? AND mode = ? AND label = ?`).run(
        digest,
        keyInterface,
        Number(isAdopted),
        now,
        administration,
        mode,
        label,
      );
      return findKey(db, 'digest', digest);
    })
    .immediate();
}

function findKey(db: Connection, by: 'digest' | 'id', value: Buffer | number): Key | undefined {
  const row = db.prepare<[Buffer | number], KeyRow>(`${SELECT_KEY} WHERE keys.${by} = ?`).get(value);
  return row && keyOf(row);
}

/** Revokes a key for ever and returns it, or undefined when there is none; a second time changes nothing. */
export function revokeKey(db: Connection, id: number, now: number): Key | undefined {
  db.prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL').run(now, id);
  return findKey(db, 'id', id);
}

/** Notes when keys were last used; an older time never replaces a newer one. */
export function noteKeyUses(db: Connection, uses: ReadonlyMap<number, number>): void {
  const update = db.prepare('UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?');
  for (const [keyId, at] of uses) update.run(at, keyId);
}
