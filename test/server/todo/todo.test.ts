// The to-do list of a gateway, on a real store.

import { describe, expect, test } from 'vitest';

import { causeOf } from '../../../server/cause.ts';
import type { Interface } from '../../../server/contract/codes.ts';
import type { DaySummary } from '../../../server/contract/days.ts';
import type { GapsView } from '../../../server/contract/gaps.ts';
import type { HealthView } from '../../../server/contract/machine.ts';
import type { Silence } from '../../../server/contract/overview.ts';
import type { TaskKind } from '../../../server/contract/todo.ts';
import { type Days, openDays } from '../../../server/reconcile/days.ts';
import type { LaneStatus } from '../../../server/store/outbox/ledger.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';
import type { Store } from '../../../server/store/store.ts';
import { laneFacts } from '../../../server/todo/facts.ts';
import { openTodo, type Todo } from '../../../server/todo/todo.ts';
import { arrivalOf, makeKey, openTemporaryStore, refusalOf } from '../../support/temp-store.ts';
import { DAY, startVirtualTime } from '../../support/virtual-time.ts';
import { waitUntil } from '../../support/wait-until.ts';

const WELL: HealthView = {
  trouble: null,
  unwrittenRefusals: 0,
  machine: { disk: null, clock: null, walDamage: null, damaged: null, indexFault: null },
};
const NOW = Date.parse('2026-11-20T10:00Z');
const SOLD_AT = NOW / 1000 - 3 * 86_400;

/** A day on which one sale is missing upstream. */
const DIFFERS: DaySummary = {
  date: '2026-11-17',
  from: SOLD_AT,
  to: SOLD_AT + 86_400,
  verdict: 'differs',
  isProvisional: false,
  reasons: [{ code: 'missing_upstream', count: 1 }],
  notes: [],
  basis: 'ids',
  here: 2,
  amounts: [],
  earlier: 0,
  earlierTaken: 0,
  upstream: 1,
  checkedAt: NOW,
  passedAt: NOW,
  declared: null,
  declaredAmounts: [],
  signedFor: 'the same facts',
  signOff: null,
};

interface Site {
  readonly store: Store;
  readonly key: Key;
  readonly todo: Todo;
  readonly faults: unknown[];
  /** The health that the list reads. */
  health: HealthView;
  pass(ms: number): void;
  /** Reads the facts again and lists the tasks of a kind. */
  list(kind: TaskKind): ReturnType<Todo['list']>;
  mark(kind: TaskKind): Promise<void>;
}

/**
 * Opens a to-do list on a real store. `change` replaces parts of the store that the list reads. `search` replaces the search
 * of a day for skipped numbers.
 */
async function openSite(
  change: (store: Store) => Partial<Store> = () => ({}),
  days?: readonly DaySummary[],
  search?: Days['listGaps'],
): Promise<Site> {
  const clock = startVirtualTime(NOW);
  const real = await openTemporaryStore({ now: clock.now });
  const key = await makeKey(real);
  await real.setup.changeAdministration('Bakery', { timeZone: 'UTC' }, 'test');
  const store: Store = { ...real, ...change(real) };
  const faults: unknown[] = [];
  const realDays = openDays({ store, clock });
  const site: Site = {
    store: real,
    key,
    faults,
    health: WELL,
    pass: (ms) => clock.jump(ms),
    async list(kind) {
      clock.jump(5000);
      return (await site.todo.list(key.journalId)).filter(({ fact }) => fact.kind === kind);
    },
    async mark(kind) {
      const tasks = await site.list(kind);
      expect(await site.todo.mark({ tasks, kind: 'not a problem', note: 'known' }, 'Ann')).toBe('marked');
      expect((await site.list(kind)).map(({ isOpen }) => isOpen)).toEqual(tasks.map(() => false));
    },
    todo: openTodo({
      store,
      days: {
        ...realDays,
        listGaps: search ?? realDays.listGaps,
        async list(...args) {
          const view = await realDays.list(...args);
          return days === undefined || view === undefined ? view : { ...view, days };
        },
      },
      clock,
      health: () => site.health,
      network: () => ({ certificate: null, authority: null }),
      onRead: () => {},
      onFault: (error) => void faults.push(error),
    }),
  };
  return site;
}

async function sell({ store, key }: Pick<Site, 'store' | 'key'>, externalId: string, total: number): Promise<void> {
  await store.records.append(arrivalOf(key, { externalId, soldAt: SOLD_AT, object: { total }, receivedAt: NOW }));
}

test('conflicts of any age stay until a person marks them, and return with the next conflict of the day', async () => {
  const site = await openSite();
  for (const total of [1, 2]) await sell(site, 'A', total);
  site.pass(400 * DAY);
  expect(await site.list('conflicts')).toMatchObject([
    { isOpen: true, fact: { date: '2026-11-17', records: 1, tills: ['Till 1'] } },
  ]);
  await site.mark('conflicts');
  for (const total of [1, 2]) await sell(site, 'B', total);
  expect(await site.list('conflicts')).toMatchObject([{ isOpen: true, fact: { records: 2 }, mark: { actor: 'Ann' } }]);
  await site.todo.close();
  expect(site.faults).toEqual([]);
});

test('a missing sale is not hidden by a mark on another missing sale of the same day', async () => {
  const site = await openSite(undefined, [DIFFERS]);
  await sell(site, 'A', 1);
  const { store, key } = site;
  const miss = async (externalId: string): Promise<void> => {
    const { date, from, to } = DIFFERS;
    const id = await store.verdicts.add({
      journalId: key.journalId,
      day: { date, from, to },
      at: NOW,
      verdict: 'differs',
      isProvisional: false,
      reasons: DIFFERS.reasons,
      notes: [],
      basis: 'ids',
      url: null,
      here: 2,
      open: 0,
      upstream: 1,
      earlier: 0,
      earlierTaken: 0,
      declared: null,
    });
    const finding = { kind: 'missing upstream', externalId, recordId: null, type: 'sale', soldAt: SOLD_AT } as const;
    await store.verdicts.addFindings(id, [finding]);
  };
  await miss('A');
  await site.mark('day_differs');
  await miss('A');
  expect(await site.list('day_differs')).toMatchObject([{ isOpen: false }]);
  await miss('B');
  expect(await site.list('day_differs')).toMatchObject([
    { isOpen: true, mark: { note: 'known' }, fact: { missing: ['B'] } },
  ]);
  await site.todo.close();
});

test('a difference from a declared total is told before the upstream answers, and its mark outlives the answer', async () => {
  const days = [{ ...DIFFERS }];
  const site = await openSite(undefined, days);
  await sell(site, 'A', 1);
  const declared = { ...DIFFERS, declared: 2, upstream: null };
  const more = { code: 'declared_more', count: 1 } as const;
  days[0] = { ...declared, isProvisional: true, reasons: [more, { code: 'settling', until: NOW }], signedFor: 'early' };
  const reasons = [{ code: 'declared_more', count: 1 }];
  expect(await site.list('day_differs')).toMatchObject([{ isOpen: true, fact: { reasons } }]);
  await site.mark('day_differs');
  days[0] = { ...declared, reasons: [more], signedFor: 'final' };
  expect(await site.list('day_differs')).toMatchObject([{ isOpen: false, fact: { reasons } }]);
  await site.todo.close();
});

test.each([3, 40, 500])('a total declared for a day %i days before the first sale is a task', async (before) => {
  const site = await openSite();
  const { store, key } = site;
  const date = new Date(NOW - (before + 3) * DAY).toISOString().slice(0, 10);
  const declare = async (records: number | null) =>
    await store.declared.declare(key.journalId, [{ date, type: null, tillId: null, records }], {
      actor: 'Till 1',
      source: 'till',
    });
  await declare(10);
  const task = { isOpen: true, fact: { date, reasons: [{ code: 'declared_more', count: 10 }] } };
  expect(await site.list('day_differs')).toMatchObject([task]);
  expect(await openDays({ store, clock: startVirtualTime(NOW) }).list(key.journalId, date, date)).toMatchObject({
    first: date,
    days: [{ verdict: 'differs' }],
  });
  await sell(site, 'A', 1);
  expect(await site.list('day_differs')).toMatchObject([task]);
  await declare(null);
  expect(await site.list('day_differs')).toEqual([]);
  await site.todo.close();
  expect(site.faults).toEqual([]);
});

test('a difference that a check found on a day before the first sale is a task', async () => {
  const site = await openSite();
  const { store, key } = site;
  await sell(site, 'A', 1);
  const from = Date.UTC(2026, 10, 2) / 1000;
  await store.verdicts.add({
    journalId: key.journalId,
    day: { date: '2026-11-02', from, to: from + 86_400 },
    at: NOW,
    verdict: 'differs',
    isProvisional: false,
    reasons: [{ code: 'missing_here', count: 1 }],
    notes: [],
    basis: 'ids',
    url: null,
    here: 0,
    open: 0,
    upstream: 1,
    earlier: 0,
    earlierTaken: 0,
    declared: null,
  });
  expect(await site.list('day_differs')).toMatchObject([
    { isOpen: true, fact: { date: '2026-11-02', reasons: [{ code: 'missing_here', count: 1 }] } },
  ]);
  await site.todo.close();
});

test('a provisional difference from the upstream is no task', async () => {
  const site = await openSite(undefined, [{ ...DIFFERS, isProvisional: true }]);
  await sell(site, 'A', 1);
  expect(await site.list('day_differs')).toEqual([]);
  await site.todo.close();
});

test('while the verdict of a day is open, its task and its mark stay, and they end when the day agrees', async () => {
  const days = [{ ...DIFFERS }];
  const site = await openSite(undefined, days);
  await sell(site, 'A', 1);
  await site.mark('day_differs');
  days[0] = { ...DIFFERS, verdict: 'waiting', reasons: [{ code: 'amount_filling' }] };
  expect(await site.list('day_differs')).toMatchObject([{ isOpen: false }]);
  days[0] = { ...DIFFERS, verdict: 'cannot tell', reasons: [{ code: 'upstream_unreadable' }] };
  expect(await site.list('day_differs')).toMatchObject([{ isOpen: false }]);
  days[0] = DIFFERS;
  expect(await site.list('day_differs')).toMatchObject([{ isOpen: false }]);
  days[0] = { ...DIFFERS, verdict: 'complete', reasons: [] };
  expect(await site.list('day_differs')).toEqual([]);
  await site.todo.close();
});

test('another damaged record brings a marked task back, even after others were repaired', async () => {
  const site = await openSite();
  const set = (count: number, lastFoundAt: number): void => {
    const damaged = { count, foundAt: 1, lastFoundAt, recordIds: [] };
    site.health = { ...WELL, machine: { ...WELL.machine, damaged } };
  };
  set(3, 1);
  await site.mark('records_damaged');
  set(1, 1);
  expect(await site.list('records_damaged')).toMatchObject([{ isOpen: false }]);
  set(2, 9);
  expect(await site.list('records_damaged')).toMatchObject([{ isOpen: true }]);
  await site.todo.close();
});

test('a silence lasts until the next call of the till, and not only until closing time', async () => {
  let silence: Silence | null = { since: NOW - 1, sureness: 'likely' };
  let lastAt = NOW - 1;
  const site = await openSite(({ glance }) => ({
    glance: {
      ...glance,
      async getOverview(query) {
        const overview = await glance.getOverview(query);
        return { ...overview, tills: overview.tills.map((till) => ({ ...till, lastAt, silence })) };
      },
    },
  }));
  expect(await site.list('silent_till')).toMatchObject([{ isOpen: true, isUrgent: false }]);
  silence = null;
  expect(await site.list('silent_till')).toMatchObject([{ isOpen: true }]);
  lastAt = NOW + 1;
  expect(await site.list('silent_till')).toEqual([]);
  await site.todo.close();
});

const byText = (a: unknown, b: unknown): number => JSON.stringify(a).localeCompare(JSON.stringify(b));

test('refusals stay after the refusal log has forgotten them, until a person marks them', async () => {
  const site = await openSite();
  site.store.records.noteRefusal(refusalOf(NOW, { keyId: site.key.id, code: 'json_malformed' }));
  site.store.records.noteRefusal(refusalOf(NOW));
  site.store.records.noteRefusal(refusalOf(NOW, { address: '192.0.3.1' }));
  await expect
    .poll(async () => (await site.list('refusals')).map(({ fact }) => fact).toSorted(byText))
    .toMatchObject([
      { code: 'json_malformed', till: 'Till 1', calls: 1 },
      { code: 'key_unknown', till: null, calls: 2 },
    ]);
  site.pass(31 * DAY);
  site.store.records.noteRefusal(refusalOf(NOW + 31 * DAY, { code: 'not_found' }));
  await expect.poll(async () => await site.list('refusals')).toHaveLength(3);
  const tasks = await site.list('refusals');
  expect(await site.todo.mark({ tasks, kind: 'done', note: '' }, 'Ann')).toBe('marked');
  await expect.poll(async () => await site.list('refusals')).toHaveLength(1);
  await site.todo.close();
});

test('a source that cannot be read ends no task', async () => {
  let isBroken = false;
  const site = await openSite(({ tasks }) => ({
    tasks: {
      ...tasks,
      readSources: async () => (isBroken ? Promise.reject(new Error('damaged')) : tasks.readSources()),
    },
  }));
  for (const total of [1, 2]) await sell(site, 'A', total);
  expect(await site.list('conflicts')).toHaveLength(1);
  isBroken = true;
  expect(await site.list('conflicts')).toHaveLength(1);
  expect(site.faults).not.toEqual([]);
  await site.todo.close();
});

test('the list does not wait for the search for skipped numbers, and one search runs at a time', async () => {
  const { promise: gaps, resolve: finish } = Promise.withResolvers<GapsView>();
  const searched: string[] = [];
  const site = await openSite(undefined, [DIFFERS], (_journalId, date) => {
    searched.push(date);
    return gaps;
  });
  await sell(site, 'A', 1);
  expect(await site.list('day_differs')).toHaveLength(1);
  expect(await site.list('day_differs')).toHaveLength(1);
  finish({ sequences: [], isPartial: false });
  await site.todo.close();
  expect(searched).toEqual([DIFFERS.date]);
});

test('a search of many days does not read the other facts again', async () => {
  let readings = 0;
  const searched = new Set<string>();
  const site = await openSite(
    ({ tasks }) => ({
      tasks: {
        ...tasks,
        readSources() {
          readings += 1;
          return tasks.readSources();
        },
      },
    }),
    undefined,
    async (_journalId, date) => {
      searched.add(date);
      return { sequences: [], isPartial: false };
    },
  );
  for (let days = 1; days <= 31; days++) {
    const sold = { externalId: `${days}`, soldAt: (NOW - days * DAY) / 1000, receivedAt: NOW };
    await site.store.records.append(arrivalOf(site.key, sold));
  }
  let seconds = 0;
  await waitUntil(async () => {
    site.pass(2000);
    seconds += 2;
    return searched.size === 31;
  });
  expect(readings).toBeLessThanOrEqual(1 + seconds / 30);
  await site.todo.close();
});

test('late sales are searched for skipped numbers within five minutes, and soon after a change of the set-up', async () => {
  let searches = 0;
  const site = await openSite(undefined, undefined, async () => {
    searches += 1;
    return { sequences: [], isPartial: false };
  });
  const passUntilSearched = (count: number): Promise<unknown> =>
    waitUntil(async () => {
      await site.list('conflicts');
      return searches === count;
    });
  await sell(site, 'A', 1);
  await passUntilSearched(1);
  await site.list('conflicts'); // no day is due any more
  await sell(site, 'B', 1);
  for (let seconds = 0; seconds < 240; seconds += 5) await site.list('conflicts');
  expect(searches).toBe(1);
  await passUntilSearched(2);
  await site.list('conflicts');
  await sell(site, 'C', 1);
  await site.store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam' }, 'test');
  for (let seconds = 0; seconds < 60; seconds += 5) await site.list('conflicts');
  expect(searches).toBe(3);
  await site.todo.close();
});

test('what cannot be stored is shown all the same', async () => {
  const site = await openSite(({ tasks }) => ({
    tasks: { ...tasks, update: async () => Promise.reject(new Error('the disk is full')) },
  }));
  site.health = { ...WELL, trouble: { code: 'store_full', hint: '', since: NOW } };
  expect(await site.list('store_full')).toMatchObject([{ id: 0, isOpen: true, isUrgent: true }]);
  await site.todo.close();
});

test('a missing backup is a task after a week, returns when its age has doubled, and ends with a backup', async () => {
  const site = await openSite();
  expect(await site.list('backup_old')).toEqual([]);
  site.pass(8 * DAY);
  await site.mark('backup_old');
  site.pass(7 * DAY);
  expect(await site.list('backup_old')).toMatchObject([{ isOpen: true, fact: { lastAt: null } }]);
  await site.store.health.noteBackup(0);
  expect(await site.list('backup_old')).toEqual([]);
  await site.todo.close();
});

test('a task ends with its fact, and its mark does not cover the next time', async () => {
  const site = await openSite();
  const wrong = { code: 'before_newest', now: 1, earliest: 2 } as const;
  const set = (clock: HealthView['machine']['clock']): void =>
    void (site.health = { ...WELL, machine: { ...WELL.machine, clock } });
  set(wrong);
  await site.mark('clock_wrong');
  set(null);
  expect(await site.list('clock_wrong')).toEqual([]);
  set(wrong);
  expect(await site.list('clock_wrong')).toMatchObject([{ isOpen: true, mark: null }]);
  await site.todo.close();
});

test('the people who saw a task are listed', async () => {
  const site = await openSite();
  site.health = { ...WELL, machine: { ...WELL.machine, clock: { code: 'before_build', now: 1, earliest: 2 } } };
  const [task] = await site.list('clock_wrong');
  await site.todo.noteSeen([task?.id ?? 0], 'Ann');
  expect(await site.list('clock_wrong')).toMatchObject([{ seen: [{ actor: 'Ann' }] }]);
  await site.todo.close();
});

describe('a lane without an upstream', () => {
  const lane = (by: Interface, url: string | null, waiting: number): LaneStatus => ({
    id: by === 'current' ? 1 : 2,
    journalId: 1,
    administration: 'Bakery',
    mode: 'production',
    interface: by,
    url,
    state: url === null ? 'paused' : 'running',
    cause: url === null ? causeOf('no_upstream') : null,
    since: NOW - 100 * DAY,
    perSecond: 0,
    deliveredAt: null,
    oldestWaitingAt: waiting === 0 ? null : NOW - DAY,
    waiting,
    delivered: 0,
    held: 0,
    setAside: 0,
  });
  const listFacts = (...lanes: LaneStatus[]) => laneFacts(lanes, { conflicts: [], held: [] }, NOW);

  test('is a task if its sales have waited for hours and the other interface has an upstream', () => {
    const facts = listFacts(lane('current', 'https://api.example.com', 0), lane('earlier', null, 2));
    expect(facts).toMatchObject([
      { fact: { kind: 'upstream_stopped', interface: 'earlier', cause: 'no_upstream', waiting: 2 } },
    ]);
  });

  test.each([
    ['no sale waits', [lane('current', 'https://api.example.com', 0), lane('earlier', null, 0)]],
    [
      'its sales have waited for an hour',
      [
        lane('current', 'https://api.example.com', 0),
        { ...lane('earlier', null, 2), oldestWaitingAt: NOW - 3_600_000 },
      ],
    ],
    ['there is no upstream at all', [lane('current', null, 5), lane('earlier', null, 2)]],
    [
      'only another journal has an upstream',
      [{ ...lane('current', 'https://api.example.com', 0), journalId: 2 }, lane('earlier', null, 2)],
    ],
  ])('is no task if %s', (_name, lanes) => {
    expect(listFacts(...lanes)).toEqual([]);
  });
});
