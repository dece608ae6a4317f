// People who sign in to the console, and one-time links into it.

import type { NamedUser } from '../../contract/setup.ts';
import type { PasswordDigest } from '../../lib/password.ts';

export interface People {
  /** By name. */
  list(): Promise<NamedUser[]>;
  find(name: string): Promise<User | undefined>;
  /** Returns whether the name was free. */
  add(user: User, actor: string): Promise<boolean>;
  /** Returns whether there was one. */
  remove(name: string, actor: string): Promise<boolean>;
  /** Sets the password of the user who was added at `createdAt`, and notes it. Returns false where that user was removed. */
  changePassword(change: Pick<User, 'name' | 'createdAt' | 'password'>): Promise<boolean>;
  /** Makes a one-time link into the console and returns its secret, which may stand in an address. `expiresAt` in epoch milliseconds. */
  createLink(expiresAt: number): Promise<string>;
  /** Uses a link up, whichever process made it; whether it was there and had not expired. */
  useLink(secret: string): Promise<boolean>;
}

export interface User extends NamedUser {
  readonly password: PasswordDigest;
}
