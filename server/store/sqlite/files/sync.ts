// Syncs a file, so that its content survives a power cut.

import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
