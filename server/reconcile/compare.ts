// Compares the records sold in a range here with those that the upstream has (specification 8): by their number, halving the
// range until what differs fits a page whose ids are compared; or every id. Records that arrive or leave meanwhile are told
// from those that are missing by when they were answered.

import { causeOf } from '../cause.ts';
import { type Cause, MAX_PAGE_SIZE } from '../contract/codes.ts';
import type { CheckBasis } from '../contract/days.ts';
import type { AnswerSums, DayRecord } from '../store/days/ledger.ts';
import type { Range } from '../store/records/ledger.ts';

/** A record as the upstream lists it. */
export interface UpstreamRecord {
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
}

/** What the upstream lists of a range, and what it counts there. */
export interface UpstreamList {
  readonly count: number;
  readonly records: readonly UpstreamRecord[];
}

export interface UpstreamSide {
  count(range: Range): Promise<number>;
  /** Every record of a range; undefined once it turns out that there are more than `most`. */
  list(range: Range, most: number): Promise<UpstreamList | undefined>;
}

export interface HereSide {
  count(range: Range): Promise<number>;
  list(range: Range): Promise<DayRecord[]>;
  sumAnswers(range: Range): Promise<AnswerSums>;
  /** When the record was sold before which `place` others of the range were; undefined where there are not so many. */
  findPlace(range: Range, place: number): Promise<number | undefined>;
  /** Those of the ids that are here, whenever they were sold. */
  findOriginals(externalIds: readonly string[]): Promise<DayRecord[]>;
  /** Epoch milliseconds, by the clock that deliveries are noted with. */
  now(): number;
}

export interface Comparison {
  readonly basis: CheckBasis;
  readonly here: number;
  /** Distinct ids, where ids were compared; ours alone, where others send too. */
  readonly upstream: number;
  /** Of those here, so many were on their way meanwhile: what becomes of them is not known yet. */
  readonly open: number;
  /** Here and not upstream, though they should be there or never got there. */
  readonly missing: readonly DayRecord[];
  /** Upstream and not here; none where others send too. */
  readonly foreign: readonly UpstreamRecord[];
  /** How many those are, where others send too. */
  readonly others: number;
  /** Listed more than once upstream with different content; each of them once. */
  readonly twice: readonly UpstreamRecord[];
  /** How often a record was listed once more with the same type and time. */
  readonly listedTwice: number;
  /** How many more the upstream counts than it lists, because records were sent more than once. */
  readonly countedTwice: number;
  /** There with another type or time than here. */
  readonly other: readonly (UpstreamRecord & { readonly recordId: number })[];
}

type Found = { -readonly [kind in 'missing' | 'foreign' | 'twice' | 'other']: Comparison[kind][number][] } & {
  open: number;
  others: number;
  listedTwice: number;
  countedTwice: number;
  /** How many more the upstream counts than there are here, where ids were compared. */
  surplus: number;
};

/** The upstream's answer is no answer to the question, or contradicts itself. */
export class UnreadableError extends Error {
  readonly reason: Cause;

  constructor(reason: Cause, options?: ErrorOptions) {
    super(`the answer of the upstream cannot be read: ${reason.code} ${reason.detail}`, options);
    this.reason = reason;
  }
}

interface Sides {
  readonly here: HereSide;
  readonly upstream: UpstreamSide;
  /** Others send to the same administration upstream, so that what is not here is theirs. */
  readonly othersSend?: boolean;
}

/** So many records of a range are compared at once. */
const SLICE = 20 * MAX_PAGE_SIZE;
/** Longer than it takes to list a range. */
const MAX_MS = 60 * 60_000;
/** Halving is worth so many questions, besides what listing everything would take. */
const MAX_QUESTIONS = 40;

/**
 * Compares by number, and by id where the numbers differ. Equal numbers can hide a record that is in another's place. Every id is
 * compared where the numbers turn out not to be those of ids, or where answers say that they may not be: the upstream may count
 * calls, or said of a record that it has another one by that id.
 */
export async function compareCounts(range: Range, sides: Sides): Promise<Comparison> {
  const answers = await sides.here.sumAnswers(range);
  if (answers.resends > 0 || answers.errors > 0) return compareAllIds(range, sides);
  const found = nothingFound();
  const [here, upstream] = await countBoth(range, sides);
  const questions = { left: MAX_QUESTIONS + 2 * Math.ceil(Math.max(here, upstream) / MAX_PAGE_SIZE) };
  await narrow({ range, here, upstream }, sides, found, questions);
  // Where the numbers of parts don't add up, one of them is wrong, unless something came meanwhile.
  const isExplained = found.surplus === upstream - here || (await sides.here.count(range)) !== here;
  const countsIds = found.listedTwice + found.countedTwice === 0;
  return isExplained && countsIds ? { basis: 'counts', here, upstream, ...summed(found) } : compareAllIds(range, sides);
}

/** Compares every id. */
export async function compareAllIds(range: Range, sides: Sides): Promise<Comparison> {
  const found = nothingFound();
  let [here, upstream] = [0, 0];
  let { from } = range;
  /** The upstream may have far more, and then only so much is compared at once. */
  let longest = Infinity;
  while (from < range.to) {
    const end = (await sides.here.findPlace({ from, to: range.to }, SLICE)) ?? range.to;
    let to = Math.min(Math.max(end, from + 1), from + longest);
    let compared = await compareIds({ from, to }, sides, found, 2 * SLICE);
    while (compared === undefined) {
      longest = Math.ceil((to - from) / 2);
      to = from + longest;
      compared = await compareIds({ from, to }, sides, found, to - from === 1 ? Infinity : 2 * SLICE);
    }
    here += compared.here;
    upstream += compared.upstream;
    from = to;
    longest *= 2;
  }
  return { basis: 'ids', here, upstream, ...summed(found) };
}

const nothingFound = (): Found => ({
  missing: [],
  foreign: [],
  twice: [],
  other: [],
  open: 0,
  others: 0,
  listedTwice: 0,
  countedTwice: 0,
  surplus: 0,
});

/** One that is there at another time was missing at its own. */
function summed({ surplus: _, ...found }: Found): Omit<Comparison, 'basis' | 'here' | 'upstream'> {
  const there = new Set(found.other.map(({ recordId }) => recordId));
  return { ...found, missing: found.missing.filter(({ recordId }) => !there.has(recordId)) };
}

/** Here last: what is upstream was here before. */
async function countBoth(range: Range, sides: Sides): Promise<[here: number, upstream: number]> {
  const upstream = await sides.upstream.count(range);
  return [await sides.here.count(range), upstream];
}

interface Counted {
  readonly range: Range;
  readonly here: number;
  readonly upstream: number;
}

/**
 * What of a range is upstream is asked for one half only; the other half is the rest. With no questions left, as when the numbers
 * change all the time, what differs is listed.
 */
async function narrow(
  { range, here, upstream }: Counted,
  sides: Sides,
  found: Found,
  questions: { left: number },
): Promise<void> {
  if (here === upstream) return;
  const isSmall = upstream <= MAX_PAGE_SIZE && here <= SLICE;
  if (isSmall || range.to - range.from === 1 || questions.left-- <= 0) {
    await compareIds(range, sides, found);
    return;
  }
  const middle = await findMiddle(range, here, sides);
  const left = { from: range.from, to: middle };
  const [hereLeft, upstreamLeft] = await countBoth(left, sides);
  await narrow({ range: left, here: hereLeft, upstream: upstreamLeft }, sides, found, questions);
  const right = { from: middle, to: range.to };
  await narrow({ range: right, here: here - hereLeft, upstream: upstream - upstreamLeft }, sides, found, questions);
}

/** Where half of what is here was sold before; in the middle of the time where nothing is here. */
async function findMiddle({ from, to }: Range, here: number, sides: Sides): Promise<number> {
  const half = here > 1 ? await sides.here.findPlace({ from, to }, Math.floor(here / 2)) : undefined;
  return Math.min(to - 1, Math.max(from + 1, half ?? Math.floor((from + to) / 2)));
}

/** Compares the ids of a range; undefined where the upstream has more than `most`. Returns how many there are on each side. */
async function compareIds(
  range: Range,
  { here, upstream, othersSend = false }: Sides,
  found: Found,
  most = Infinity,
): Promise<{ here: number; upstream: number } | undefined> {
  const askedAt = here.now();
  const listed = await upstream.list(range, most);
  if (listed === undefined) return undefined;
  const mine = new Map((await here.list(range)).map((record) => [record.externalId, record]));
  const theirs = new Map<string, UpstreamRecord>();
  const twice = new Map<string, UpstreamRecord>();
  for (const record of listed.records) {
    const before = theirs.get(record.externalId);
    if (before === undefined) theirs.set(record.externalId, record);
    else if (before.type === record.type && before.soldAt === record.soldAt) found.listedTwice += 1;
    else twice.set(record.externalId, record);
  }
  found.twice.push(...twice.values());
  const absent = [...mine.values()].filter(({ externalId }) => !theirs.has(externalId));
  const missing = absent.filter((record) => !isOnItsWay(record, askedAt));
  found.open += absent.length - missing.length;
  found.missing.push(...missing);
  // What is of the present may still come between the pages; what others send does not matter while ours are there.
  const mustAddUp = range.to * 1000 <= askedAt && !(othersSend && missing.length === 0);
  if (mustAddUp) found.countedTwice += surplusOf(listed, theirs.size, (await here.sumAnswers(range)).resends);

  const unknown = [...theirs.keys()].filter((externalId) => !mine.has(externalId));
  const elsewhere = new Map((await here.findOriginals(unknown)).map((own) => [own.externalId, own]));
  let others = 0;
  for (const record of theirs.values()) {
    const own = mine.get(record.externalId) ?? elsewhere.get(record.externalId);
    if (own !== undefined && isOther(own, record)) found.other.push({ ...record, recordId: own.recordId });
    else if (own === undefined && othersSend) others += 1;
    else if (own === undefined) found.foreign.push(record);
  }
  found.others += others;
  found.surplus += listed.count - mine.size;
  return { here: mine.size, upstream: theirs.size - others };
}

/**
 * How many more the upstream counts than it lists. It may count each call that it took, but no more of them than were made:
 * otherwise it contradicts itself, and throws UnreadableError.
 */
function surplusOf({ count, records }: UpstreamList, ids: number, resent: number): number {
  if (count === records.length || count === ids) return 0;
  const surplus = count - records.length;
  if (surplus > 0 && surplus <= resent) return surplus;
  throw new UnreadableError(causeOf('numbers_disagree', `${count} ≠ ${records.length}`));
}

/** It waits, or the upstream got it when it had been asked already; but not in the future, which a clock that was ahead says. */
function isOnItsWay({ state, answeredAt }: DayRecord, askedAt: number): boolean {
  if (state === 'waiting') return true;
  return state === 'delivered' && answeredAt !== null && answeredAt >= askedAt && answeredAt < askedAt + MAX_MS;
}

/** It is there with another type or time, or the upstream said itself that it has other content there. */
function isOther(own: DayRecord, { type, soldAt }: UpstreamRecord): boolean {
  return own.type !== type || own.soldAt !== soldAt || own.upstreamStatus === 'ERROR';
}
