// The store's state: it takes records, or it is in trouble after an error of the disk and takes none until it has proved
// that it can write again. It tries by itself, so that nobody has to restart anything once the disk is well.

import type { StoreTrouble } from '../contract.ts';
import { GatewayError } from '../errors.ts';
import { isDiskFault, refusalFor, TROUBLE_HINTS } from './fault.ts';

const RECOVERY_INTERVAL_MS = 500;

export interface TroubleWatch {
  /** Why no records are taken at present, if so. */
  current(): StoreTrouble | undefined;
  /** Throws, while no records are taken, what the caller is to be told. */
  assertTaking(): void;
  /** Passes a change by the writer on. An error of the disk begins the trouble; any error becomes a GatewayError. */
  guard<T>(change: Promise<T>): Promise<T>;
  close(): void;
}

export function openTroubleWatch(options: {
  /** Resolves when records can be taken again. */
  readonly recover: () => Promise<void>;
  readonly now: () => number;
  /** Trouble began, or ended (undefined). */
  readonly onTrouble: (trouble: StoreTrouble | undefined, cause: unknown) => void;
}): TroubleWatch {
  const { recover, now, onTrouble } = options;
  let trouble: StoreTrouble | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function begin(cause: unknown): void {
    if (trouble !== undefined) return;
    const code = refusalFor(cause).code === 'store_full' ? 'store_full' : 'store_unavailable';
    trouble = { code, hint: TROUBLE_HINTS[code], since: now() };
    onTrouble(trouble, cause);
    tryLater();
  }

  /** One attempt at a time, the next only after the last has ended: each may wait for a reader. */
  function tryLater(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      recover().then(end, tryLater);
    }, RECOVERY_INTERVAL_MS).unref();
  }

  function end(): void {
    trouble = undefined;
    onTrouble(undefined, undefined);
  }

  return {
    current: () => trouble,
    assertTaking() {
      if (trouble !== undefined) throw new GatewayError(trouble.code, { detail: trouble.hint, retryAfterSeconds: 2 });
    },
    guard: (change) =>
      change.catch((error: unknown) => {
        if (isDiskFault(error)) begin(error);
        throw refusalFor(error);
      }),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
