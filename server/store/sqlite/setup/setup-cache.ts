// The set-up in memory: keys, administrations and lanes. To authenticate a call, one hash and one look-up are enough. The cache
// polls for changes by other processes. So a revoked key stops working, and a paused lane stops, within a second.

import type { LaneSettings, Restore } from '../../outbox/ledger.ts';
import { digestSecret } from '../../setup/key-secret.ts';
import type { Administration, Key } from '../../setup/ledger.ts';

/** The polling interval for changes by other processes, in milliseconds. */
export const REFRESH_MS = 250;

export interface StoredSetup {
  readonly keys: readonly { readonly key: Key; readonly digest: string }[];
  readonly administrations: readonly Administration[];
  readonly lanes: readonly LaneSettings[];
  readonly identity: Uint8Array;
  readonly openRestore: Restore | null;
}

export interface SetupCache {
  /** Finds a key by its secret, even a revoked key. */
  findKey(secret: string): Key | undefined;
  /** Finds a key by its id, even a revoked key. */
  findKeyById(id: number): Key | undefined;
  /** Returns the administration of a key or a lane. */
  administrationOf(found: { readonly administration: string }): Administration;
  lanes(): readonly LaneSettings[];
  identity(): Uint8Array;
  openRestore(): Restore | null;
  /** Reads the set-up again if it has changed. */
  refresh(): Promise<void>;
  close(): void;
}

/** Opens the cache. Calls `onChange` after each change. A failed refresh keeps the old set-up and calls `onFault`. */
export async function openSetupCache(
  readIfChanged: () => Promise<StoredSetup | undefined>,
  onChange: () => void,
  onFault: (error: unknown) => void,
): Promise<SetupCache> {
  let keys = new Map<string, Key>();
  let keysById = new Map<number, Key>();
  let administrations = new Map<string, Administration>();
  let lanes: readonly LaneSettings[] = [];
  let identity: Uint8Array = new Uint8Array();
  let openRestore: Restore | null = null;

  const refresh = async (): Promise<void> => {
    const changed = await readIfChanged();
    if (changed === undefined) return;
    keys = new Map(changed.keys.map(({ key, digest }) => [digest, key]));
    keysById = new Map(changed.keys.map(({ key }) => [key.id, key]));
    administrations = new Map(changed.administrations.map((each) => [each.name, each]));
    ({ lanes, identity, openRestore } = changed);
    onChange();
  };
  await refresh();
  const timer = setInterval(() => void refresh().catch(onFault), REFRESH_MS).unref();

  return {
    findKey: (secret) => keys.get(digestSecret(secret)),
    findKeyById: (id) => keysById.get(id),
    administrationOf({ administration }) {
      const found = administrations.get(administration);
      if (found === undefined) throw new Error(`the set-up has no administration ${administration}`);
      return found;
    },
    lanes: () => lanes,
    identity: () => identity,
    openRestore: () => openRestore,
    refresh,
    close: () => clearInterval(timer),
  };
}
