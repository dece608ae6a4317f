// The sentences for the entries in the log of acts.

import i18next from 'i18next';
import { describe, expect, test } from 'vitest';

import { actWords, recordOf } from '../../../renderer/activity/act-words.ts';
import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import { formatsFor } from '../../../renderer/locales/format.ts';
import nl from '../../../renderer/locales/nl.json';
import type { ActEntry, NotedAct, NotedRecords, SettingChange } from '../../../server/contract/acts.ts';
import { taskWords } from '../../../server/contract/task-words.ts';
import type { TaskFact } from '../../../server/contract/todo.ts';

const words = i18next.createInstance();
await words.init({ lng: 'en', resources: { en, nl, de }, interpolation: { escapeValue: false } });
const NOW = Date.parse('2026-11-22T12:00+01:00');
const dates = formatsFor('Europe/Amsterdam', words.getFixedT('en', 'format'), () => NOW);
const formats = { ...dates, task: (fact: TaskFact) => taskWords(fact, 'en', dates).what };

const MISSING = { kind: 'missing', verdictId: 12 } as const;
const SENT_AGAIN = { kind: 'send again', records: MISSING, delivered: true, isOver: true } as const;
const TOTAL = { kind: 'declare total', date: '2026-11-04', type: null, till: null, records: null } as const;
const TOTALS = { kind: 'import totals', from: '2026-11-04', to: '2026-11-04', totals: 3 } as const;
const SIGNED = { kind: 'sign off day', date: '2026-11-04', name: 'Ann', note: '' } as const;

const DAY_ACTS: readonly (readonly [actor: string, act: NotedAct, said: string])[] = [
  [
    'gateway',
    { ...SENT_AGAIN, moved: 1 },
    'The gateway sent 1 sale of Bakery again, because the upstream did not have it.',
  ],
  ['Mia', { ...SENT_AGAIN, moved: 2 }, 'You sent 2 sales of Bakery again, because the upstream did not have them.'],
  ['Ann', { ...TOTAL, records: 1412 }, 'Ann declared a total of 1,412 for Bakery on Wed, Nov 4.'],
  [
    'Ann',
    { ...TOTAL, records: 412, type: 'sale', till: 'Till 1' },
    'Ann declared a total of 412 for Bakery on Wed, Nov 4 (sale, Till 1).',
  ],
  [
    'Ann',
    { ...TOTAL, records: 412, amounts: [{ currency: 'EUR', value: '5210.35' }] },
    'Ann declared a total of 412 (€5,210.35) for Bakery on Wed, Nov 4.',
  ],
  ['Ann', TOTAL, 'Ann withdrew the declared total for Bakery on Wed, Nov 4.'],
  [
    'Ann',
    { ...TOTALS, from: '2026-11-01', to: '2026-11-30', totals: 30 },
    'Ann declared 30 totals for Bakery: Sun, Nov 1 to Mon, Nov 30.',
  ],
  ['Ann', TOTALS, 'Ann declared 3 totals for Bakery: Wed, Nov 4.'],
  ['Mia', { ...SIGNED, name: 'Mia' }, 'You signed off Wed, Nov 4 of Bakery.'],
  ['Ann', { ...SIGNED, note: 'counted twice' }, 'Ann signed off Wed, Nov 4 of Bakery: “counted twice”'],
  ['console', SIGNED, 'Someone without a name signed off Wed, Nov 4 of Bakery: “Ann”'],
  ['Mia', { ...SIGNED, note: 'counted' }, 'You signed off Wed, Nov 4 of Bakery: “Ann, counted”'],
  [
    'Ann',
    { ...SIGNED, kind: 'take back signature', note: 'wrong' },
    'Ann withdrew the signature on Wed, Nov 4 of Bakery: “wrong”',
  ],
];

const CLOCK = { kind: 'clock_wrong' } as const;
const FROM = { address: '192.0.2.1' } as const;
/** Acts without an administration. */
const ENTRANCE_ACTS: readonly (readonly [actor: string, act: NotedAct, said: string])[] = [
  [
    'console',
    { kind: 'sign in', by: 'link', ...FROM },
    'Someone without a name signed in with a link, from 192.0.2.1.',
  ],
  ['Mia', { kind: 'sign in', by: 'password', ...FROM }, 'You signed in with a password, from 192.0.2.1.'],
  [
    'Ann',
    { kind: 'mark task', as: 'done', note: '', fact: CLOCK },
    'Ann marked a task as done: The clock of this machine is wrong.',
  ],
  [
    'Ann',
    { kind: 'mark task', as: 'done', note: 'set', fact: CLOCK },
    'Ann marked a task as done: The clock of this machine is wrong. “set”',
  ],
  [
    'Mia',
    { kind: 'mark task', as: 'not a problem', note: 'test', fact: CLOCK },
    'You marked a task as not a problem: The clock of this machine is wrong. “test”',
  ],
  ['Ann', { kind: 'reopen task', fact: CLOCK }, 'Ann reopened a task: The clock of this machine is wrong.'],
  ['Ann', { kind: 'add receiver', name: 'Ben', by: 'email' }, 'Ann added Ben as a receiver of alerts.'],
  ['Ann', { kind: 'change receiver', name: 'Ben', by: 'email' }, 'Ann changed the alerts of Ben.'],
  ['Ann', { kind: 'remove receiver', name: 'Ben', by: 'email' }, 'Ann removed Ben as a receiver of alerts.'],
  ['Ann', { kind: 'set mail server', server: 'mail:25' }, 'Ann set the mail server to mail:25.'],
  ['Ann', { kind: 'set mail server', server: null }, 'Ann removed the mail server.'],
  ['Ann', { kind: 'sign out' }, 'Ann signed out.'],
  ['Ann', { kind: 'sign out everywhere' }, 'Ann signed out everywhere.'],
  ['Ann', { kind: 'change password' }, 'Ann set a new password.'],
  ['Mia', { kind: 'reset password', name: 'Ann' }, 'You reset the password of Ann.'],
  ['Mia', { kind: 'change role', name: 'Ann', before: 'clerk', after: 'manager' }, 'You made the user Ann a manager.'],
  ['somebody', { kind: 'refuse sign-in', ...FROM }, 'Sign-in from 192.0.2.1 failed: wrong name or password.'],
  [
    'somebody',
    { kind: 'refuse link', ...FROM },
    'Sign-in from 192.0.2.1 failed: the link was already used or has expired.',
  ],
  [
    'Ann',
    { kind: 'refuse call', status: 403, code: 'manager_required', method: 'POST', path: '/api/keys', ...FROM },
    'Ann sent a request from 192.0.2.1 that was refused: POST /api/keys (403).',
  ],
];

const RECORDS = { moved: 2, isOver: true, delivered: false } as const;
const KEY = { till: 'Till 1, by the door', keyId: 7, interface: 'both' } as const;
const OTHER_ACTS: readonly (readonly [act: ActEntry['act'], said: string])[] = [
  [{ kind: 'pause' }, 'Ann paused forwarding for Bakery.'],
  [{ kind: 'resume' }, 'Ann resumed forwarding for Bakery.'],
  [{ kind: 'try now' }, 'Ann tried the upstream connection of Bakery.'],
  [{ kind: 'create administration' }, 'Ann created the store Bakery.'],
  [{ kind: 'set upstream', url: 'https://a.example' }, 'Ann set the upstream of Bakery to https://a.example.'],
  [{ kind: 'create key', ...KEY }, 'Ann created key 7 for Till 1, by the door of Bakery.'],
  [{ kind: 'adopt key', ...KEY }, 'Ann added the existing key 7 of Till 1, by the door of Bakery.'],
  [{ kind: 'revoke key', ...KEY }, 'Ann revoked key 7 of Till 1, by the door of Bakery.'],
  [
    { kind: 'rotate key', till: 'Till 1', keyId: 8, replacedId: 7, replacedUntil: NOW },
    'Ann replaced key 7 of Till 1 of Bakery with key 8.',
  ],
  [{ kind: 'add user', name: 'Ben', role: 'clerk' }, 'Ann added the user Ben.'],
  [{ kind: 'remove user', name: 'Ben' }, 'Ann removed the user Ben.'],
  [{ kind: 'add read token', name: 'Reports' }, 'Ann made a read token for Reports.'],
  [{ kind: 'remove read token', name: 'Reports' }, 'Ann removed the read token of Reports.'],
  [{ kind: 'send again', records: { kind: 'one', recordId: 5 }, ...RECORDS }, 'Ann sent record 5 of Bakery again.'],
  [{ kind: 'send again', records: { kind: 'some', recordIds: [9] }, ...RECORDS }, 'Ann sent record 9 of Bakery again.'],
  [
    { kind: 'send again', records: { kind: 'some', recordIds: [1, 2] }, ...RECORDS },
    'Ann sent 2 records of Bakery again.',
  ],
  [
    { kind: 'send again', records: { kind: 'held at', version: 'v1', resource: 'transaction' }, ...RECORDS },
    'Ann sent the held records of /v1/transaction of Bakery again.',
  ],
  [
    { kind: 'send again', records: { kind: 'all' }, ...RECORDS },
    'Ann sent all held and set-aside records of Bakery again.',
  ],
  [
    { kind: 'set aside', records: { kind: 'all' }, reason: 'a {strange} reason', moved: 2, isOver: true },
    'Ann set aside all held records of Bakery: “a {strange} reason”',
  ],
  [
    { kind: 'send again', records: { kind: 'all' }, ...RECORDS, moved: 1200, isOver: false },
    'Ann started to send all held and set-aside records of Bakery again: 1,200 sent.',
  ],
  [
    { kind: 'send again', records: MISSING, ...RECORDS, delivered: true, moved: 0, isOver: false },
    'Ann started to send missing sales of Bakery again: 0 sent.',
  ],
  [
    { kind: 'set aside', records: { kind: 'held' }, reason: 'ours', moved: 2, isOver: false },
    'Ann started to set aside all held records of Bakery: “ours” (2 done)',
  ],
  [
    { kind: 'send again', records: { kind: 'some', recordIds: [1, 2] }, ...RECORDS, delivered: true },
    'Ann sent 2 records (including delivered ones) of Bakery again.',
  ],
  [
    { kind: 'send again', records: { kind: 'one', recordId: 5 }, ...RECORDS, delivered: true },
    'Ann sent record 5 of Bakery again.',
  ],
  [{ kind: 'unknown', name: 'count the drawers', text: 'by hand' }, 'Ann: count the drawers, Bakery by hand'],
];

const CHANGES: readonly (readonly [change: SettingChange, said: string])[] = [
  [{ member: 'name', before: 'Bar', after: 'Bar, mode: x → y' }, 'name from Bar to Bar, mode: x → y'],
  [{ member: 'timeZone', before: null, after: 'Europe/Amsterdam' }, 'time zone from nothing to Europe/Amsterdam'],
  [{ member: 'dayStartsAt', before: 0, after: 255 }, 'start of the day from 00:00 to 04:15'],
  [
    { member: 'customer', before: null, after: { name: 'bakery', id: '1207' } },
    'address of the earlier interface from nothing to name: bakery, id: 1207',
  ],
  [{ member: 'forwarded', before: ['NEW'], after: ['NEW', 'ERROR'] }, 'forwarded records from NEW to NEW, ERROR'],
  [
    { member: 'resources', before: [], after: [{ name: 'refund', idParameter: 'refundid' }] },
    'resources from nothing to name: refund, idParameter: refundid',
  ],
];

function logged(actor: string, act: ActEntry['act']): ActEntry {
  return { id: 1, at: NOW, actor, administration: 'Bakery', mode: 'production', interface: null, act };
}
function tell(actor: string, act: ActEntry['act'], language = 'en'): string {
  return actWords(logged(actor, act), 'Mia', words.getFixedT(language, ['activity', 'people']), formats);
}

test.each([
  ['en', 'Ann changed the settings of Bakery: other senders from no to yes.'],
  ['nl', 'Ann: instellingen van Bakery gewijzigd: andere afzenders van nee naar ja.'],
  ['de', 'Ann: Einstellungen von Bakery geändert: andere Absender von nein auf ja.'],
])('a boolean setting is shown as yes or no in %s', (language, said) => {
  const changes: SettingChange[] = [{ member: 'othersSend', before: false, after: true }];
  expect(tell('Ann', { kind: 'change administration', changes }, language)).toBe(said);
});

test.each([
  ['nl', 'Ann: begonnen alle vastgehouden bonnen (ook doorgestuurde) van Bakery opnieuw te sturen: 2 gestuurd.'],
  ['de', 'Ann: begonnen, alle zurückgehaltenen Belege (auch weitergeleitete) von Bakery erneut zu senden: 2 gesendet.'],
])('an unfinished act is shown with its number of finished records in %s', (language, said) => {
  const act = { kind: 'send again', records: { kind: 'held' }, delivered: true, moved: 2, isOver: false } as const;
  expect(tell('Ann', act, language)).toBe(said);
});

test.each(CHANGES)('the change %j is shown unchanged', (change, said) => {
  const act = { kind: 'change administration', changes: [change] } as const;
  expect(tell('Ann', act)).toBe(`Ann changed the settings of Bakery: ${said}.`);
});

test.each(OTHER_ACTS)('%j', (act, said) => {
  expect(tell('Ann', act)).toBe(said);
});

test('an act on one record has a link to it, an act on several has none', () => {
  const of = (records: NotedRecords) => recordOf({ kind: 'send again', records, ...RECORDS });
  expect(of({ kind: 'one', recordId: 5 })).toBe(5);
  expect(of({ kind: 'some', recordIds: [9] })).toBe(9);
  expect(of({ kind: 'some', recordIds: [1, 2] })).toBeUndefined();
  expect(of({ kind: 'all' })).toBeUndefined();
  expect(recordOf({ kind: 'pause' })).toBeUndefined();
});

describe('an act on a store day', () => {
  test.each(DAY_ACTS)('%s, %j', (actor, act, said) => {
    expect(tell(actor, act)).toBe(said);
  });

  test.each(['en', 'nl', 'de'])('has a complete sentence in %s, without the words of the log', (language) => {
    for (const [actor, act] of DAY_ACTS) {
      const said = tell(actor, act, language);
      expect(said).toMatch(/Bakery/);
      expect(said).not.toMatch(/\{|_one|_other|Said|gateway sent again|import totals|sign off day|take back signature/);
    }
  });
});

describe('a sign-in and a refusal', () => {
  test.each(ENTRANCE_ACTS)('%s, %j', (actor, act, said) => {
    expect(tell(actor, act)).toBe(said);
  });

  test.each(['en', 'nl', 'de'])('has a complete sentence in %s, with the address', (language) => {
    for (const [actor, act] of ENTRANCE_ACTS) {
      const said = tell(actor, act, language);
      expect(said).not.toMatch(/\{|sign in|refuse (call|link|sign-in)|somebody|manager_required/);
      if ('address' in act) expect(said).toContain(act.address);
    }
  });
});
