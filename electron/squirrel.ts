// Squirrel replaces the app on macOS. First it fetches electron-updater's download and verifies the signature. The gateway still
// runs during that, so that tills wait only for the replacement.

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
