// An empty gateway opens the first run automatically, once per window. A user who leaves the first run can come back to it
// later.

import { keepTabStored, readTabStored } from '../lib/browser-storage.ts';

const STORAGE_NAME = 'counterfoil.welcomed';

export function wasFirstRunOffered(): boolean {
  return readTabStored(STORAGE_NAME) !== null;
}

export function noteFirstRunOffered(): void {
  keepTabStored(STORAGE_NAME, 'yes');
}
