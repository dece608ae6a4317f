// The set-up, held in memory: keys, administrations and lanes as people left them, from whatever process. So telling who
// calls costs one hash and one look-up, a revoked key is dead within a second, and a lane that was paused stops as soon.

import type { LaneSettings } from '../../outbox/ledger.ts';
import { digestSecret } from '../../setup/key-secret.ts';
import type { Administration, Key } from '../../setup/ledger.ts';

/** How often changes made by other processes are looked for, in milliseconds. */
export const REFRESH_MS = 250;

/** All of it, as it is stored. */
export interface StoredSetup {
  readonly keys: readonly { readonly key: Key; readonly digest: string }[];
  readonly administrations: readonly Administration[];
  readonly lanes: readonly LaneSettings[];
}

export interface SetupCache {
  /** The key with this secret, revoked or not. */
  findKey(secret: string): Key | undefined;
  /** The administration of a key or a lane that was found. */
  administrationOf(found: { readonly administration: string }): Administration;
  lanes(): readonly LaneSettings[];
  /** Reads everything again if it may have changed. */
  refresh(): Promise<void>;
  close(): void;
}

/** `onChange` is called after each change; a refresh that fails leaves everything as it was, and is told to `onFault`. */
export async function openSetupCache(
  readIfChanged: () => Promise<StoredSetup | undefined>,
  onChange: () => void,
  onFault: (error: unknown) => void,
): Promise<SetupCache> {
  let keys = new Map<string, Key>();
  let administrations = new Map<string, Administration>();
  let lanes: readonly LaneSettings[] = [];

  const refresh = async (): Promise<void> => {
    const changed = await readIfChanged();
    if (changed === undefined) return;
    keys = new Map(changed.keys.map(({ key, digest }) => [digest, key]));
    administrations = new Map(changed.administrations.map((each) => [each.name, each]));
    lanes = changed.lanes;
    onChange();
  };
  await refresh();
  const timer = setInterval(() => void refresh().catch(onFault), REFRESH_MS).unref();

  return {
    findKey: (secret) => keys.get(digestSecret(secret)),
    administrationOf({ administration }) {
      const found = administrations.get(administration);
      if (found === undefined) throw new Error(`something belongs to ${administration}, which is not there`);
      return found;
    },
    lanes: () => lanes,
    refresh,
    close: () => clearInterval(timer),
  };
}
