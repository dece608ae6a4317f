// How often somebody may try to sign in within a quarter of an hour: five times from one address, fifty times by one name. Who fails
// more often waits, with the right password too. A stranger's attempts do not lock out a person who has signed in from the same
// address before.

import { ConsoleError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { networkOf } from '../lib/network.ts';
import { foldName } from '../store/setup/input-rules.ts';

const MAX_FAILURES_OF_ADDRESS = 5;
/** From ten addresses: few enough that nobody guesses a password, many enough that one machine locks nobody out. */
const MAX_FAILURES_OF_NAME = 50;
const WITHIN_MS = 15 * 60 * 1000;
/** Of so many names and addresses failures are remembered; then nobody may try until some are forgotten. */
const MAX_REMEMBERED = 10_000;
/** Names with an address at which they have signed in; the oldest are forgotten. */
const MAX_FAMILIAR = 1000;
/** A password takes a twentieth of a second to check, one after the other: more would keep everybody waiting. */
const MAX_UNDERWAY = 10;

export interface Attempt {
  /** Reports the result; a right password is not counted as a failure. Call once, also when the check failed. */
  end(isRight: boolean): void;
}

export interface Attempts {
  /** Counts an attempt as failed until it is known not to be. Throws `sign_in_limited`. */
  begin(name: string, address: string): Attempt;
}

export function openAttempts(clock: Clock): Attempts {
  /** When they failed, by name and by address. */
  const failures = new Map<string, number[]>();
  const familiar = new Set<string>();
  let underway = 0;

  function recent(who: string): number[] {
    return (failures.get(who) ?? []).filter((at) => clock.monotonic() - at < WITHIN_MS);
  }

  function forgetOld(): void {
    for (const who of failures.keys()) if (recent(who).length === 0) failures.delete(who);
  }

  /** The failures that make an attempt wait, if any. */
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
