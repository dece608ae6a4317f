// New files that only their owner can read.

import { closeSync, openSync } from 'node:fs';

/** Creates an empty file for a database. SQLite would create it with a mode that may let other users read it. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}
