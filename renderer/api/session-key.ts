// The session key. Without it, the session cookie is worthless. The page gets the key in its address after #, a part that
// browsers never send. The page then stores the key for its origin, so that pages of other ports cannot read it.

import { PASSWORD_HASH, SESSION_HASH } from '../../server/contract/setup.ts';
import { keepStored, listStored, readStored, removeStored } from '../lib/browser-storage.ts';

const STORAGE_NAME = 'counterfoil.session';

/** The session key if the browser refuses storage. After a reload, the user must then sign in again. */
let unstored: string | null = null;

/** Stores the key from the address and removes it there. Call before the router reads the address. */
export function takeSessionKey(): void {
  if (!location.hash.startsWith(SESSION_HASH)) return;
  const key = location.hash.slice(SESSION_HASH.length);
  removeStored(STORAGE_NAME); // the old key must not stay if the new one cannot be stored
  unstored = keepStored(STORAGE_NAME, key) ? null : key;
  history.replaceState(history.state, '', location.pathname + location.search);
}

/**
 * The code of a link for a new password, from `hash`, the part of the address after #. The code stays in the address, so that a
 * reload keeps it.
 */
export function passwordCodeIn(hash: string): string | undefined {
  const name = PASSWORD_HASH.slice(1);
  return hash.startsWith(name) ? hash.slice(name.length) : undefined;
}

/** Reloads this page in another session. The address carries the key, because the browser may refuse storage. */
export function reloadWithSession(key: string): void {
  history.replaceState(history.state, '', location.pathname + location.search + SESSION_HASH + key);
  location.reload();
}

/** The path of the API: `/s/KEY/api` with a session, otherwise `/api`. */
export function apiPath(): string {
  const key = readStored(STORAGE_NAME) ?? unstored; // another tab may have signed in and stored a new key
  return key === null ? '/api' : `/s/${encodeURIComponent(key)}/api`;
}

/**
 * Signs out. The gateway's answer makes the browser clear its storage. So this function restores the user's choices, such as
 * the language.
 */
export async function signOutKeepingChoices(signOut: () => Promise<unknown>): Promise<void> {
  const chosen = listStored().filter(([name]) => name !== STORAGE_NAME);
  await signOut();
  removeStored(STORAGE_NAME); // needed if the browser did not clear its storage
  unstored = null;
  for (const [name, value] of chosen) keepStored(name, value);
}
