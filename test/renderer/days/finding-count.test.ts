// The total number of findings of a verdict, which may list only some of them.

import { expect, test } from 'vitest';

import { countFindings } from '../../../renderer/days/finding-count.ts';
import type { Reason } from '../../../server/contract/verdicts.ts';
import { dayWith } from './day.ts';

test('held and set-aside records count as missing upstream', () => {
  const reasons: Reason[] = [
    { code: 'missing_upstream', count: 600 },
    { code: 'held', count: 30 },
    { code: 'set_aside', count: 4 },
    { code: 'missing_here', count: 2 },
  ];
  const view = { day: dayWith({ verdict: 'differs', reasons }), findings: [] };
  expect(countFindings(view, 'missing upstream')).toBe(634);
  expect(countFindings(view, 'missing here')).toBe(2);
  expect(countFindings(view, 'twice upstream')).toBe(0);
});
