// Makes store days for tests.

import type { DaySummary } from '../../../server/contract/days.ts';

/** The store day 4 November 2026 in Amsterdam, complete according to its counts. `some` overrides members. */
export function dayWith(some: Partial<DaySummary> = {}): DaySummary {
  return {
    date: '2026-11-04',
    from: Date.parse('2026-11-04T00:00+01:00') / 1000,
    to: Date.parse('2026-11-05T00:00+01:00') / 1000,
    verdict: 'complete',
    isProvisional: false,
    reasons: [],
    notes: [],
    basis: 'counts',
    here: 412,
    amounts: [],
    earlier: 0,
    earlierTaken: 0,
    upstream: 412,
    checkedAt: Date.parse('2026-11-05T06:00+01:00'),
    passedAt: null,
    declared: null,
    declaredAmounts: [],
    signedFor: '',
    signOff: null,
    ...some,
  };
}

export const SIGNED = { at: 0, actor: 'Mia', name: 'Mia', note: '', isReopened: false } as const;
