// How often somebody may try to get in: five times in a quarter of an hour, by the name they give and by the address they
// come from. Who fails more often waits, with the right password too.

import { isIPv6 } from 'node:net';

import type { Clock } from '../clock.ts';
import { ConsoleError } from '../errors.ts';
import { foldName } from '../store/form.ts';

const MOST_FAILURES = 5;
const WITHIN_MS = 15 * 60 * 1000;
/** Of so many names and addresses failures are remembered; then nobody may try until some are forgotten. */
const MOST_REMEMBERED = 10_000;
/** A password takes a twentieth of a second to check, one after the other: more would keep everybody waiting. */
const MOST_UNDERWAY = 10;

export interface Attempt {
  /** It is known whether it is right, which takes it out of the count; to be called once, also when finding out failed. */
  end(isRight: boolean): void;
}

export interface Attempts {
  /** Counts an attempt as failed until it is known not to be. Throws `sign_in_limited`. */
  begin(name: string, address: string): Attempt;
}

export function openAttempts(clock: Clock): Attempts {
  /** When they failed, by name and by address. */
  const failures = new Map<string, number[]>();
  let underway = 0;

  function recent(who: string): number[] {
    return (failures.get(who) ?? []).filter((at) => clock.monotonic() - at < WITHIN_MS);
  }

  function forgetOld(): void {
    for (const who of failures.keys()) if (recent(who).length === 0) failures.delete(who);
  }

  return {
    begin(name, address) {
      const all = [`name ${foldName(name)}`, `address ${networkOf(address)}`];
      if (failures.size >= MOST_REMEMBERED) forgetOld();
      const limiting = all.map(recent).find(({ length }) => length >= MOST_FAILURES);
      if (limiting !== undefined || failures.size >= MOST_REMEMBERED) {
        const waitMs = WITHIN_MS - (clock.monotonic() - (limiting?.[0] ?? clock.monotonic()));
        throw new ConsoleError('sign_in_limited', {
          detail: `Too many attempts. Wait ${Math.ceil(waitMs / 60_000)} minutes, then try again.`,
          retryAfterSeconds: Math.ceil(waitMs / 1000),
        });
      }
      if (underway >= MOST_UNDERWAY) {
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
          for (const who of all) failures.set(who, recent(who).toSpliced(recent(who).indexOf(at), 1));
        },
      };
    },
  };
}

/** One customer of a network has billions of IPv6 addresses: what counts is the first half. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
