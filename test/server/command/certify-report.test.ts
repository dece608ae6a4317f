// A report uses the words of the console, and every kind of evidence has a sentence.

import { describe, expect, test } from 'vitest';

import english from '../../../renderer/locales/en.json' with { type: 'json' };
import { reportLines } from '../../../server/command/certify-report.ts';
import {
  type Certification,
  CERTIFY_FINDINGS,
  CERTIFY_STEPS,
  type CertifyEvidence,
  type CertifyStepView,
  COME_BACK_SECONDS,
  MANY_DIGITS,
  MAX_KEPT_SALES,
  SLOW_LINE_SECONDS,
} from '../../../server/contract/certify.ts';
import { SOLD } from '../../support/certify-events.ts';

const words: Readonly<Record<string, string>> = english.certify;
const AT = Date.UTC(2026, 10, 23, 9);

function linesOf(step: Partial<CertifyStepView>, run: Partial<Certification> = {}): string[] {
  return reportLines({
    id: 1,
    journalId: 1,
    administration: 'Bakery',
    till: 'Till 1',
    keyId: 1,
    interface: 'both',
    version: '1.2.3',
    by: 'Ann',
    state: 'ended',
    startedAt: AT,
    endedAt: AT,
    steps: [{ ...passed(step.name ?? 'first_sale'), ...step }],
    ...run,
  });
}

test.each(CERTIFY_STEPS)('the step %s has the name of the console', (name) => {
  expect(linesOf({ name })).toContain(`1. ${words[`step_${name}`]}: passed`);
});

test.each(CERTIFY_FINDINGS)('the finding %s has the sentence of the console', (finding) => {
  const sentence = words[`finding_${finding}`]
    ?.replace('{{comeBack}}', String(COME_BACK_SECONDS))
    .replace('{{slow}}', String(SLOW_LINE_SECONDS))
    .replace('{{number}}', MANY_DIGITS)
    .replaceAll('{{most}}', String(MAX_KEPT_SALES))
    .replace('{{missing}}', '2');
  expect(linesOf({ finding, missing: 2 })).toContain(`   ${sentence}`);
});

const fault = { kind: 'fault', externalId: 'A', afterMs: null, calls: 2 } as const;
const query = { kind: 'query', page: 2, records: 500, count: 501, isLast: false, isExpanded: true } as const;

test.each<[CertifyEvidence, string]>([
  [SOLD, 'A: record 7, NEW'],
  [{ ...SOLD, clockSeconds: -60 }, 'A: record 7, NEW, clock right'],
  [{ ...SOLD, status: 'IGNORED', isSame: true }, 'A: record 7, IGNORED, known id with the same content, unchanged'],
  [{ ...SOLD, isCopy: true, isSame: false }, 'A: record 7, NEW, equal sale with another id'],
  [
    { ...SOLD, clockSeconds: 600, digits: 'number' },
    'A: record 7, NEW, clock 10 min ahead, all digits kept, sent as a number',
  ],
  [
    { ...SOLD, clockSeconds: -90, digits: { lost: '1e19' } },
    'A: record 7, NEW, clock 2 min behind, the number arrived as 1e19',
  ],
  [{ ...SOLD, afterMs: 9990, isSame: false }, 'A: record 7, NEW, 9.9 s after the fault, changed'],
  [
    { kind: 'refused', status: 400, code: 'invalid', detail: 'Total is missing.' },
    'Refused: 400 invalid. Total is missing.',
  ],
  [{ ...fault, fault: 'lost_answer' }, 'Fault for A: stored, connection closed without an answer'],
  [{ ...fault, fault: 'busy', afterMs: 1000 }, 'Fault for A: 503 with Retry-After, not stored, 1 s after the fault'],
  [{ ...fault, fault: 'slow' }, 'Fault for A: stored, answer delayed'],
  [{ ...fault, fault: 'key_refused' }, 'Fault for A: 401, not stored (2×)'],
  [{ kind: 'waited', externalId: 'A', afterMs: 8000 }, 'A: the till got the answer after 8 s'],
  [{ kind: 'gave up', externalId: 'A', afterMs: 2500 }, 'A: the till closed the connection after 2.5 s'],
  [query, 'Page 2: 500 of 501 records'],
  [{ ...query, page: null }, 'A page with an old cursor: 500 of 501 records'],
  [{ ...query, isExpanded: false }, 'Count without records: 501'],
  [{ kind: 'confirmed', by: 'Ann' }, 'Ann confirmed that the till showed the refusal'],
])('evidence %#', (event, sentence) => {
  expect(linesOf({ events: [{ at: AT, ...event }] })).toContain(`   2026-11-23 09:00:00Z  ${sentence}`);
});

describe('the headline', () => {
  test.each<[string, Partial<CertifyStepView>, Partial<Certification>]>([
    ['Till 1 passed the certification.', {}, {}],
    ['Till 1 passed every tested step.', {}, { steps: [] }],
    ['Till 1 failed 1 step.', { state: 'failed' }, {}],
    ['Till 1 was not fully tested.', { state: 'active' }, {}],
    ['The certification of Till 1 is still running.', {}, { state: 'running', endedAt: null }],
  ])('%s', (sentence, step, run) => {
    const skipped = run.steps && { steps: [passed('first_sale'), { ...passed('retry'), state: 'skipped' as const }] };
    expect(linesOf(step, { ...run, ...skipped })[0]).toBe(`Report 1: ${sentence}`);
  });
});

function passed(name: CertifyStepView['name']): CertifyStepView {
  return { name, state: 'passed', attempts: 1, startedAt: AT, endedAt: AT, finding: null, reason: '', events: [] };
}

test('events that were dropped are counted', () => {
  expect(linesOf({ events: [{ at: AT, ...SOLD }], dropped: 9940 }).at(-1)).toBe('   and 9940 more');
});

test('a skipped step has its reason, and no evidence', () => {
  const lines = linesOf({ state: 'skipped', reason: 'It sends no queries.', events: [{ at: AT, ...SOLD }] });
  expect(lines.slice(-2)).toEqual(['1. First sale: skipped', '   Reason: It sends no queries.']);
});

test('a run that timed out or was interrupted says so', () => {
  expect(linesOf({}, { state: 'timed_out' })).toContain(
    '  ended         2026-11-23 09:00:00Z, after 30 minutes without a call',
  );
  expect(linesOf({}, { state: 'interrupted' })).toContain(
    '  ended         2026-11-23 09:00:00Z, because the gateway stopped',
  );
});
