// The headline of Today in every state.

import { expect, test } from 'vitest';

import { lowDiskOf, safetyOf, headlineOf, walDamageOf } from '../../../renderer/today/headline.ts';
import type { DeliveryState } from '../../../server/contract/codes.ts';
import type { LaneView } from '../../../server/contract/lanes.ts';
import type { OverviewView } from '../../../server/contract/overview.ts';

const NOW = Date.UTC(2026, 10, 21, 13);

const KEY_REFUSED = { code: 'key_refused', detail: '401' } as const;
const deliveries = (some: Partial<Record<DeliveryState, number>>): Record<DeliveryState, number> => ({
  waiting: 0,
  delivered: 0,
  held: 0,
  'set aside': 0,
  ...some,
});
const lane = (some: Partial<LaneView> = {}): LaneView => ({
  id: 1,
  journalId: 1,
  interface: 'current',
  url: 'https://upstream.test',
  state: 'running',
  cause: null,
  since: NOW - 60_000,
  perSecond: 0,
  deliveredAt: null,
  oldestWaitingAt: null,
  deliveries: deliveries({}),
  ...some,
});
const WRONG = { code: 'before_build', now: 0, earliest: NOW } as const;
const DAMAGED = { count: 2, foundAt: NOW, lastFoundAt: NOW, recordIds: [7, 8] } as const;
const LOW = { freeBytes: 9e8, totalBytes: 1e11, daysLeft: 12, isLow: true } as const;
const overview = (some: Partial<OverviewView> = {}): OverviewView => ({
  now: NOW,
  day: { date: '2026-11-21', from: 0, to: 86_400 },
  records: { NEW: 412, IGNORED: 5, ERROR: 1 },
  amounts: [],
  deliveries: deliveries({ delivered: 409, waiting: 3 }),
  total: deliveries({ delivered: 9000, waiting: 3 }),
  lastRecord: { receivedAt: NOW, soldAt: NOW / 1000, till: 'Till 2' },
  quarters: [],
  tills: [],
  lanes: [],
  outages: [],
  trouble: null,
  onlyHere: 0,
  machine: { disk: null, clock: null, walDamage: null, damaged: null, indexFault: null },
  ...some,
});

test.each<[name: string, overview: OverviewView, lane: LaneView | undefined, expected: object]>([
  ['some sales are on their way', overview(), lane(), { kind: 'onTheirWay', sales: 412, delivered: 409, waiting: 3 }],
  [
    'all sales are upstream except one that is held',
    overview({ deliveries: deliveries({ delivered: 411, held: 1 }) }),
    lane(),
    { kind: 'someUpstream', sales: 412, delivered: 411 },
  ],
  [
    'records are damaged, whatever the line does',
    overview({ machine: { disk: null, clock: null, walDamage: null, damaged: DAMAGED, indexFault: null } }),
    lane({ state: 'line down' }),
    { kind: 'damaged', records: 2 },
  ],
  ['no sale yet today', overview({ records: { NEW: 0, IGNORED: 0, ERROR: 0 } }), lane(), { kind: 'none' }],
  ['no sale at all', overview({ lastRecord: null }), lane(), { kind: 'first' }],
  [
    'no upstream is set',
    overview({ deliveries: deliveries({ waiting: 412 }) }),
    lane({ url: null, state: 'paused' }),
    { kind: 'noUpstream', sales: 412 },
  ],
  [
    'some sales have no upstream',
    overview(),
    lane({ url: null, state: 'paused' }),
    { kind: 'someWithoutUpstream', sales: 412, delivered: 409 },
  ],
  ['the line is down', overview(), lane({ state: 'line down' }), { kind: 'lineDown', waiting: 3, since: NOW - 60_000 }],
  [
    'the upstream refuses us',
    overview(),
    lane({ state: 'refused', cause: KEY_REFUSED }),
    { kind: 'refusedUs', cause: KEY_REFUSED },
  ],
  ['a person paused the lane', overview(), lane({ state: 'paused' }), { kind: 'paused' }],
  [
    'the disk is full, whatever the line does',
    overview({ trouble: { code: 'store_full', hint: 'Free some space.', since: NOW } }),
    lane({ state: 'line down' }),
    { kind: 'trouble', code: 'store_full' },
  ],
  [
    'the clock of the machine is wrong, whatever the line does',
    overview({
      machine: { disk: null, clock: WRONG, walDamage: null, damaged: null, indexFault: null },
      lastRecord: null,
    }),
    lane({ state: 'line down' }),
    { kind: 'clock', fault: WRONG },
  ],
])('%s', (_name, today, worst, expected) => {
  expect(headlineOf(today, worst)).toMatchObject(expected);
});

test('a nearly full disk is shown beside every headline', () => {
  expect(
    lowDiskOf(overview({ machine: { disk: LOW, clock: null, walDamage: null, damaged: null, indexFault: null } })),
  ).toEqual(LOW);
  expect(
    lowDiskOf(
      overview({
        machine: { disk: { ...LOW, isLow: false }, clock: null, walDamage: null, damaged: null, indexFault: null },
      }),
    ),
  ).toBeUndefined();
  expect(lowDiskOf(overview())).toBeUndefined();
});

test('it is safe to switch off if no sale waits; otherwise soon, or waiting sales continue after the restart', () => {
  expect(safetyOf(overview({ total: deliveries({ delivered: 9 }) }))).toEqual({ kind: 'now' });
  expect(safetyOf(overview({ lanes: [lane({ perSecond: 2 })] }))).toEqual({ kind: 'soon', ms: 1500 });
  const machine = { disk: null, clock: null, walDamage: null, damaged: DAMAGED, indexFault: null };
  expect(safetyOf(overview({ machine }))).toBeUndefined();
  const old = { ...machine, damaged: { ...DAMAGED, foundAt: NOW - 8 * 86_400_000 } };
  expect(safetyOf(overview({ machine: old, total: deliveries({ delivered: 9 }) }))).toEqual({ kind: 'now' });
  expect(safetyOf(overview({ lanes: [lane({ perSecond: 2, state: 'line down' })] }))).toEqual({ kind: 'kept' });
});

test.each([
  ['repaired', 0, { kind: 'repaired', tone: 'differs' }],
  ['salvaged', 0, { kind: 'salvagedAll', tone: 'differs' }],
  ['salvaged', 3, { kind: 'salvaged', tone: 'bad', missing: 3 }],
  ['salvaged', null, { kind: 'salvagedSome', tone: 'bad' }],
  ['lost', null, { kind: 'lost', tone: 'bad' }],
  ['cut_off', null, { kind: 'cut_off', tone: 'differs' }],
] as const)('a damaged log is reported as %s with %s missing sales', (kind, missingRecords, expected) => {
  const walDamage = { kind, missingRecords, foundAt: NOW, folder: 'damaged-log-20261121-130000' };
  const machine = { disk: null, clock: null, walDamage, damaged: null, indexFault: null };
  expect(walDamageOf(overview({ machine }))).toMatchObject({ ...expected, foundAt: NOW, folder: walDamage.folder });
  expect(walDamageOf(overview())).toBeUndefined();
});
