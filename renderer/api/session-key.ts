// The key of the session, without which its cookie opens nothing. A one-time link leads here with it behind the #, which is sent
// to no server; from then on it is kept in the storage of this origin, which pages of other ports cannot read.

import { SESSION_HASH } from '../../server/contract.ts';

const NAME = 'counterfoil.session';

/** Where a browser allows no storage: then a page that is loaded again has to be let in again. */
let unstored: string | null = null;

/** Keeps the key that the address ends with, and takes it out of the address. To be called before anybody reads either. */
export function takeSessionKey(): void {
  if (!location.hash.startsWith(SESSION_HASH)) return;
  keepSessionKey(location.hash.slice(SESSION_HASH.length));
  history.replaceState(history.state, '', location.pathname + location.search);
}

export function keepSessionKey(key: string): void {
  unstored = key;
  findStorage()?.setItem(NAME, key);
}

/** Where the API is for this session: `/s/KEY/api`, or `/api` where nobody is signed in. */
export function apiPath(): string {
  const storage = findStorage();
  const key = storage === undefined ? unstored : storage.getItem(NAME); // another tab may have begun another session
  return key === null ? '/api' : `/s/${encodeURIComponent(key)}/api`;
}

/** Signs out, which has the browser clear its storage, and keeps what was chosen on this machine, such as the language. */
export async function withoutSessionKey(signOut: () => Promise<unknown>): Promise<void> {
  const storage = findStorage();
  const chosen = storage === undefined ? [] : (Object.entries(storage) as [string, string][]);
  await signOut();
  for (const [name, value] of chosen) storage?.setItem(name, value);
  storage?.removeItem(NAME);
  unstored = null;
}

function findStorage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined; // the browser refuses
  }
}
