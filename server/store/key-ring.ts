// The keys in memory, with the administrations they belong to, so that telling who calls costs one hash and one look-up.
// Kept up to date with what any process writes: a revoked key is dead within a second.

import type { Administration } from './administration.ts';
import { digestSecret, type Key } from './key.ts';

/** How often changes made by other processes are looked for, in milliseconds. */
export const REFRESH_MS = 250;

/** All that the ring holds, as it is stored. */
export interface Callers {
  readonly keys: readonly { readonly key: Key; readonly digest: string }[];
  readonly administrations: readonly Administration[];
}

export interface KeyRing {
  /** The key with this secret, revoked or not. */
  find(secret: string): Key | undefined;
  /** The administration of a key that was found. */
  administrationOf(key: Key): Administration;
  /** Reads everything again if it may have changed. */
  refresh(): Promise<void>;
  close(): void;
}

/** A refresh that fails leaves everything as it was, and is told to `onFault`. */
export async function openKeyRing(
  readIfChanged: () => Promise<Callers | undefined>,
  onFault: (error: unknown) => void,
): Promise<KeyRing> {
  let keys = new Map<string, Key>();
  let administrations = new Map<string, Administration>();

  const refresh = async (): Promise<void> => {
    const changed = await readIfChanged();
    if (changed === undefined) return;
    keys = new Map(changed.keys.map(({ key, digest }) => [digest, key]));
    administrations = new Map(changed.administrations.map((each) => [each.name, each]));
  };
  await refresh();
  const timer = setInterval(() => void refresh().catch(onFault), REFRESH_MS).unref();

  return {
    find: (secret) => keys.get(digestSecret(secret)),
    administrationOf({ administration }) {
      const found = administrations.get(administration);
      if (found === undefined) throw new Error(`a key belongs to ${administration}, which is not there`);
      return found;
    },
    refresh,
    close: () => clearInterval(timer),
  };
}
