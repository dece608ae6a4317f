// Squirrel is the program that replaces the app on macOS. Before that, it fetches the update that electron-updater has
// downloaded, and verifies its signature. The gateway runs until the app is replaced, so tills wait only during the
// replacement.

import type { AutoUpdater } from 'electron';

const STAGE_TIMEOUT_MS = 30 * 60_000;

/** Resolves when the update is ready to replace the app; rejects on failure. */
export async function stageWithSquirrel(
  squirrel: Pick<AutoUpdater, 'once' | 'checkForUpdates'>,
  timeoutMs = STAGE_TIMEOUT_MS,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  squirrel.once('update-downloaded', () => resolve());
  squirrel.once('update-not-available', () => reject(new Error('Squirrel found no update.')));
  squirrel.once('error', reject);
  const timer = setTimeout(() => reject(new Error('Squirrel did not finish in time.')), timeoutMs);
  squirrel.checkForUpdates();
  await promise.finally(() => clearTimeout(timer));
}
