// The keys in memory, so that telling who calls costs one hash and one look-up. Kept up to date with what any
// process writes: a revoked key is dead within a second.

import { digestSecret, type Key } from './key.ts';

/** How often changes made by other processes are looked for, in milliseconds. */
export const REFRESH_MS = 250;

export interface KeyRing {
  /** The key with this secret, revoked or not. */
  find(secret: string): Key | undefined;
  /** Reads the keys again if they may have changed. */
  refresh(): Promise<void>;
  close(): void;
}

/** A refresh that fails leaves the keys as they were, and is told to `onFault`. */
export async function openKeyRing(
  listIfChanged: () => Promise<{ key: Key; digest: string }[] | undefined>,
  onFault: (error: unknown) => void,
): Promise<KeyRing> {
  let keys = new Map<string, Key>();

  const refresh = async (): Promise<void> => {
    const changed = await listIfChanged();
    if (changed !== undefined) keys = new Map(changed.map(({ key, digest }) => [digest, key]));
  };
  await refresh();
  const timer = setInterval(() => void refresh().catch(onFault), REFRESH_MS).unref();

  return {
    find: (secret) => keys.get(digestSecret(secret)),
    refresh,
    close: () => clearInterval(timer),
  };
}
