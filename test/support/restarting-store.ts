// A store that a test closes, kills and opens again.

import { openStore } from '../../server/store/open-store.ts';
import type { Store } from '../../server/store/store.ts';
import { copyKilled } from './killed-gateway.ts';
import { temporaryFolder } from './temp-store.ts';

export interface RestartingStore {
  /** The open store. It is another one after `restart` and `kill`. */
  readonly store: Store;
  /** Closes the store and opens it again. */
  restart(): Promise<void>;
  /** Opens the files as they are now, as after the process was killed. */
  kill(): Promise<void>;
  /** Closes every store that was opened. */
  close(): Promise<void>;
}

export async function openRestartingStore(): Promise<RestartingStore> {
  let dataDir = temporaryFolder();
  const stores: Store[] = [];
  async function open(): Promise<Store> {
    const opened = await openStore({ dataDir, role: 'gateway' });
    stores.push(opened);
    return opened;
  }
  let store = await open();
  return {
    get store() {
      return store;
    },
    async restart() {
      await store.close();
      store = await open();
    },
    async kill() {
      const copy = copyKilled(dataDir).dataDir;
      await store.close();
      dataDir = copy;
      store = await open();
    },
    async close() {
      for (const each of stores) await each.close();
    },
  };
}
