// How each step of a certification is judged.

import { describe, expect, test } from 'vitest';

import { isResentAfterFinal, judgeStep } from '../../../server/certify/judge.ts';
import type {
  CertifyEvent,
  CertifyFault,
  CertifySale,
  CertifyStep,
  CertifyStepView,
} from '../../../server/contract/certify.ts';
import { SOLD } from '../../support/certify-events.ts';

const sold = (status: CertifySale['status'], more: Partial<CertifySale> = {}): CertifyEvent => ({
  ...SOLD,
  at: 0,
  status,
  ...more,
});
const fault = (name: CertifyFault['fault'], afterMs: number | null = null, externalId = 'A'): CertifyEvent => ({
  kind: 'fault',
  at: 0,
  fault: name,
  externalId,
  afterMs,
  calls: 1,
});
const query = (page: number | null, isLast: boolean, isExpanded = true): CertifyEvent => ({
  kind: 'query',
  at: 0,
  page,
  records: 2,
  count: 4,
  isLast,
  isExpanded,
});
const refused = (code: string): CertifyEvent => ({ kind: 'refused', at: 0, status: 400, code, detail: '' });
const confirmed: CertifyEvent = { kind: 'confirmed', at: 0, by: 'Ann' };
const waited: CertifyEvent = { kind: 'waited', at: 0, externalId: 'A', afterMs: 8000 };
const gaveUp: CertifyEvent = { kind: 'gave up', at: 0, externalId: 'A', afterMs: 3000 };

const CASES: readonly (readonly [CertifyStep, string, readonly CertifyEvent[], string])[] = [
  ['first_sale', 'nothing', [], 'waiting nothing_yet'],
  ['first_sale', 'a refused call', [refused('field_invalid')], 'waiting refused'],
  ['first_sale', 'an old sale', [sold('IGNORED')], 'waiting known_already'],
  ['first_sale', 'a new sale after a refused one', [refused('json_malformed'), sold('NEW')], 'passed stored'],
  ['retry', 'another new sale', [sold('NEW')], 'waiting not_repeated'],
  ['retry', 'the same sale', [sold('NEW'), sold('IGNORED')], 'passed repeated'],
  ['retry', 'a changed sale', [sold('ERROR')], 'failed changed'],
  ['retry', 'the sale under a new id', [sold('NEW', { isCopy: true })], 'waiting new_id'],
  ['changed_resend', 'an unchanged sale', [sold('IGNORED')], 'waiting no_conflict'],
  ['changed_resend', 'a changed sale', [sold('ERROR')], 'passed conflict_kept'],
  ['lost_answer', 'nothing', [], 'waiting nothing_yet'],
  ['lost_answer', 'an old sale', [sold('IGNORED')], 'waiting known_already'],
  [
    'lost_answer',
    'the sale under a new id',
    [sold('NEW'), fault('lost_answer'), sold('NEW', { externalId: 'B', isCopy: true })],
    'waiting new_id',
  ],
  [
    'lost_answer',
    'another new sale',
    [sold('NEW'), fault('lost_answer'), sold('NEW', { externalId: 'B' })],
    'waiting other_sale',
  ],
  ['lost_answer', 'the fault alone', [sold('NEW'), fault('lost_answer')], 'waiting awaiting_resend'],
  [
    'lost_answer',
    'another sale repeated',
    [sold('NEW'), fault('lost_answer'), sold('IGNORED', { externalId: 'B' })],
    'waiting awaiting_resend',
  ],
  ['lost_answer', 'the sale repeated', [sold('NEW'), fault('lost_answer'), sold('IGNORED')], 'passed sent_again'],
  [
    'lost_answer',
    'the sale repeated, and an equal one',
    [sold('NEW'), fault('lost_answer'), sold('NEW', { externalId: 'B', isCopy: true }), sold('IGNORED')],
    'waiting new_id',
  ],
  ['lost_answer', 'the sale changed', [sold('NEW'), fault('lost_answer'), sold('ERROR')], 'failed changed'],
  ['come_back', 'the fault alone', [fault('busy')], 'waiting awaiting_wait'],
  ['come_back', 'a call after 9 seconds', [fault('busy'), fault('busy', 9000)], 'failed too_early'],
  [
    'come_back',
    'another sale after 9 seconds',
    [fault('busy'), sold('NEW', { externalId: 'B', afterMs: 9000 })],
    'failed too_early',
  ],
  [
    'come_back',
    'another sale after 10 seconds',
    [fault('busy'), sold('NEW', { externalId: 'B', afterMs: 10_000 })],
    'waiting other_sale',
  ],
  [
    'come_back',
    'another sale that was under way',
    [fault('busy'), sold('NEW', { externalId: 'B', afterMs: null })],
    'waiting awaiting_wait',
  ],
  [
    'come_back',
    'the same sale under way on another connection',
    [fault('busy'), sold('NEW', { afterMs: null, isSame: true })],
    'waiting awaiting_wait',
  ],
  [
    'come_back',
    'the sale under a new id after 10 seconds',
    [fault('busy'), sold('NEW', { externalId: 'B', afterMs: 10_000, isCopy: true })],
    'waiting new_id',
  ],
  [
    'come_back',
    'the sale after 10 seconds',
    [fault('busy'), sold('NEW', { afterMs: 9990, isSame: true })],
    'passed waited',
  ],
  [
    'come_back',
    'a changed sale after 10 seconds',
    [fault('busy'), sold('NEW', { afterMs: 10_000, isSame: false })],
    'failed changed',
  ],
  ['wrong_clock', 'a clock that is right', [sold('NEW', { clockSeconds: 300 })], 'waiting clock_right'],
  ['wrong_clock', 'a clock 5 minutes and 1 second ahead', [sold('NEW', { clockSeconds: 301 })], 'passed clock_marked'],
  ['wrong_clock', 'a clock one day behind', [sold('NEW', { clockSeconds: -86_400 })], 'waiting clock_right'],
  [
    'wrong_clock',
    'a resend of a sale from last week',
    [sold('IGNORED', { clockSeconds: -600_000 })],
    'waiting known_already',
  ],
  ['wrong_clock', 'a clock 48 hours behind', [sold('NEW', { clockSeconds: -172_801 })], 'passed clock_marked'],
  ['many_digits', 'a sale without the number', [sold('NEW')], 'waiting digits_missing'],
  ['many_digits', 'a number', [sold('NEW'), sold('NEW', { digits: 'number' })], 'passed digits_kept'],
  ['many_digits', 'a text', [sold('NEW', { digits: 'text' })], 'passed digits_kept'],
  ['many_digits', 'a rounded number', [sold('NEW', { digits: { lost: '1.2e19' } })], 'failed digits_lost'],
  ['slow_line', 'the fault alone', [sold('NEW'), fault('slow')], 'waiting answer_delayed'],
  ['slow_line', 'a till that waits', [sold('NEW'), fault('slow'), waited], 'passed answer_awaited'],
  ['slow_line', 'a till that gives up', [sold('NEW'), fault('slow'), gaveUp], 'waiting gave_up'],
  [
    'slow_line',
    'a till that gives up and sends again',
    [sold('NEW'), fault('slow'), gaveUp, sold('IGNORED')],
    'passed sent_again',
  ],
  [
    'slow_line',
    'a till that waits, but sends the sale under a new id too',
    [sold('NEW'), fault('slow'), sold('NEW', { externalId: 'B', isCopy: true }), waited],
    'waiting new_id',
  ],
  [
    'slow_line',
    'a till that waits, and sends another new sale',
    [sold('NEW'), fault('slow'), sold('NEW', { externalId: 'B' }), waited],
    'waiting other_sale',
  ],
  ['slow_line', 'a till that changes the sale', [sold('NEW'), fault('slow'), sold('ERROR')], 'failed changed'],
  ['wrong_key', 'the fault alone', [fault('key_refused')], 'waiting key_refused'],
  [
    'wrong_key',
    'the kept sale',
    [fault('key_refused'), confirmed, sold('NEW', { isSame: true })],
    'passed kept_and_sent',
  ],
  [
    'wrong_key',
    'the kept sale, changed',
    [fault('key_refused'), confirmed, sold('NEW', { isSame: false })],
    'failed changed',
  ],
  ['paging', 'a count', [query(1, true, false)], 'waiting not_expanded'],
  ['paging', 'a range with one record', [query(1, true)], 'waiting too_few'],
  ['paging', 'the first page twice', [query(1, false), query(1, false)], 'waiting page_missing'],
  ['paging', 'a cursor from before', [query(null, true)], 'waiting too_few'],
  ['paging', 'both pages', [query(1, false), query(2, true)], 'passed pages_read'],
  ['paging', 'a changed cursor', [query(1, false), refused('cursor_invalid')], 'failed cursor_changed'],
];

describe('the judge', () => {
  test.each(CASES)('%s: %s', (step, _what, events, expected) => {
    const { kind, finding } = judgeStep(step, events, { missing: 0, isTooMany: false });
    expect(`${kind} ${finding}`).toBe(expected);
  });
});

test.each([
  [1, false, 'waiting awaiting_kept'],
  [0, false, 'passed kept_and_sent'],
  [1, true, 'waiting too_many'],
  [0, true, 'waiting too_many'],
])('wrong_key: %i refused sales missing, more than remembered: %s', (missing, isTooMany, expected) => {
  const events = [fault('key_refused'), confirmed, sold('NEW', { isSame: true })];
  const { kind, finding } = judgeStep('wrong_key', events, { missing, isTooMany });
  expect(`${kind} ${finding}`).toBe(expected);
});

describe('a sale that comes again after a final answer', () => {
  const step = (name: CertifyStep, state: CertifyStepView['state'], ...events: CertifyEvent[]): CertifyStepView => ({
    name,
    state,
    attempts: 1,
    startedAt: 0,
    endedAt: 0,
    finding: null,
    reason: '',
    events,
  });
  test.each([
    ['after ERROR', sold('ERROR'), step('changed_resend', 'passed', sold('ERROR')), true],
    ['after IGNORED', sold('IGNORED'), step('lost_answer', 'passed', sold('NEW'), sold('IGNORED')), true],
    ['after NEW', sold('IGNORED'), step('first_sale', 'passed', sold('NEW')), false],
    ['with a change', sold('ERROR'), step('retry', 'passed', sold('IGNORED')), false],
    ['of another id', sold('ERROR', { externalId: 'B' }), step('changed_resend', 'passed', sold('ERROR')), false],
    ['after a step that failed', sold('ERROR'), step('changed_resend', 'failed', sold('ERROR')), false],
  ] as const)('%s', (_name, event, passed, expected) => {
    expect(isResentAfterFinal(event as CertifySale, passed)).toBe(expected);
  });
});
