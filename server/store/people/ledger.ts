// The people who sign in to the console, the one-time links that open it, and the tokens with which programs read it.

import type { ListedUser, NamedUser, ReadToken } from '../../contract/setup.ts';
import type { PasswordDigest } from '../../lib/password.ts';

export interface PeopleLedger {
  /** Lists users by name. */
  list(): Promise<ListedUser[]>;
  /** Finds a user by name. Capitals, spaces and the encoding of letters do not matter. */
  find(name: string): Promise<User | undefined>;
  /** Adds a user. Returns false when the name is taken. */
  add(user: User, actor: string): Promise<boolean>;
  /** Removes a user. Does not remove the last manager, unless `mayBeLast` is true. */
  remove(name: string, actor: string, mayBeLast?: boolean): Promise<UserChange>;
  /**
   * Changes the role of a user. A second call changes nothing. Does not change the role of the last manager, unless `mayBeLast`
   * is true.
   */
  changeRole(change: Pick<User, 'name' | 'role'>, actor: string, mayBeLast?: boolean): Promise<UserChange>;
  /** Replaces a forgotten password. Returns undefined for an unknown name. */
  resetPassword(change: Pick<User, 'name' | 'password'>, actor: string): Promise<NamedUser | undefined>;
  /** Replaces a password. Returns false if the user was removed, or has another password by now. */
  changePassword(change: PasswordChange): Promise<boolean>;
  /**
   * Makes a one-time link and returns its secret. The secret has only characters that a URL allows. `expiresAt` is in epoch
   * milliseconds.
   */
  createLink(expiresAt: number): Promise<string>;
  /** Uses up a link, even if another process made it. Returns false when the link is unknown, used or expired. */
  useLink(secret: string): Promise<boolean>;
  /** Lists tokens by name. */
  listReadTokens(): Promise<ReadToken[]>;
  findReadToken(secret: string): Promise<ReadToken | undefined>;
  /** Notes that a token was used now. */
  noteReadTokenUse(token: ReadToken): Promise<void>;
  /** Makes a token and returns it. The store keeps only its SHA-256. Returns undefined if the name is taken. */
  addReadToken(name: string, actor: string): Promise<string | undefined>;
  /** Removes a token. Returns false for an unknown name. */
  removeReadToken(name: string, actor: string): Promise<boolean>;
}

/** A new password. `createdAt` identifies the user, and `replaced` is the old password. */
export interface PasswordChange extends Pick<User, 'name' | 'createdAt' | 'password'> {
  readonly replaced: PasswordDigest;
}

/** `last manager`: nothing has changed, because no manager would be left. */
export type UserChange = 'changed' | 'unknown' | 'last manager';

export interface User extends NamedUser {
  readonly password: PasswordDigest;
}
