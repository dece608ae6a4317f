// Examples of every kind of act, each with the name and detail that the log of acts stores for it.

import type { NotedAct } from '../../server/contract/acts.ts';
import { TASK_FACTS } from './task-facts.ts';

const KEY = { till: 'Till 1, key 3, for both', keyId: 7, interface: 'earlier' } as const;
const FROM = { address: 'fe80::1%eth0' } as const;
const DAY = { date: '2026-11-04' } as const;

type ActWithWords = readonly [act: NotedAct, name: string, detail: string];

/** Acts as the versions before schema 14 stored them. Never change these texts, because migration 14 reads them. */
const OLD_FORMS = [
  [{ kind: 'create administration' }, 'create administration', ''],
  [
    {
      kind: 'change administration',
      changes: [
        { member: 'name', before: 'Bar', after: 'Bar, mode: "x" → [y}' },
        { member: 'timeZone', before: null, after: 'Europe/Amsterdam' },
        { member: 'dayStartsAt', before: 0, after: 240 },
        { member: 'customer', before: null, after: { name: 'bakery', id: '42' } },
        { member: 'versions', before: ['v1'], after: ['v1', 'v2'] },
        { member: 'resources', before: [], after: [{ name: 'refund', idParameter: 'refundid' }] },
        { member: 'forwarded', before: ['NEW'], after: ['NEW', 'ERROR'] },
        { member: 'othersSend', before: false, after: true },
      ],
    },
    'change administration',
    'name: "Bar" → "Bar, mode: \\"x\\" → [y}", timeZone: null → "Europe/Amsterdam", dayStartsAt: 0 → 240, ' +
      'customer: null → {"name":"bakery","id":"42"}, versions: ["v1"] → ["v1","v2"], ' +
      'resources: [] → [{"name":"refund","idParameter":"refundid"}], forwarded: ["NEW"] → ["NEW","ERROR"], ' +
      'othersSend: false → true',
  ],
  [
    { kind: 'change administration', changes: [{ member: 'name', before: 'Bar', after: 'Bar, mode: x → y' }] },
    'change administration',
    'name: "Bar" → "Bar, mode: x → y"',
  ],
  [{ kind: 'create key', ...KEY }, 'create key', 'Till 1, key 3, for both, key 7, for earlier'],
  [{ kind: 'adopt key', ...KEY }, 'adopt key', 'Till 1, key 3, for both, key 7, for earlier'],
  [{ kind: 'revoke key', ...KEY, interface: 'both' }, 'revoke key', 'Till 1, key 3, for both, key 7, for both'],
  [
    {
      kind: 'rotate key',
      till: 'Till 1',
      keyId: 8,
      replacedId: 7,
      replacedUntil: Date.parse('2026-11-22T08:00:00.001Z'),
    },
    'rotate key',
    'Till 1, key 8, instead of key 7, which works until 2026-11-22T08:00:00.001Z',
  ],
  [{ kind: 'add user', name: 'Anna, the baker', role: 'clerk' }, 'add user', 'Anna, the baker, clerk'],
  [{ kind: 'remove user', name: 'Anna, the baker' }, 'remove user', 'Anna, the baker'],
  [{ kind: 'change password' }, 'change password', ''],
  [{ kind: 'sign in', by: 'link', address: '192.0.2.1' }, 'sign in', 'link, from 192.0.2.1'],
  [{ kind: 'sign in', by: 'password', ...FROM }, 'sign in', 'password, from fe80::1%eth0'],
  [{ kind: 'sign out' }, 'sign out', ''],
  [{ kind: 'sign out everywhere' }, 'sign out everywhere', ''],
  [{ kind: 'refuse sign-in', ...FROM }, 'refuse sign-in', 'from fe80::1%eth0'],
  [{ kind: 'refuse link', address: '' }, 'refuse link', 'from '],
  [
    { kind: 'refuse call', status: 403, code: 'manager_required', method: 'POST', path: '/s/…/x', ...FROM },
    'refuse call',
    '403 manager_required, POST /s/…/x, from fe80::1%eth0',
  ],
  [{ kind: 'pause' }, 'pause', ''],
  [{ kind: 'resume' }, 'resume', ''],
  [{ kind: 'try now' }, 'try now', ''],
  [{ kind: 'set upstream', url: 'https://a.example/v1' }, 'set upstream', 'https://a.example/v1'],
  [
    { kind: 'send again', records: { kind: 'one', recordId: 5 }, delivered: false, moved: 1, isOver: true },
    'send again',
    '1 record: {"kind":"one","recordId":5}',
  ],
  [
    { kind: 'send again', records: { kind: 'all' }, delivered: true, moved: 0, isOver: false },
    'send again',
    '0 records so far: {"kind":"all"}, delivered ones too',
  ],
  [
    { kind: 'send again', records: { kind: 'missing', verdictId: 12 }, delivered: true, moved: 2, isOver: true },
    'send again',
    '2 records: {"kind":"missing","verdictId":12}, delivered ones too',
  ],
  [
    {
      kind: 'send again',
      records: { kind: 'held at', version: 'v1', resource: 'transaction' },
      delivered: false,
      moved: 2,
      isOver: true,
    },
    'send again',
    '2 records: {"kind":"held at","version":"v1","resource":"transaction"}',
  ],
  [
    { kind: 'send again', records: { kind: 'some', recordIds: [1, 2] }, delivered: false, moved: null, isOver: true },
    'send again',
    '{"kind":"some","recordIds":[1,2]}',
  ],
  [
    { kind: 'set aside', records: { kind: 'held' }, reason: 'why {not}, , ', moved: 412, isOver: true },
    'set aside',
    '412 records: {"kind":"held"} why {not}, , ',
  ],
  [
    { kind: 'set aside', records: { kind: 'sold', from: -1, to: 2 }, reason: 'x', moved: null, isOver: true },
    'set aside',
    '{"kind":"sold","from":-1,"to":2} x',
  ],
  [{ kind: 'declare total', ...DAY, type: null, till: null, records: 412 }, 'declare totals', '2026-11-04: 412'],
  [
    { kind: 'declare total', ...DAY, type: 'sale, cash', till: 'Till 1 (left)', records: 0 },
    'declare totals',
    '2026-11-04: 0 (sale, cash, Till 1 (left))',
  ],
  [
    { kind: 'declare total', ...DAY, type: null, till: 'Till 1 (left)', records: null },
    'declare totals',
    '2026-11-04: taken back (Till 1 (left))',
  ],
  [
    { kind: 'import totals', from: '2026-11-01', to: '2026-11-30', totals: 30 },
    'declare totals',
    '2026-11-01 … 2026-11-30: 30 totals',
  ],
  [
    { kind: 'import totals', from: '2026-11-04', to: '2026-11-04', totals: 3 },
    'declare totals',
    '2026-11-04: 3 totals',
  ],
  [{ kind: 'sign off day', ...DAY, name: 'Ann', note: '' }, 'sign off day', '2026-11-04: Ann'],
  [
    { kind: 'sign off day', ...DAY, name: 'Ann, the baker', note: 'two, not one' },
    'sign off day',
    '2026-11-04: Ann, the baker, two, not one',
  ],
  [
    { kind: 'take back signature', ...DAY, name: 'Ann', note: 'wrong' },
    'take back signature',
    '2026-11-04: Ann, wrong',
  ],
] as const satisfies readonly ActWithWords[];
export const OLD_ACTS: readonly ActWithWords[] = OLD_FORMS;

/** Examples of all kinds of acts, old and new. Add examples of new kinds here. */
const FORMS = [
  ...OLD_FORMS,
  [{ kind: 'restore', madeAt: 1_760_000_000_000 }, 'restore', 'backup of 2025-10-09T08:53:20.000Z'],
  [{ kind: 'restore', madeAt: null }, 'restore', ''],
  [{ kind: 'confirm restore' }, 'confirm restore', ''],
  [{ kind: 'add read token', name: 'Head office, reports' }, 'add read token', 'Head office, reports'],
  [{ kind: 'remove read token', name: 'Head office, reports' }, 'remove read token', 'Head office, reports'],
  [
    {
      kind: 'change network',
      changes: [
        { member: 'isOpen', before: false, after: true },
        { member: 'interfaces', before: null, after: ['eth0', 'wlan0'] },
        { member: 'allowsPlainHttp', before: false, after: true },
        { member: 'isConsoleOpen', before: true, after: false },
        { member: 'isAnnounced', before: null, after: false },
      ],
    },
    'change network',
    'isOpen: false → true, interfaces: null → ["eth0","wlan0"], allowsPlainHttp: false → true, ' +
      'isConsoleOpen: true → false, isAnnounced: null → false',
  ],
  [{ kind: 'change role', name: 'Ann', before: 'clerk', after: 'manager' }, 'change role', 'Ann: clerk → manager'],
  [{ kind: 'reset password', name: 'Anna, the baker' }, 'reset password', 'Anna, the baker'],
  [{ kind: 'make authority', fingerprint: 'AA:BB' }, 'make authority', 'AA:BB'],
  [
    { kind: 'certify till', till: 'Till 3', passed: 8, failed: 1, skipped: 1 },
    'certify till',
    'Till 3: 8 passed, 1 failed, 1 skipped',
  ],
  [
    {
      kind: 'declare total',
      ...DAY,
      type: null,
      till: 'Till 1',
      records: 412,
      amounts: [
        { currency: 'EUR', value: '5210.35' },
        { currency: null, value: '-3' },
      ],
    },
    'declare totals',
    '2026-11-04: 412, 5210.35 EUR, -3 (Till 1)',
  ],
  [{ kind: 'add receiver', name: 'Mia', by: 'email' }, 'add receiver', 'Mia, by email'],
  [{ kind: 'change receiver', name: 'Mia', by: 'slack' }, 'change receiver', 'Mia, by slack'],
  [{ kind: 'remove receiver', name: 'Mia', by: 'webhook' }, 'remove receiver', 'Mia, by webhook'],
  [{ kind: 'set mail server', server: 'mail.example.org:587' }, 'set mail server', 'mail.example.org:587'],
  [{ kind: 'set mail server', server: null }, 'set mail server', 'removed'],
  ...TASK_FACTS.map(
    ([fact, said]) => [{ kind: 'reopen task', fact }, 'reopen task', said] as const satisfies ActWithWords,
  ),
  [
    { kind: 'mark task', as: 'not a problem', note: 'a test till', fact: { kind: 'clock_wrong' } },
    'mark task',
    'not a problem: The clock of this machine is wrong. a test till',
  ],
  [
    { kind: 'mark task', as: 'done', note: '', fact: { kind: 'clock_wrong' } },
    'mark task',
    'done: The clock of this machine is wrong.',
  ],
  [
    {
      kind: 'set amounts',
      type: 'sale',
      before: null,
      after: { type: 'sale', total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent' },
    },
    'set amounts',
    'sale: total /object/total, currency EUR, payment unknown, as sent',
  ],
  [
    {
      kind: 'set amounts',
      type: 'sale',
      before: { type: 'sale', total: '/object/total', currency: null, payment: '/object/paid', sign: 'negative' },
      after: null,
    },
    'set amounts',
    'sale: no amounts',
  ],
] as const satisfies readonly ActWithWords[];
/** All examples. A type error here means that a kind of act has no example. */
export const ACTS: NotedAct['kind'] extends (typeof FORMS)[number][0]['kind'] ? readonly ActWithWords[] : never = FORMS;
