// Notifications for users who do not look at the window. Each is shown once.

import { describe, expect, test } from 'vitest';

import { listNotices, type Notice, openNotices, type Seen } from '../../electron/notices.ts';
import { wordsOf } from '../../electron/words.ts';
import type { DaySummary } from '../../server/contract/days.ts';
import type { LaneView } from '../../server/contract/lanes.ts';
import type { OverviewView } from '../../server/contract/overview.ts';
import { always } from '../../server/store-day.ts';

const NOW = Date.parse('2026-11-20T12:00Z');
const MINUTE = 60_000;
const DOWN: Partial<LaneView> = {
  id: 1,
  url: 'https://up.example',
  state: 'line down',
  since: NOW - 31 * MINUTE,
  deliveries: { waiting: 2, delivered: 0, held: 0, 'set aside': 0 },
};
const DIFFERS: Partial<DaySummary> = { date: '2026-11-19', verdict: 'differs', isProvisional: false, signOff: null };
const SIGNED = { at: NOW, actor: 'Ann', name: 'Ann', note: '', isReopened: false } as const;
const SILENCE = { since: NOW - 90 * MINUTE, sureness: 'almost certain' } as const;

const LOW = {
  disk: { freeBytes: 9e8, totalBytes: 1e11, daysLeft: null, isLow: true },
  clock: null,
  walDamage: null,
  damaged: null,
  indexFault: null,
};
const WRONG = {
  disk: null,
  clock: { code: 'before_build', now: 0, earliest: NOW },
  walDamage: null,
  damaged: null,
  indexFault: null,
} as const;

const DAMAGED = {
  ...WRONG,
  clock: null,
  damaged: { count: 1, foundAt: NOW, lastFoundAt: NOW, recordIds: [7] },
} as const;

interface Some {
  readonly administrations?: readonly string[];
  readonly lane?: Partial<LaneView>;
  readonly day?: Partial<DaySummary>;
  readonly silence?: OverviewView['tills'][number]['silence'];
  readonly trouble?: OverviewView['trouble'];
  readonly machine?: OverviewView['machine'];
  readonly update?: string;
}

/** What the app sees of a shop with one store and one till. `some` replaces members. */
function see({
  administrations = ['Bakery'],
  lane,
  day,
  silence = null,
  trouble = null,
  machine = { disk: null, clock: null, walDamage: null, damaged: null, indexFault: null },
  update,
}: Some): Seen {
  const shop = administrations.map((administration, i) => ({
    journal: {
      id: i + 1,
      administration,
      mode: 'production',
      timeZone: 'Europe/Amsterdam',
      dayRules: always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 0 }),
      hasRecords: true,
    },
    overview: {
      lanes: lane === undefined ? [] : [lane],
      tills: [{ id: 1, label: 'Till 1', silence }],
      trouble,
      machine,
    },
    days: day === undefined ? [] : [day],
  }));
  return { shop: shop as unknown as Seen['shop'], update, now: NOW };
}

const noticesOf = (some: Some, locale = 'en-GB'): Notice[] => [
  ...listNotices(see(some), wordsOf(locale), locale).values(),
];
const tellOf = (some: Some, locale?: string): string[] => noticesOf(some, locale).map(({ text }) => text);

describe('a notification is due for:', () => {
  test.each<[what: string, some: Some, text: string]>([
    [
      'a line that has been down for long',
      { lane: DOWN },
      'The connection has been down since 12:29. 2 sales are stored here; nothing is lost.',
    ],
    [
      'a line that is down while no record waits',
      { lane: { ...DOWN, deliveries: { ...DOWN.deliveries!, waiting: 0 } } },
      'The connection has been down since 12:29. No sale is waiting here.',
    ],
    [
      'a line that has been down since another day',
      { lane: { ...DOWN, since: NOW - 24 * 60 * MINUTE } },
      'The connection has been down since 19/11/2026, 13:00. 2 sales are stored here; nothing is lost.',
    ],
    [
      'an upstream that refuses everything',
      { lane: { ...DOWN, state: 'refused' } },
      'The upstream has been refusing sales since 12:29. 2 sales are stored safely here. See Upstream.',
    ],
    ['a day that differs', { day: DIFFERS }, 'Thursday 19 November is not complete. See Days.'],
    [
      'a day that changed after it was signed off',
      { day: { ...DIFFERS, signOff: { ...SIGNED, isReopened: true } } },
      'Thursday 19 November is not complete. See Days.',
    ],
    ['a silent till', { silence: SILENCE }, 'Till 1 has almost certainly stopped sending. See Today.'],
    ['a nearly full disk', { machine: LOW }, 'The disk is nearly full. Tills can still sell. Free some space today.'],
    [
      'a large disk that lasts 30 days',
      { machine: { ...LOW, disk: { ...LOW.disk, freeBytes: 9e10, totalBytes: 1e12, daysLeft: 30 } } },
      'The disk is nearly full. Tills can still sell. Free some space today.',
    ],
    ['a wrong clock', { machine: WRONG }, 'The clock of this computer is wrong. Set the clock. Tills can still sell.'],
    ['damaged records', { machine: DAMAGED }, 'Stored records on this disk are damaged. See Today.'],
    [
      'a newer version that waits for the user',
      { update: '1.1.0' },
      'Version 1.1.0 is available. Install it from the menu of the Counterfoil icon.',
    ],
    [
      'a store that accepts nothing',
      { trouble: { code: 'store_full' } as OverviewView['trouble'] },
      'The gateway accepts no sales. Every confirmed sale is safe. See Today.',
    ],
  ])('%s', (_, some, text) => {
    expect(tellOf(some)).toEqual([text]);
  });

  test('names the store if there are several, in the language of the system', () => {
    const some = { administrations: ['Bakery', 'Kiosk'], day: DIFFERS };
    expect(tellOf(some, 'nl-NL')).toEqual([
      'Bakery: donderdag 19 november is niet compleet. Zie Dagen.',
      'Kiosk: donderdag 19 november is niet compleet. Zie Dagen.',
    ]);
  });
});

test.each<[what: string, some: Some, path: string]>([
  ['a line that has been down for long', { lane: DOWN }, '/upstream?journal=1'],
  ['an upstream that refuses everything', { lane: { ...DOWN, state: 'refused' } }, '/upstream?journal=1'],
  ['a day that differs', { day: DIFFERS }, '/days/2026-11-19?journal=1'],
  ['a silent till', { silence: SILENCE }, '/?journal=1'],
  ['a nearly full disk', { machine: LOW }, '/'],
  ['a wrong clock', { machine: WRONG }, '/'],
  ['damaged records', { machine: DAMAGED }, '/'],
])('a click on the notification of %s opens its screen', (_, some, path) => {
  expect(noticesOf(some).map((notice) => notice.path)).toEqual([path]);
});

describe('no notification is due for:', () => {
  test.each<[what: string, some: Some]>([
    ['a line that has been down for a short time', { lane: { ...DOWN, since: NOW - 29 * MINUTE } }],
    ['a paused lane', { lane: { ...DOWN, state: 'paused' } }],
    ['a lane without an upstream', { lane: { ...DOWN, url: null } }],
    ['a day that may still differ', { day: { ...DIFFERS, isProvisional: true } }],
    ['a day that was signed off with its difference', { day: { ...DIFFERS, signOff: SIGNED } }],
    ['a day that waits', { day: { ...DIFFERS, verdict: 'waiting' } }],
    [
      'a nearly full disk with plenty of space',
      { machine: { ...LOW, disk: { ...LOW.disk, freeBytes: 1e10, totalBytes: 1.1e11, daysLeft: 31 } } },
    ],
    ['a till that may be silent', { silence: { ...SILENCE, sureness: 'likely' } }],
  ])('%s', (_, some) => {
    expect(tellOf(some)).toEqual([]);
  });
});

test('a state that stays is notified once, and again after it ended and came back', () => {
  const told: string[] = [];
  const tell = openNotices(({ text }) => void told.push(text));
  const look = (some: Some): void => tell(listNotices(see(some), wordsOf('en'), 'en'));
  look({ lane: DOWN });
  look({ lane: { ...DOWN, deliveries: { waiting: 3, delivered: 0, held: 0, 'set aside': 0 } } });
  expect(told).toHaveLength(1);
  look({});
  look({ lane: { ...DOWN, since: NOW - 40 * MINUTE } });
  expect(told).toHaveLength(2);
});
