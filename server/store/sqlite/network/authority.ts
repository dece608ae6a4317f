// The gateway's own certificate authorities. The newest authority is in use. Older authorities stay listed, because tills may
// still trust them.

import type { NewAuthority, StoredAuthority } from '../../network/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { withoutTraces } from '../engine/database.ts';
import type { Seal } from '../engine/seal.ts';
import { noteAct } from '../setup/act-log.ts';

/** Lists authorities, newest first. */
export function listAuthorities(db: Connection, seal: Seal): StoredAuthority[] {
  return db
    .prepare<[], StoredAuthority & { readonly key: string }>(
      'SELECT id, certificate, key, fingerprint, created_at AS createdAt FROM authorities ORDER BY id DESC',
    )
    .all()
    .map(({ key, ...authority }) => ({ ...authority, key: seal.unseal(key) }));
}

/**
 * Adds an authority with a sealed key, and logs the act. Returns false when the newest authority is not `replacesId`. `now` is
 * in epoch milliseconds.
 */
export function addAuthority(
  db: Connection,
  { certificate, key, fingerprint }: NewAuthority,
  replacesId: number | undefined,
  by: { readonly actor: string; readonly now: number; readonly seal: Seal },
): boolean {
  return db
    .transaction(() => {
      const newest = db.prepare<[], number | null>('SELECT max(id) FROM authorities').pluck().get();
      if ((newest ?? undefined) !== replacesId) return false;
      db.prepare('INSERT INTO authorities (certificate, key, fingerprint, created_at) VALUES (?, ?, ?, ?)').run(
        certificate,
        by.seal.seal(key),
        fingerprint,
        by.now,
      );
      noteAct(db, { act: { kind: 'make authority', fingerprint } }, by.actor, by.now);
      return true;
    })
    .immediate();
}

/** Seals the keys that a gateway without a keyring stored in plain text. Returns whether there were any. */
export function sealAuthorityKeys(db: Connection, seal: Seal): boolean {
  const open = db
    .prepare<[], { id: number; key: string }>('SELECT id, key FROM authorities')
    .all()
    .filter(({ key }) => seal.seal(key) !== key);
  if (open.length === 0) return false;
  const update = db.prepare('UPDATE authorities SET key = ? WHERE id = ?');
  const sealAll = db.transaction(() => {
    for (const { id, key } of open) update.run(seal.seal(key), id);
  });
  withoutTraces(db, () => sealAll.immediate());
  return true;
}
