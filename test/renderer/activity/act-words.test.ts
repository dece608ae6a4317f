// The log of acts in words: what is done about store days.

import i18next from 'i18next';
import { describe, expect, test } from 'vitest';

import { actWords } from '../../../renderer/activity/act-words.ts';
import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import { formatsFor } from '../../../renderer/locales/format.ts';
import nl from '../../../renderer/locales/nl.json';
import type { ActView } from '../../../server/contract/setup.ts';

const words = i18next.createInstance();
await words.init({ lng: 'en', resources: { en, nl, de }, interpolation: { escapeValue: false } });
const NOW = Date.parse('2026-11-22T12:00+01:00');
const formats = formatsFor('Europe/Amsterdam', words.getFixedT('en', 'format'), () => NOW);

const MISSING = '{"kind":"missing","verdictId":12}, delivered ones too';
const DECLARE = 'declare totals';
const SIGN = 'sign off day';
const TAKE_BACK = 'take back signature';
const SAID = [
  ['gateway', 'send again', `1 record: ${MISSING}`, 'The gateway sent 1 missing sale of Bakery upstream again.'],
  ['Mia', 'send again', `2 records: ${MISSING}`, 'You sent 2 missing sales of Bakery upstream again.'],
  ['Ann', DECLARE, '2026-11-04: 1412', 'Ann declared a total of 1,412 for Bakery on Wed, Nov 4.'],
  [
    'Ann',
    DECLARE,
    '2026-11-04: 412 (sale, Till 1)',
    'Ann declared a total of 412 for Bakery on Wed, Nov 4 (sale, Till 1).',
  ],
  ['Ann', DECLARE, '2026-11-04: taken back', 'Ann withdrew the declared total for Bakery on Wed, Nov 4.'],
  [
    'Ann',
    DECLARE,
    '2026-11-01 … 2026-11-30: 30 totals',
    'Ann declared 30 totals for Bakery: Sun, Nov 1 to Mon, Nov 30.',
  ],
  ['Ann', DECLARE, '2026-11-04: 3 totals', 'Ann declared 3 totals for Bakery: Wed, Nov 4.'],
  ['Mia', SIGN, '2026-11-04: Mia', 'You signed off Wed, Nov 4 of Bakery.'],
  ['Ann', SIGN, '2026-11-04: Ann, counted twice', 'Ann signed off Wed, Nov 4 of Bakery: “counted twice”'],
  ['console', SIGN, '2026-11-04: Ann', 'Someone at this computer signed off Wed, Nov 4 of Bakery: “Ann”'],
  ['Ann', TAKE_BACK, '2026-11-04: Ann, wrong', 'Ann withdrew the signature on Wed, Nov 4 of Bakery: “wrong”'],
] as const;

/** About nobody's store. */
const ENTRANCE = [
  ['console', 'sign in', 'link, from 127.0.0.1', 'Someone at this computer signed in with a link, from 127.0.0.1.'],
  ['Mia', 'sign in', 'password, from 192.0.2.1', 'You signed in with a password, from 192.0.2.1.'],
  ['Ann', 'sign out', '', 'Ann signed out.'],
  ['Ann', 'sign out everywhere', '', 'Ann signed out everywhere.'],
  ['Ann', 'change password', '', 'Ann set a new password.'],
  ['somebody', 'refuse sign-in', 'from 192.0.2.1', 'Sign-in failed: wrong name or password, from 192.0.2.1.'],
  ['somebody', 'refuse link', 'from fe80::1', 'Sign-in failed: the link was already used or expired, from fe80::1.'],
  [
    'Ann',
    'refuse call',
    '403 manager_required, POST /api/keys, from 192.0.2.1',
    'Ann was refused: POST /api/keys (403), from 192.0.2.1.',
  ],
] as const;

function viewOf(actor: string, act: string, detail: string): ActView {
  return { id: 1, at: NOW, actor, act, administration: 'Bakery', mode: 'production', interface: null, detail };
}

test.each([
  ['en', 'Ann changed the settings of Bakery: other senders from no to yes.'],
  ['nl', 'Ann: instellingen van Bakery gewijzigd: andere afzenders van nee naar ja.'],
  ['de', 'Ann: Einstellungen von Bakery geändert: andere Absender von nein auf ja.'],
])('a setting that is on or off is told as yes or no in %s', (language, said) => {
  const view = viewOf('Ann', 'change administration', 'othersSend: false → true');
  expect(actWords(view, 'Mia', words.getFixedT(language, 'activity'), formats)).toBe(said);
});

describe('what was done about a store day', () => {
  test.each(SAID)('%s, %s %s', (actor, act, detail, said) => {
    expect(actWords(viewOf(actor, act, detail), 'Mia', words.getFixedT('en', 'activity'), formats)).toBe(said);
  });

  test.each(['en', 'nl', 'de'])('is said whole in %s, without the words of the log', (language) => {
    for (const [actor, act, detail] of SAID) {
      const said = actWords(viewOf(actor, act, detail), 'Mia', words.getFixedT(language, 'activity'), formats);
      expect(said).toMatch(/Bakery/);
      expect(said).not.toMatch(
        /\{|_one|_other|Said|gateway sent again|declare totals|sign off day|take back signature/,
      );
    }
  });
});

describe('who came in and what was refused', () => {
  test.each(ENTRANCE)('%s, %s %s', (actor, act, detail, said) => {
    expect(actWords(viewOf(actor, act, detail), 'Mia', words.getFixedT('en', 'activity'), formats)).toBe(said);
  });

  test.each(['en', 'nl', 'de'])('is said whole in %s, with the address', (language) => {
    for (const [actor, act, detail] of ENTRANCE) {
      const said = actWords(viewOf(actor, act, detail), 'Mia', words.getFixedT(language, 'activity'), formats);
      expect(said).not.toMatch(/\{|sign in|refuse (call|link|sign-in)|somebody|manager_required/);
      expect(said).toContain(/(?<=from ).*/.exec(detail)?.[0] ?? '');
    }
  });
});
