// The key of the session, without which its cookie opens nothing. It arrives behind the # of the address, which is sent to no
// server. From then on it is kept in the storage of this origin, which pages of other ports cannot read.

import { SESSION_HASH } from '../../server/contract/setup.ts';
import { keepStored, listStored, readStored, removeStored } from '../lib/browser-storage.ts';

const NAME = 'counterfoil.session';

/** Used where the browser allows no storage; a reload then needs a new sign-in. */
let unstored: string | null = null;

/** Keeps the key that the address ends with, and takes it out of the address. Call before the router reads the address. */
export function takeSessionKey(): void {
  if (!location.hash.startsWith(SESSION_HASH)) return;
  const key = location.hash.slice(SESSION_HASH.length);
  removeStored(NAME); // the former key must not be used if this one finds no room
  unstored = keepStored(NAME, key) ? null : key;
  history.replaceState(history.state, '', location.pathname + location.search);
}

/** Loads this page again in another session. The address brings its key, because the browser may allow no storage. */
export function reloadWithSession(key: string): void {
  history.replaceState(history.state, '', location.pathname + location.search + SESSION_HASH + key);
  location.reload();
}

/** Where the API is for this session: `/s/KEY/api`, or `/api` where nobody is signed in. */
export function apiPath(): string {
  const key = readStored(NAME) ?? unstored; // another tab may have begun another session
  return key === null ? '/api' : `/s/${encodeURIComponent(key)}/api`;
}

/** Signs out, which has the browser clear its storage, and keeps what was chosen on this machine, such as the language. */
export async function signOutKeepingChoices(signOut: () => Promise<unknown>): Promise<void> {
  const chosen = listStored().filter(([name]) => name !== NAME);
  await signOut();
  removeStored(NAME); // where the browser does not clear it
  unstored = null;
  for (const [name, value] of chosen) keepStored(name, value);
}
