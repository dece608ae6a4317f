// The state of the store: it accepts records, or it is in trouble after a disk error. In trouble, it refuses records and
// repeats a test write until the write succeeds. While the disk is full, the store gives up its reserved space, which is enough
// for all writes except records.

import type { StoreTrouble } from '../../../contract/machine.ts';
import { GatewayError } from '../../../errors.ts';
import type { Reserve } from '../files/reserve.ts';
import { isDiskFault, refusalFor, TROUBLE_HINTS } from './fault.ts';

const RECOVERY_INTERVAL_MS = 500;

export interface TroubleWatch {
  /** Why the store accepts no records now; undefined while it accepts them. */
  current(): StoreTrouble | undefined;
  /** Throws a refusal while the store accepts no records. */
  assertTaking(): void;
  /** Awaits a write. A disk error begins trouble; every error becomes a GatewayError. */
  guard<T>(change: Promise<T>): Promise<T>;
  /** Puts the store in trouble because of a disk error, or changes the reason for its trouble. */
  begin(cause: unknown): void;
  close(): void;
}

export function openTroubleWatch(options: {
  /** Resolves when the disk accepts writes again and the whole WAL is safely on the disk. */
  readonly recover: () => Promise<void>;
  /** Resolves when a full disk accepts small writes again. */
  readonly makeDo: () => Promise<void>;
  /** The reserve of disk space. Undefined for a command, because only the gateway manages the reserve. */
  readonly reserve: Pick<Reserve, 'release' | 'hasRoom' | 'make'> | undefined;
  readonly now: () => number;
  /** Called when trouble begins, changes its code, or ends (undefined). */
  readonly onTrouble: (trouble: StoreTrouble | undefined, cause: unknown) => void;
  /** Called when the reserve could not be created. */
  readonly onFault: (error: unknown) => void;
}): TroubleWatch {
  const { recover, makeDo, reserve, now, onTrouble, onFault } = options;
  let trouble: StoreTrouble | undefined;
  /** True from an error of the disk until `recover` or `makeDo` has succeeded. */
  let needsRecovery = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function begin(cause: unknown): void {
    needsRecovery = true;
    const code = refusalFor(cause).code === 'store_full' ? 'store_full' : 'store_unavailable';
    if (code === 'store_full') reserve?.release();
    if (trouble?.code === code) return;
    const isFirst = trouble === undefined;
    trouble = { code, hint: TROUBLE_HINTS[code], since: trouble?.since ?? now() };
    onTrouble(trouble, cause);
    if (isFirst) tryLater();
  }

  /** Schedules the next attempt to recover. One attempt runs at a time, because each may wait for a reader. */
  function tryLater(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      tryToEnd().then(
        (isOver) => (isOver ? end() : tryLater()),
        (error: unknown) => {
          needsRecovery = true;
          if (isDiskFault(error) && !isClosed) begin(error);
          tryLater();
        },
      );
    }, RECOVERY_INTERVAL_MS).unref();
  }

  /**
   * Tries to recover. Resolves to true if records can be accepted again. After a full disk, this also needs space for the
   * reserve.
   */
  async function tryToEnd(): Promise<boolean> {
    if (reserve === undefined || trouble?.code !== 'store_full' || (await reserve.hasRoom())) {
      await recover();
      return true;
    }
    if (needsRecovery) await recover().catch(makeDo);
    needsRecovery = false;
    return false;
  }

  function end(): void {
    trouble = undefined;
    needsRecovery = false;
    reserve?.make().catch(onFault);
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
    begin,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
