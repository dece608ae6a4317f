import { describe, expect, test } from 'vitest';

import { type Attempts, openAttempts } from '../../../server/console/attempts.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

const MINUTE_MS = 60_000;

function isLimited(attempts: Attempts, name: string, address: string): boolean {
  try {
    attempts.begin(name, address).end(false);
    return false;
  } catch {
    return true;
  }
}

describe('five attempts in a quarter of an hour', () => {
  test.each<[what: string, nameOf: (n: number) => string, addressOf: (n: number) => string]>([
    ['from one address, by one name', () => 'Ann', () => '10.0.0.1'],
    ['from one address, by any name', (n) => `User ${n}`, () => '10.0.0.1'],
    ['from one customer of a network', (n) => `User ${n}`, (n) => `2001:db8:1:2::${n + 1}`],
    ['from one customer, with full IPv6 addresses', (n) => `User ${n}`, (n) => `2001:db8:1:2:${n}:6:7:8`],
  ])('%s', (_what, nameOf, addressOf) => {
    const attempts = openAttempts(startVirtualTime());
    const limited = Array.from({ length: 7 }, (_, n) => isLimited(attempts, nameOf(n), addressOf(n)));
    expect(limited).toEqual([false, false, false, false, false, true, true]);
  });

  test.each<[what: string, addressOf: (n: number) => string]>([
    ['other addresses of IPv4', (n) => `10.0.0.${n}`],
    ['IPv4 addresses in IPv6 form', (n) => `::ffff:10.0.0.${n}`],
    ['other customers of a network', (n) => `2001:db8:1:${n + 1}::1`],
  ])('are counted separately for %s', (_what, addressOf) => {
    const attempts = openAttempts(startVirtualTime());
    for (let n = 0; n < 20; n++) expect(isLimited(attempts, `User ${n}`, addressOf(n))).toBe(false);
  });

  test('at one address do not lock a person out at another', () => {
    const attempts = openAttempts(startVirtualTime());
    for (let n = 0; n < 20; n++) isLimited(attempts, 'Ann', '10.0.0.1');
    expect(isLimited(attempts, 'Ann', '10.0.0.1')).toBe(true);
    expect(isLimited(attempts, 'Ann', '10.0.0.2')).toBe(false);
  });

  test('expire one by one, and refused attempts do not count', () => {
    const clock = startVirtualTime();
    const attempts = openAttempts(clock);
    for (let n = 0; n < 5; n++) {
      attempts.begin(`User ${n}`, '10.0.0.1').end(false);
      clock.jump(MINUTE_MS);
    }
    for (let n = 0; n < 10; n++) expect(isLimited(attempts, `User ${n}`, '10.0.0.1')).toBe(true);
    clock.jump(10 * MINUTE_MS - 1);
    expect(isLimited(attempts, 'Ann', '10.0.0.1')).toBe(true);
    clock.jump(1);
    expect(isLimited(attempts, 'Ann', '10.0.0.1')).toBe(false);
    expect(isLimited(attempts, 'Ann', '10.0.0.1')).toBe(true);
  });

  test('do not count if they succeed', () => {
    const attempts = openAttempts(startVirtualTime());
    for (let n = 0; n < 20; n++) attempts.begin('Ann', '10.0.0.1').end(true);
    for (let n = 0; n < 5; n++) expect(isLimited(attempts, 'Ann', '10.0.0.1')).toBe(false);
    expect(isLimited(attempts, 'Ann', '10.0.0.1')).toBe(true);
  });
});

describe('fifty attempts by one name, from anywhere', () => {
  /** Uses up all sign-in attempts for a name, from ten addresses. */
  function useUp(attempts: Attempts, nameOf = (n: number): string => (n % 2 === 0 ? 'Ann' : 'ANN')): void {
    for (let n = 0; n < 50; n++) expect(isLimited(attempts, nameOf(n), `10.0.1.${n % 10}`)).toBe(false);
  }

  test.each([
    ['', () => 'Ann', 'Ann'],
    [', in any spelling', (n: number) => (n % 2 === 0 ? 'zoé' : 'ZOE\u0301'), 'Zoé'],
  ])('are the limit%s; other names are not limited', (_how, nameOf, name) => {
    const attempts = openAttempts(startVirtualTime());
    useUp(attempts, nameOf);
    expect(isLimited(attempts, name, '10.0.2.1')).toBe(true);
    expect(isLimited(attempts, 'Ben', '10.0.2.1')).toBe(false);
  });

  test('do not lock a person out at an address where that person has signed in before', () => {
    const attempts = openAttempts(startVirtualTime());
    attempts.begin('Ann', '192.168.1.5').end(true);
    attempts.begin('Ben', '192.168.1.6').end(true);
    useUp(attempts);
    expect(isLimited(attempts, 'Ann', '192.168.1.6')).toBe(true);
    for (let n = 0; n < 5; n++) expect(isLimited(attempts, 'Ann', '192.168.1.5')).toBe(false);
    expect(isLimited(attempts, 'Ann', '192.168.1.5')).toBe(true);
  });
});

test('attempts from everywhere by every name fill no memory; sign-in is open again when they are over', () => {
  const clock = startVirtualTime();
  const attempts = openAttempts(clock);
  for (let n = 0; n < 5000; n++) attempts.begin(`User ${n}`, `10.0.${n >> 8}.${n & 255}`).end(false);
  expect(isLimited(attempts, 'Ann', '192.168.1.1')).toBe(true);
  clock.jump(15 * MINUTE_MS);
  expect(isLimited(attempts, 'Ann', '192.168.1.1')).toBe(false);
});

test('ten attempts are verified at a time; others are told to wait, and are not counted', () => {
  const attempts = openAttempts(startVirtualTime());
  const underway = Array.from({ length: 10 }, (_, n) => attempts.begin(`User ${n}`, `10.0.0.${n}`));
  for (let n = 0; n < 6; n++) expect(isLimited(attempts, 'Ann', '192.168.1.1')).toBe(true);
  underway[0]?.end(false);
  expect(isLimited(attempts, 'Ann', '192.168.1.1')).toBe(false);
});
