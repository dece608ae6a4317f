// Limits the failed sign-ins within 15 minutes: five from one address, and fifty for one name. When a limit is reached, even
// the right password is refused until some failures are older than 15 minutes. The limit of the name does not apply at an
// address from which the user has signed in before. So a stranger cannot lock this user out.

import { ConsoleError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { networkOf } from '../lib/network.ts';
import { foldName } from '../store/setup/input-rules.ts';

const MAX_FAILURES_OF_ADDRESS = 5;
/**
 * Maximum failures for one name, because with more attempts a person could guess the password. It is ten times the maximum for
 * an address, so one machine alone cannot lock a user out.
 */
const MAX_FAILURES_OF_NAME = 50;
const WITHIN_MS = 15 * 60 * 1000;
/**
 * Maximum names and addresses with remembered failures. Beyond this number, every sign-in is refused until some failures
 * expire.
 */
const MAX_REMEMBERED = 10_000;
/**
 * Maximum pairs of a name and an address to remember. A pair means that the user has signed in from the address. Beyond this
 * number, the oldest pair is dropped.
 */
const MAX_FAMILIAR = 1000;
/** Maximum password checks that run or wait. They run one at a time, and each takes 50 ms. */
const MAX_UNDERWAY = 10;

export interface Attempt {
  /**
   * Reports whether the password was right. A right password is not counted as a failure. Call this once, even after an error.
   */
  end(isRight: boolean): void;
}

export interface Attempts {
  /** Counts an attempt as failed until `end` reports success. Throws `sign_in_limited`. */
  begin(name: string, address: string): Attempt;
}

export function openAttempts(clock: Clock): Attempts {
  /** Times of failures, by name and by address. */
  const failures = new Map<string, number[]>();
  const familiar = new Set<string>();
  let underway = 0;

  function recent(who: string): number[] {
    return (failures.get(who) ?? []).filter((at) => clock.monotonic() - at < WITHIN_MS);
  }

  function forgetOld(): void {
    for (const who of failures.keys()) if (recent(who).length === 0) failures.delete(who);
  }

  /** Returns the failures that have reached a limit. Undefined if no limit is reached. */
  function findLimiting(byName: string, byAddress: string): readonly number[] | undefined {
    const ofAddress = recent(byAddress);
    if (ofAddress.length >= MAX_FAILURES_OF_ADDRESS) return ofAddress;
    const ofName = recent(byName);
    return ofName.length >= MAX_FAILURES_OF_NAME && !familiar.has(byName + byAddress) ? ofName : undefined;
  }

  function noteFamiliar(pair: string): void {
    familiar.delete(pair);
    familiar.add(pair);
    const [oldest = ''] = familiar;
    if (familiar.size > MAX_FAMILIAR) familiar.delete(oldest);
  }

  return {
    begin(name, address) {
      const [byName, byAddress] = [`name ${foldName(name)}`, `address ${networkOf(address)}`];
      const all = [byName, byAddress];
      if (failures.size >= MAX_REMEMBERED) forgetOld();
      const limiting = findLimiting(byName, byAddress);
      if (limiting !== undefined || failures.size >= MAX_REMEMBERED) {
        const waitMs = WITHIN_MS - (clock.monotonic() - (limiting?.[0] ?? clock.monotonic()));
        throw new ConsoleError('sign_in_limited', {
          detail: `Too many attempts. Wait ${Math.ceil(waitMs / 60_000)} minutes, then try again.`,
          retryAfterSeconds: Math.ceil(waitMs / 1000),
        });
      }
      if (underway >= MAX_UNDERWAY) {
        throw new ConsoleError('sign_in_limited', {
          detail: 'Many others are signing in. Try again in a moment.',
          retryAfterSeconds: 1,
        });
      }
      underway += 1;
      const at = clock.monotonic();
      for (const who of all) failures.set(who, [...recent(who), at]);
      return {
        end(isRight) {
          underway -= 1;
          if (!isRight) return;
          noteFamiliar(byName + byAddress);
          for (const who of all) failures.set(who, recent(who).toSpliced(recent(who).indexOf(at), 1));
        },
      };
    },
  };
}
