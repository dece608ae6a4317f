// Which store days are settled, so that their bodies may be archived.

import { expect, test } from 'vitest';

import type { DaySummary, SignOff } from '../../../server/contract/days.ts';
import { asSettled } from '../../../server/reconcile/settled.ts';

const SIGNED = { at: 5, isReopened: false } as SignOff;
const DAY = {
  date: '2025-10-09',
  from: 1,
  to: 2,
  verdict: 'complete',
  isProvisional: false,
  signOff: SIGNED,
} as DaySummary;

test('a complete, final day that a person has signed is settled', () => {
  expect(asSettled(DAY)).toEqual({ date: '2025-10-09', from: 1, to: 2, signedAt: 5 });
});

test.each<[string, Partial<DaySummary>]>([
  ['differs', { verdict: 'differs' }],
  ['waits', { verdict: 'waiting' }],
  ['cannot be told', { verdict: 'cannot tell' }],
  ['may still change', { isProvisional: true }],
  ['is not signed', { signOff: null }],
  ['has changed since its signature', { signOff: { ...SIGNED, isReopened: true } }],
])('a day that %s is not settled', (_name, change) => {
  expect(asSettled({ ...DAY, ...change })).toBeUndefined();
});
