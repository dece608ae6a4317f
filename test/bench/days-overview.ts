import type { DayRules, StoreDay } from '../../server/contract/days.ts';
/**
 * Measures reads of store days on a large store: a year, a month, one full day, and the gateway's automatic query for days
 * whose check is due. Runs inside the process that has the store open, without HTTP.
 */
import { machineClock } from '../../server/lib/clock.ts';
import { openDays } from '../../server/reconcile/days.ts';
import { readFacts } from '../../server/reconcile/facts.ts';
import { listStoreDays } from '../../server/store-day.ts';
import { openStore } from '../../server/store/open-store.ts';
import type { Store } from '../../server/store/store.ts';
import { type ConsoleStore, fillConsoleStore } from './console-store.ts';
import { findLane } from './fill.ts';
import { setStoreDays } from './gateway.ts';
import { median } from './machine.ts';
import { shopMonth } from './shop-month.ts';
import type { Workspace } from './workspace.ts';

export type OverviewReport = { records: number; filled: ConsoleStore['filled']; counted: number; costs: Cost[] };

/** The cost of reading `days` store days: the median and the maximum time of a call, in milliseconds. */
export type Cost = { name: string; days: number; medianMs: number; mostMs: number };

export const yearCount = 'a year: sales and deliveries';
export const yearView = 'a year, for the console';

const calls = 20;
const yearDays = { from: '2025-01-01', to: '2026-01-01' };
const monthDays = { from: '2025-06-01', to: '2025-06-30' };
const someDay = '2025-06-14';
/** The range of days that the gateway's automatic query reads on the day after the last record. */
const lookedAt = { from: '2024-11-28', to: '2026-01-02' };

/** `keptFolder` keeps the filled store for the next run. */
export async function measureOverview(
  workspace: Workspace,
  records: number,
  keptFolder: string | undefined,
): Promise<OverviewReport> {
  const { data, filled } = await fillConsoleStore(workspace, records, keptFolder);
  await setStoreDays(workspace, data, shopMonth.zone, shopMonth.dayStartsAt);
  const store = await openStore({ dataDir: data, role: 'gateway' });
  try {
    const lane = findLane(store);
    const { journalId } = lane;
    const { dayRules: rules } = store.setup.administrationOf(lane);
    const list = ({ from, to }: { from: string; to: string }) => listStoreDays(from, to, rules);
    await addVerdicts(store, journalId, list(yearDays));

    const days = openDays({ store, clock: machineClock });
    const now = Date.parse(`${lookedAt.to}T12:00:00Z`);
    const [year, month, looked] = [yearDays, monthDays, lookedAt].map((dates) => ({ ...dates, days: list(dates) }));
    if (year === undefined || month === undefined || looked === undefined) throw new Error('no days');
    const costs = [
      await measure(yearCount, year.days.length, () => store.days.count({ journalId, days: year.days })),
      await measure(yearView, year.days.length, () => days.list(journalId, year.from, year.to)),
      await measure('of it, the beginnings of the days', year.days.length, () => Promise.resolve(list(yearDays))),
      await measure('a month: sales and deliveries', month.days.length, () =>
        store.days.count({ journalId, days: month.days }),
      ),
      await measure('a month, for the console', month.days.length, () => days.list(journalId, month.from, month.to)),
      await measure('a day in full', 1, () => days.get(journalId, someDay)),
      await measure('the search for due checks', looked.days.length, () => look(store, journalId, rules, now)),
    ];
    const counts = await store.days.count({ journalId, days: looked.days });
    return { records, filled, counted: counts.reduce((sum, { here }) => sum + here, 0), costs };
  } finally {
    await store.close();
  }
}

async function look(store: Store, journalId: number, rules: DayRules, now: number): Promise<unknown> {
  await store.days.findFirstSale(journalId);
  return readFacts(store, journalId, listStoreDays(lookedAt.from, lookedAt.to, rules), now);
}

/** Adds verdicts as if each day was compared by counts and by ids, and then signed. */
async function addVerdicts(store: Store, journalId: number, days: readonly StoreDay[]): Promise<void> {
  const counts = await store.days.count({ journalId, days });
  const known = await store.verdicts.listKnown({ journalId, from: yearDays.from, to: yearDays.to });
  for (const [n, day] of days.entries()) {
    if (known.has(day.date)) continue;
    const { here = 0 } = counts[n] ?? {};
    const said = {
      verdict: 'complete',
      isProvisional: false,
      reasons: [],
      url: null,
      here,
      open: 0,
      upstream: here,
      notes: [],
      earlier: 0,
      earlierTaken: 0,
      declared: null,
    } as const;
    const at = day.to * 1000 + 5 * 3_600_000;
    for (const basis of ['counts', 'ids'] as const) await store.verdicts.add({ journalId, day, at, basis, ...said });
    const signed = {
      name: 'Bench',
      note: '',
      actor: 'bench',
      at,
      verdict: 'complete',
      here,
      earlier: 0,
      declared: null,
      declaredAmounts: [],
      reasons: [],
    } as const;
    await store.verdicts.addSignOff({ journalId, date: day.date, kind: 'sign off', ...signed });
  }
}

/** Measures calls of `ask`. The first call is not counted. */
async function measure(name: string, days: number, ask: () => Promise<unknown>): Promise<Cost> {
  const times: number[] = [];
  for (let call = 0; call <= calls; call += 1) {
    const startedAt = performance.now();
    await ask();
    if (call > 0) times.push(performance.now() - startedAt);
  }
  return { name, days, medianMs: median(times), mostMs: Math.max(...times) };
}
