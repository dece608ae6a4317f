// Users who sign in to the console with a name and a password. Only the scrypt digest of a password is kept.

import type { NamedUser } from '../../../contract/setup.ts';
import type { PasswordDigest } from '../../../lib/password.ts';
import type { User } from '../../people/ledger.ts';
import { foldName } from '../../setup/input-rules.ts';
import type { Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';

/** Lists users by name. */
export function listUsers(db: Connection): NamedUser[] {
  return db.prepare<[], NamedUser>('SELECT name, role, created_at AS createdAt FROM users ORDER BY name').all();
}

/** Finds a user by name. Capitals, spaces and the encoding of letters do not matter. */
export function findUser(db: Connection, name: string): User | undefined {
  const row = db
    .prepare<[], NamedUser & PasswordDigest>(
      'SELECT name, role, created_at AS createdAt, salt, cost, digest FROM users',
    )
    .all() // a shop has a handful
    .find((each) => foldName(each.name) === foldName(name));
  if (row === undefined) return undefined;
  const { salt, cost, digest, ...user } = row;
  return { ...user, password: { salt, cost, digest } };
}

/** Adds a user and notes the act. Returns false when the name is taken. */
export function addUser(db: Connection, user: User, actor: string): boolean {
  const { name, role, createdAt, password } = user;
  return db
    .transaction(() => {
      if (findUser(db, name) !== undefined) return false;
      db.prepare('INSERT INTO users (name, role, created_at, salt, cost, digest) VALUES (?, ?, ?, ?, ?, ?)').run(
        name,
        role,
        createdAt,
        Buffer.from(password.salt),
        password.cost,
        Buffer.from(password.digest),
      );
      noteAct(db, { act: { kind: 'add user', name, role } }, actor, createdAt);
      return true;
    })
    .immediate();
}

/**
 * Sets the password of the user who was added at `createdAt`, and notes the act. Returns false when that user was removed. `now` is
 * in epoch milliseconds.
 */
export function changePassword(
  db: Connection,
  { name, createdAt, password }: Pick<User, 'name' | 'createdAt' | 'password'>,
  now: number,
): boolean {
  return db
    .transaction(() => {
      const { salt, cost, digest } = password;
      const { changes } = db
        .prepare('UPDATE users SET salt = ?, cost = ?, digest = ? WHERE name = ? AND created_at = ?')
        .run(Buffer.from(salt), cost, Buffer.from(digest), name, createdAt);
      if (changes === 1) noteAct(db, { act: { kind: 'change password' } }, name, now);
      return changes === 1;
    })
    .immediate();
}

/** Removes a user and notes the act. Returns false for an unknown name. */
export function removeUser(db: Connection, name: string, actor: string, now: number): boolean {
  return db
    .transaction(() => {
      const user = findUser(db, name);
      if (user === undefined) return false;
      db.prepare('DELETE FROM users WHERE name = ?').run(user.name);
      noteAct(db, { act: { kind: 'remove user', name: user.name } }, actor, now);
      return true;
    })
    .immediate();
}
