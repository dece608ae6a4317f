// The evidence and the result of a certification in words.

import i18next from 'i18next';
import { describe, expect, test } from 'vitest';

import { eventWords } from '../../../renderer/certify/event-words.ts';
import { headlineOf } from '../../../renderer/certify/result.ts';
import en from '../../../renderer/locales/en.json';
import { formatsFor } from '../../../renderer/locales/format.ts';
import type { CertificationView, CertifyEvidence, CertifyStepView } from '../../../server/contract/certify.ts';
import { SOLD } from '../../support/certify-events.ts';

const words = i18next.createInstance();
await words.init({ lng: 'en', resources: { en }, interpolation: { escapeValue: false } });
const t = words.getFixedT('en', 'certify');
const formats = formatsFor('Europe/Amsterdam', words.getFixedT('en', 'format'));

const FAULT = { kind: 'fault', fault: 'busy', externalId: 'A', afterMs: null, calls: 1 } as const;
const QUERY = { kind: 'query', page: 1, records: 4, count: 7, isLast: false, isExpanded: true } as const;

describe('the words of an event', () => {
  test.each<readonly [CertifyEvidence, string]>([
    [SOLD, 'A: record 7, NEW'],
    [{ ...SOLD, status: 'IGNORED' }, 'A: record 7, IGNORED, known id with the same content'],
    [{ ...SOLD, status: 'ERROR' }, 'A: record 7, ERROR, known id with other content'],
    [{ ...SOLD, isCopy: true }, 'A: record 7, NEW, equal sale with another id'],
    [{ ...SOLD, isSame: true }, 'A: record 7, NEW, unchanged'],
    [{ ...SOLD, clockSeconds: 59 }, 'A: record 7, NEW, clock right'],
    [{ ...SOLD, clockSeconds: 600 }, 'A: record 7, NEW, clock 10 min ahead'],
    [{ ...SOLD, clockSeconds: -600 }, 'A: record 7, NEW, clock 10 min behind'],
    [{ ...SOLD, digits: 'number' }, 'A: record 7, NEW, all digits kept, sent as a number'],
    [{ ...SOLD, digits: 'text' }, 'A: record 7, NEW, all digits kept, sent as a text'],
    [{ ...SOLD, digits: { lost: '1e19' } }, 'A: record 7, NEW, the number arrived as 1e19'],
    [{ ...SOLD, afterMs: 10_049, isSame: false }, 'A: record 7, NEW, 10 s after the fault, changed'],
    [FAULT, 'Fault for A: 503 with Retry-After, not stored'],
    [{ ...FAULT, afterMs: 9999 }, 'Fault for A: 503 with Retry-After, not stored, 9.9 s after the fault'],
    [{ ...FAULT, fault: 'key_refused', calls: 3 }, 'Fault for A: 401, not stored (3×)'],
    [{ kind: 'refused', status: 400, code: 'json_malformed', detail: 'No.' }, 'Refused: 400 json_malformed. No.'],
    [{ kind: 'waited', externalId: 'A', afterMs: 8020 }, 'A: the till got the answer after 8 s'],
    [{ kind: 'gave up', externalId: 'A', afterMs: 3000 }, 'A: the till closed the connection after 3 s'],
    [QUERY, 'Page 1: 4 of 7 records'],
    [{ ...QUERY, page: null }, 'A page with an old cursor: 4 of 7 records'],
    [{ ...QUERY, isExpanded: false }, 'Count without records: 7'],
    [{ kind: 'confirmed', by: 'Ann' }, 'Ann confirmed that the till showed the refusal'],
  ])('%o', (event, said) => {
    expect(eventWords({ at: 0, ...event }, t, formats, (name) => name)).toBe(said);
  });
});

describe('the headline', () => {
  const of = (state: CertificationView['state'], ...states: CertifyStepView['state'][]): string => {
    const rest = { attempts: 1, startedAt: 0, endedAt: 0, finding: null, reason: '', events: [] };
    const steps = states.map((each): CertifyStepView => ({ ...rest, name: 'retry', state: each }));
    return headlineOf({ till: 'Till 1', state, steps }, t, formats);
  };
  test.each([
    [of('running', 'passed', 'active'), 'Till 1, step 2 of 2: Retry'],
    [of('running', 'failed', 'open'), 'Till 1: repeat, skip or start a step to continue.'],
    [of('ended', 'passed', 'passed'), 'Till 1 passed the certification.'],
    [of('ended', 'passed', 'skipped'), 'Till 1 passed every tested step.'],
    [of('ended', 'passed', 'failed'), 'Till 1 failed 1 step.'],
    [of('timed_out', 'passed', 'open'), 'Till 1 was not fully tested.'],
    [of('ended', 'skipped', 'skipped'), 'Till 1 was not fully tested.'],
  ])('%s', (said, expected) => {
    expect(said).toBe(expected);
  });
});
