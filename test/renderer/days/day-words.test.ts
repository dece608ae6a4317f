// The texts about a store day: each reason has a sentence, an explanation and a short form.

import i18next from 'i18next';
import { describe, expect, test } from 'vitest';

import {
  checkSentence,
  completeSentence,
  nextCheckAt,
  noteSentence,
  reasonSentence,
} from '../../../renderer/days/day-words.ts';
import { outageSentence } from '../../../renderer/days/outage-words.ts';
import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import { formatsFor } from '../../../renderer/locales/format.ts';
import nl from '../../../renderer/locales/nl.json';
import { shortReason } from '../../../renderer/model/day-state.ts';
import { type DayCheck, isOnlyOfOthers } from '../../../server/contract/days.ts';
import { NOTE_CODES, REASON_CODES, type ReasonCode } from '../../../server/contract/verdicts.ts';
import { dayWith } from './day.ts';

const words = i18next.createInstance();
await words.init({ lng: 'en', resources: { en, nl, de } });
const NOW = Date.parse('2026-11-22T12:00+01:00');
const formats = formatsFor('Europe/Amsterdam', words.getFixedT('en', 'format'), () => NOW);

const SENTENCES: Record<ReasonCode, string> = {
  not_over: 'This day has not ended yet.',
  on_the_way: '2 sales are waiting to be sent upstream.',
  earlier_on_the_way: '2 sales from the earlier interface are waiting to be sent upstream.',
  settling: 'All sales were sent. The upstream needs a few hours to show them.',
  not_seen_yet: '2 sales were sent, but the upstream does not show them yet.',
  to_be_checked: 'This day will be compared with the upstream.',
  late_records: '2 sales arrived after the last check.',
  sent_again: '2 sales were missing upstream and were sent again.',
  missing_upstream: '2 sales are here but not upstream.',
  held: '2 sales are held: the upstream rejected them.',
  set_aside: '2 sales were set aside and are not sent upstream.',
  earlier_held: '2 sales from the earlier interface are held: the upstream rejected them.',
  earlier_set_aside: '2 sales from the earlier interface were set aside and are not sent upstream.',
  missing_here: '2 sales are upstream but not here.',
  twice_upstream: '2 sales are upstream more than once.',
  other_upstream: 'The upstream has 2 sales with another type or time.',
  declared_more: '2 declared sales are not here.',
  declared_less: '2 sales here were not declared.',
  amount_more: 'The declared amount is €2.50 more than the sales here.',
  amount_less: 'The declared amount is €2.50 less than the sales here.',
  amount_filling: 'The amounts of older sales are still being read.',
  amount_unreadable: 'The amounts of 2 sales cannot be read.',
  amount_no_rule: 'No setting says where the amount stands in 2 sales.',
  amount_no_currency: 'The declared amount cannot be compared: either the declaration or the sales have no currency.',
  damaged_here: '2 sales are damaged on this disk.',
  no_upstream: 'No upstream is set, so this day cannot be compared.',
  earlier_no_upstream: '2 sales came through the earlier interface. No upstream is set for that interface.',
  upstream_silent: 'The upstream does not tell us which sales it has.',
  upstream_unreadable: 'The upstream’s answer is not readable.',
};

describe('a reason', () => {
  test.each(REASON_CODES)('%s has a sentence', (code) => {
    const reason = { code, count: 2, amounts: [{ currency: 'EUR', value: '2.50' }] };
    expect(reasonSentence(reason, words.getFixedT('en', 'reason'), formats)).toBe(SENTENCES[code]);
  });

  test.each(['en', 'nl', 'de'])('is a complete sentence in %s, for one sale and for several', (language) => {
    for (const code of REASON_CODES)
      for (const count of [1, 1234]) {
        const sentence = reasonSentence({ code, count }, words.getFixedT(language, 'reason'), formats);
        const short = shortReason({ reasons: [{ code, count }] }, words.getFixedT(language, 'reasonShort'), formats);
        expect([sentence, short].join(' '), code).not.toMatch(/\{\{|_one|_other|_/);
      }
  });
});

describe('a complete day', () => {
  const t = words.getFixedT('en', 'day');
  test.each([
    ['compared by count', dayWith(), 'All 412 sales of this day are here and upstream. Both totals are 412.'],
    [
      'compared by id',
      dayWith({ basis: 'ids' }),
      'All 412 sales of this day are here and upstream. Every id was compared.',
    ],
    ['with one sale', dayWith({ here: 1, upstream: 1 }), 'The 1 sale of this day is here and upstream.'],
    [
      'without an upstream, but as declared',
      dayWith({ basis: null, upstream: null, declared: 412 }),
      'All 412 declared sales of this day are here.',
    ],
    ['that was closed', dayWith({ here: 0, upstream: 0 }), 'No sales on this day.'],
    [
      'of the earlier interface alone',
      dayWith({ here: 12, upstream: 12, earlier: 12, earlierTaken: 12, basis: 'answers' }),
      'The upstream confirmed all 12 sales of this day.',
    ],
    [
      'of both interfaces, by count',
      dayWith({ here: 424, upstream: 424, earlier: 12, earlierTaken: 12 }),
      'All 424 sales of this day are here and upstream. The upstream counts 412 of them and confirmed the other 12 when they were sent.',
    ],
    [
      'of both interfaces, by id',
      dayWith({ here: 424, upstream: 424, earlier: 12, earlierTaken: 12, basis: 'ids' }),
      'All 424 sales of this day are here and upstream. 412 were compared by id. The upstream confirmed the other 12 when they were sent.',
    ],
  ])('%s', (_, day, sentence) => expect(completeSentence(day, t, formats)).toBe(sentence));
});

test.each(['en', 'nl', 'de'])('a note is a complete sentence in %s, for one sale and for several', (language) => {
  for (const code of NOTE_CODES)
    for (const count of [1, 1234])
      expect(noteSentence({ code, count }, words.getFixedT(language, 'day'), formats), code).not.toMatch(/\{\{|_/);
});

test('the hint about other senders appears only if nothing else differs', () => {
  expect(isOnlyOfOthers({ reasons: [{ code: 'missing_here', count: 2 }] })).toBe(true);
  expect(isOnlyOfOthers({ reasons: [{ code: 'missing_here' }, { code: 'missing_upstream' }] })).toBe(false);
  expect(isOnlyOfOthers({ reasons: [] })).toBe(false);
});

test('the most serious reason comes first, and the earliest time is the next check', () => {
  const reasons = [
    { code: 'missing_upstream', count: 2 },
    { code: 'not_over' },
    { code: 'late_records', count: 1, until: 2000 },
    { code: 'sent_again', count: 1, until: 1000 },
  ] as const;
  expect(shortReason({ reasons }, words.getFixedT('en', 'reasonShort'), formats)).toBe('2 missing upstream');
  expect(nextCheckAt({ reasons })).toBe(1000);
  expect(nextCheckAt({ reasons: [] })).toBeUndefined();
});

describe('a check', () => {
  const check: DayCheck = {
    id: 1,
    from: '2026-11-01',
    to: '2026-11-30',
    byIds: false,
    resend: false,
    actor: 'Mia',
    askedAt: 0,
    next: '2026-11-12',
    stalledAt: null,
    cause: null,
  };
  test.each<[name: string, some: Partial<DayCheck>, sentence: string]>([
    ['of a month', {}, 'Checking day 12 of 30 …'],
    ['by ids', { byIds: true }, 'Comparing every id: day 12 of 30 …'],
    ['of a day', { from: '2026-11-12', to: '2026-11-12' }, `Checking ${formats.date('2026-11-12')} …`],
    ['at its end', { next: '2026-12-01' }, 'Checking day 30 of 30 …'],
  ])('%s shows its progress', (_, some, sentence) =>
    expect(checkSentence({ ...check, ...some }, words.getFixedT('en', 'days'), formats)).toBe(sentence),
  );
});

describe('an outage', () => {
  const at = (time: string): number => Date.parse(`2026-11-22T${time}+01:00`);
  const outage = {
    state: 'line down',
    from: at('09:02'),
    to: at('11:47'),
    kept: 212,
    deliveredBy: at('11:51'),
  } as const;
  const t = words.getFixedT('en', 'day');
  test.each([
    [outage, `No connection ${formats.clock(outage.from)}–${formats.clock(outage.to)}: 212 sales stored; all sent by`],
    [{ ...outage, deliveredBy: null }, '212 sales stored; not all sent yet.'],
    [{ ...outage, to: null, kept: 0 }, `No connection since ${formats.clock(outage.from)}: no sales during this time.`],
    [{ ...outage, state: 'refused' as const, kept: 1 }, '1 sale stored;'],
  ])('%#', (each, sentence) => expect(outageSentence(each, t, formats)).toContain(sentence));
});
