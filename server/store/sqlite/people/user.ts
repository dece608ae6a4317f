// Users who sign in to the console with a name and a password. Only the scrypt digest of a password is kept.

import type { ListedUser, NamedUser } from '../../../contract/setup.ts';
import type { PasswordDigest } from '../../../lib/password.ts';
import type { PasswordChange, User, UserChange } from '../../people/ledger.ts';
import { foldName } from '../../setup/input-rules.ts';
import type { Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';

/** Lists users by name. A salt of zeros stands for a missing password. */
export function listUsers(db: Connection): ListedUser[] {
  return db
    .prepare<[], NamedUser & { readonly hasPassword: 0 | 1 }>(
      'SELECT name, role, created_at AS createdAt, salt <> zeroblob(16) AS hasPassword FROM users ORDER BY name',
    )
    .all()
    .map((user) => ({ ...user, hasPassword: user.hasPassword === 1 }));
}

/** Finds a user by name. Capitals, spaces and the encoding of letters do not matter. */
export function findUser(db: Connection, name: string): User | undefined {
  const row = db
    .prepare<[], NamedUser & PasswordDigest>(
      'SELECT name, role, created_at AS createdAt, salt, cost, digest FROM users',
    )
    .all() // reads all users, because a shop has only a few
    .find((each) => foldName(each.name) === foldName(name));
  if (row === undefined) return undefined;
  const { salt, cost, digest, ...user } = row;
  return { ...user, password: { salt, cost, digest } };
}

/** Adds a user and logs the act. Returns false when the name is taken. */
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
 * Replaces a password and logs the act. Returns false if the user was removed, or has another password by now. `now` is in
 * epoch milliseconds.
 */
export function changePassword(db: Connection, { replaced, ...change }: PasswordChange, now: number): boolean {
  return db
    .transaction(() => {
      const { createdAt, password } = findUser(db, change.name) ?? {};
      const isInForce =
        createdAt === change.createdAt &&
        password !== undefined &&
        Buffer.from(replaced.digest).equals(password.digest);
      if (!isInForce) return false;
      writePassword(db, change);
      noteAct(db, { act: { kind: 'change password' } }, change.name, now);
      return true;
    })
    .immediate();
}

/**
 * Replaces the password of a user who forgot it, and logs the act. Returns undefined for an unknown name. `now` is in epoch
 * milliseconds.
 */
export function resetPassword(
  db: Connection,
  { name, password }: Pick<User, 'name' | 'password'>,
  actor: string,
  now: number,
): NamedUser | undefined {
  return db
    .transaction(() => {
      const found = findUser(db, name);
      if (found === undefined) return undefined;
      const { password: _, ...user } = found;
      writePassword(db, { ...user, password });
      noteAct(db, { act: { kind: 'reset password', name: user.name } }, actor, now);
      return user;
    })
    .immediate();
}

/** Changes the role of a user and logs the act. Does nothing if the user already has this role. */
export function changeRole(
  db: Connection,
  { name, role }: Pick<User, 'name' | 'role'>,
  mayBeLast: boolean,
  actor: string,
  now: number,
): UserChange {
  return db
    .transaction((): UserChange => {
      const user = findUser(db, name);
      if (user === undefined) return 'unknown';
      if (user.role === role) return 'changed';
      if (!mayBeLast && isLastManager(db, user)) return 'last manager';
      db.prepare('UPDATE users SET role = ? WHERE name = ?').run(role, user.name);
      noteAct(db, { act: { kind: 'change role', name: user.name, before: user.role, after: role } }, actor, now);
      return 'changed';
    })
    .immediate();
}

/** Removes a user and logs the act. */
export function removeUser(db: Connection, name: string, mayBeLast: boolean, actor: string, now: number): UserChange {
  return db
    .transaction((): UserChange => {
      const user = findUser(db, name);
      if (user === undefined) return 'unknown';
      if (!mayBeLast && isLastManager(db, user)) return 'last manager';
      db.prepare('DELETE FROM users WHERE name = ?').run(user.name);
      noteAct(db, { act: { kind: 'remove user', name: user.name } }, actor, now);
      return 'changed';
    })
    .immediate();
}

/** Whether the user is a manager, and no other manager can sign in. */
function isLastManager(db: Connection, { name, role }: Pick<User, 'name' | 'role'>): boolean {
  return (
    role === 'manager' &&
    !listUsers(db).some((each) => each.role === 'manager' && each.hasPassword && each.name !== name)
  );
}

/** Stores a password. Returns false if the user who was added at `createdAt` no longer exists. */
function writePassword(db: Connection, { name, createdAt, password }: Omit<User, 'role'>): boolean {
  const { salt, cost, digest } = password;
  const { changes } = db
    .prepare('UPDATE users SET salt = ?, cost = ?, digest = ? WHERE name = ? AND created_at = ?')
    .run(Buffer.from(salt), cost, Buffer.from(digest), name, createdAt);
  return changes === 1;
}
