// The engines that can keep a store. Each contract suite runs against every engine in this list:
//
//   describe.each(engines)('people on $name', ({ makeSite }) => {
//     test('…', async () => {
//       const store = await makeSite().open();
//
// A suite uses only the ledgers of `Store`: no files, no SQL, and nothing that only one engine has. To add an engine, add a row
// to `engines`.

import { onTestFinished } from 'vitest';

import { openStore } from '../../../../server/store/open-store.ts';
import type { Store, StoreOptions } from '../../../../server/store/store.ts';
import { temporaryFolder } from '../../../support/temp-store.ts';

export interface Engine {
  readonly name: string;
  /** Makes an empty place for data. It is removed when the test ends. */
  makeSite(): Site;
}

/** A place for data. It remains when a store on it is closed, so a test can open the same data again. */
export interface Site {
  /**
   * Opens the store, as the gateway unless `role` says otherwise, and closes it when the test ends. One gateway and any number
   * of commands may be open at the same time. A store may be closed twice.
   */
  open(options?: SiteOptions): Promise<Store>;
}

/** The options that suites use. `now` returns epoch milliseconds. */
export type SiteOptions = Partial<Pick<StoreOptions, 'role' | 'now' | 'builtAt' | 'sealKey'>>;

export const engines: readonly Engine[] = [{ name: 'SQLite', makeSite: makeFolder }];

function makeFolder(): Site {
  const dataDir = temporaryFolder();
  return {
    async open(options = {}) {
      const store = await openStore({ role: 'gateway', ...options, dataDir });
      const closeOnce = onlyOnce(() => store.close());
      onTestFinished(closeOnce);
      return { ...store, close: closeOnce };
    },
  };
}

function onlyOnce(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => (closed ??= close());
}
