// Keeps the reason why the gateway does not run, until it runs again. Also decides when the window opens or replaces the
// failure page.

import { isDeepStrictEqual } from 'node:util';

import type { StartFault } from '../server/contract/desktop.ts';
import type { GatewayState } from './gateway-process.ts';

export interface Failure {
  readonly fault: StartFault;
  /** The gateway's own sentence, for support; may be empty. */
  readonly message: string;
  /** Time when the gateway last ran or first failed to start, in epoch milliseconds. */
  readonly since: number;
  /** Time when *Try again* last failed, in epoch milliseconds; undefined if it has not failed. */
  readonly triedAt: number | undefined;
}

export interface Failures {
  /** The present failure. Undefined while the gateway runs, and until its first start has failed. */
  current(): Failure | undefined;
  /** Handles the exit of a gateway. Returns what the window does with the failure page. */
  note(ended: GatewayState & { readonly kind: 'ended' }): 'open' | 'replace' | 'nothing';
  /** The user pressed *Try again*. If this attempt fails, the page shows its time. */
  noteTry(): void;
  /** Forgets the failure. Called when the gateway runs. */
  clear(): void;
}

/** At first there is no failure. `now` returns epoch milliseconds. */
export function openFailures(now: () => number): Failures {
  let failure: Failure | undefined;
  let isShown = false;
  let isTryAwaited = false;
  return {
    current: () => failure,
    note({ fault, message, hasRun }) {
      const before = failure;
      failure = { fault, message, since: before?.since ?? now(), triedAt: isTryAwaited ? now() : before?.triedAt };
      isTryAwaited = false;
      // A gateway that has run usually restarts within seconds, so it needs no page. If the failure page already shows this
      // failure, loading it again would take the focus from the user.
      if (hasRun || (isShown && isDeepStrictEqual(failure, before))) return 'nothing';
      const act = isShown ? 'replace' : 'open';
      isShown = true;
      return act;
    },
    noteTry: () => void (isTryAwaited = true),
    clear() {
      failure = undefined;
      isShown = false;
      isTryAwaited = false;
    },
  };
}
