// Reads facts about store days from the database. Verdicts and the schedule of checks need them.

import type { StoreDay } from '../contract/days.ts';
import { storeDayAt, storeDayOf } from '../store-day.ts';
import { NO_MONEY } from '../store/declared/day-sum.ts';
import type { LaneSettings, LaneStatus } from '../store/outbox/ledger.ts';
import type { Administration } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';
import type { KnownDay, StoredVerdict } from '../store/verdicts/ledger.ts';
import { type UpstreamResult, type DayFacts, strongestResult, upstreamReasons } from './judge.ts';

/** A day with all its facts. */
export interface KnownFacts extends DayFacts {
  readonly journalId: number;
  readonly known: KnownDay | undefined;
  /**
   * The check that decides the verdict: the newest check, unless an older check compared ids and nothing has changed since
   * then.
   */
  readonly newest: UpstreamResult | undefined;
  /** The newest check that compared every id. */
  readonly byIds: UpstreamResult | undefined;
}

/** The administration of a journal; undefined for an unknown journal. */
export function findAdministration(store: Store, journalId: number): Administration | undefined {
  // a lane knows its administration, and every journal has lanes
  const lane = store.outbox.lanes().find((each) => each.journalId === journalId);
  return lane && store.setup.administrationOf(lane);
}

/**
 * Finds the first date, from the date `from` on, whose day has a verdict for people: a day since the first sale, or an earlier
 * day that has a declared total or a check. Leaves out sales that a wrong clock dated before 1970.
 */
export async function findJudgedDate(store: Store, journalId: number, from = ''): Promise<string | undefined> {
  const administration = findAdministration(store, journalId);
  if (administration === undefined) return undefined;
  const [sale, ...dates] = await Promise.all([
    store.days.findFirstSale(journalId),
    store.declared.findDate(journalId, from),
    store.verdicts.findDate(journalId, from),
  ]);
  const sold = sale === undefined ? undefined : storeDayAt(sale * 1000, administration.dayRules).date;
  const firstSold = sold !== undefined && sold < from ? from : sold;
  return [firstSold, ...dates].filter((date) => date !== undefined).toSorted()[0];
}

/** The lane of the current interface. */
export function findCurrentLane(store: Store, journalId: number): LaneSettings | undefined {
  return store.outbox.lanes().find((lane) => lane.journalId === journalId && lane.interface === 'current');
}

/** Reads the facts about days of a journal. `days` must be sorted and without gaps. `now` is in epoch milliseconds. */
export async function readFacts(
  store: Store,
  journalId: number,
  days: readonly StoreDay[],
  now: number,
): Promise<KnownFacts[]> {
  const dates = { journalId, from: days[0]?.date ?? '', to: days.at(-1)?.date ?? '' };
  const [counts, known, declared, lanes] = await Promise.all([
    store.days.count({ journalId, days }),
    store.verdicts.listKnown(dates),
    store.declared.compareDays({ journalId, days }),
    readLanes(store, journalId),
  ]);
  const othersSend = findAdministration(store, journalId)?.othersSend ?? false;
  return counts.map((count, i): KnownFacts => {
    const day = days[i];
    if (day === undefined) throw new Error('the store counted more days than requested');
    const here = known.get(day.date);
    const facts: DayFacts = {
      day,
      now,
      counts: count,
      ...lanes,
      othersSend,
      declared: declared.get(day.date) ?? { total: null, more: 0, less: 0, money: NO_MONEY },
    };
    const byIds = resultOf(here?.pass);
    return { ...facts, journalId, known: here, newest: strongestResult(resultOf(here?.verdict), byIds, facts), byIds };
  });
}

function resultOf(verdict: StoredVerdict | undefined): UpstreamResult | undefined {
  return verdict && { ...verdict, reasons: upstreamReasons(verdict.reasons) };
}

/** Reads the facts about one day. Undefined for an unknown journal or date. */
export async function readDayFacts(
  store: Store,
  journalId: number,
  date: string,
  now: number,
): Promise<KnownFacts | undefined> {
  const administration = findAdministration(store, journalId);
  const day = administration && storeDayOf(date, administration.dayRules);
  if (day === undefined) return undefined;
  const [facts] = await readFacts(store, journalId, [day], now);
  return facts;
}

/** Sends the records again that a verdict found missing. Resolves to their number. */
export async function resendMissing(
  store: Store,
  journalId: number,
  verdictId: number,
  actor: string,
): Promise<number> {
  const lane = findCurrentLane(store, journalId);
  if (lane === undefined) return 0;
  const records = { kind: 'missing', verdictId } as const;
  const result = await store.outbox.performAct(lane, { kind: 'send again', records, delivered: true }, actor);
  return result.kind === 'done' ? result.records : 0;
}

/** Reads for both interfaces whether there is an upstream, and which problem the lane has. */
async function readLanes(
  store: Store,
  journalId: number,
): Promise<Pick<DayFacts, 'hasUpstream' | 'url' | 'cause' | 'earlierLane'>> {
  const statuses = (await store.outbox.listLaneStatus()).filter((each) => each.journalId === journalId);
  const current = statuses.find((each) => each.interface === 'current');
  const earlier = statuses.find((each) => each.interface === 'earlier');
  return { url: current?.url ?? null, ...describeLane(current), earlierLane: describeLane(earlier) };
}

function describeLane(lane: LaneStatus | undefined): Pick<DayFacts, 'hasUpstream' | 'cause'> {
  if (lane === undefined || lane.url === null) return { hasUpstream: false, cause: null };
  return { hasUpstream: true, cause: lane.cause };
}
