// Compares our records of a range with the upstream's records of the same range. `compareCounts` halves the range until a
// difference fits one page, and compares the ids of that page. `compareAllIds` compares every id. The times of the upstream's
// answers distinguish records in flight from missing records.

import { causeOf } from '../cause.ts';
import { type Cause, MAX_PAGE_SIZE } from '../contract/codes.ts';
import type { CheckBasis } from '../contract/verdicts.ts';
import type { AnswerSums, DayRecord } from '../store/days/ledger.ts';
import type { Range } from '../store/records/ledger.ts';

/** A record as the upstream lists it. */
export interface UpstreamRecord {
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
}

/** The records of a range that the upstream lists, and the number that it counts. */
export interface UpstreamList {
  readonly count: number;
  readonly records: readonly UpstreamRecord[];
}

export interface UpstreamSide {
  count(range: Range): Promise<number>;
  /** Every record of a range; undefined if there are more than `max`. */
  list(range: Range, max: number): Promise<UpstreamList | undefined>;
}

export interface HereSide {
  count(range: Range): Promise<number>;
  list(range: Range): Promise<DayRecord[]>;
  sumAnswers(range: Range): Promise<AnswerSums>;
  /**
   * The time of sale, in epoch seconds, of one record of a range. `place` says which record: 0 is the first sale of the range.
   * Undefined if the range has fewer records.
   */
  findPlace(range: Range, place: number): Promise<number | undefined>;
  /** The originals here that have one of these ids, whatever their time of sale. */
  findOriginals(externalIds: readonly string[]): Promise<DayRecord[]>;
  /** The present time in epoch milliseconds. It comes from the clock that also gives deliveries their times. */
  now(): number;
}

export interface Comparison {
  readonly basis: CheckBasis;
  readonly here: number;
  /**
   * Number of records that the upstream has. If ids were compared, each id counts once, and records of other systems
   * (`othersSend`) do not count.
   */
  readonly upstream: number;
  /** Number of records here that were in flight during the comparison. Their outcome is not known yet. */
  readonly open: number;
  /** Records that are here but not upstream, and were not in flight. */
  readonly missing: readonly DayRecord[];
  /** Records that are upstream but not here; empty if other systems send too. */
  readonly foreign: readonly UpstreamRecord[];
  /** Number of records that are upstream but not here, if other systems send too; otherwise 0. */
  readonly others: number;
  /** Records that the upstream lists again with another type or time. Each id is in this list once. */
  readonly twice: readonly UpstreamRecord[];
  /** Number of entries in the upstream's list that repeat an earlier entry with the same id, type and time. */
  readonly listedTwice: number;
  /** Number of records that the upstream counts but does not list. The upstream may count repeated calls. */
  readonly countedTwice: number;
  /** Records whose type or time differs upstream, or whose content differs according to the upstream's answer. */
  readonly other: readonly (UpstreamRecord & { readonly recordId: number })[];
}

type Found = { -readonly [kind in 'missing' | 'foreign' | 'twice' | 'other']: Comparison[kind][number][] } & {
  open: number;
  others: number;
  listedTwice: number;
  countedTwice: number;
  /** The upstream's count minus ours, summed over the ranges whose ids were compared. */
  surplus: number;
};

/** Thrown when the upstream's answer does not fit the query, or contradicts itself. */
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
  /**
   * Whether other systems also send to the same account of the upstream. Records that are only upstream then count as records
   * of those systems.
   */
  readonly othersSend?: boolean;
}

/** Maximum records whose ids are compared together. */
const MAX_COMPARED = 20 * MAX_PAGE_SIZE;
/**
 * Maximum time for listing a range. A delivery dated later than the start of the query plus this time means that our clock was
 * ahead.
 */
const MAX_LIST_MS = 60 * 60_000;
/** Maximum extra queries of a comparison by count, beyond the queries that a full list would need. */
const MAX_EXTRA_QUERIES = 40;

/**
 * Compares counts, and compares ids only where counts differ. A missing and a foreign record in the same range can therefore
 * stay unnoticed. Compares every id if the upstream may have received records twice, or has other content for one of our ids.
 */
export async function compareCounts(range: Range, sides: Sides): Promise<Comparison> {
  const answers = await sides.here.sumAnswers(range);
  if (answers.resends > 0 || answers.errors > 0) return compareAllIds(range, sides);
  const found = nothingFound();
  const [here, upstream] = await countBoth(range, sides);
  const queries = { left: MAX_EXTRA_QUERIES + 2 * Math.ceil(Math.max(here, upstream) / MAX_PAGE_SIZE) };
  await narrow({ range, here, upstream }, sides, found, queries);
  // If the differences of the parts do not add up to the total, a count was wrong. Exception: a record arrived during the
  // comparison.
  const isExplained = found.surplus === upstream - here || (await sides.here.count(range)) !== here;
  const countsIds = found.listedTwice + found.countedTwice === 0;
  return isExplained && countsIds ? { basis: 'counts', here, upstream, ...summed(found) } : compareAllIds(range, sides);
}

/** Compares every id. */
export async function compareAllIds(range: Range, sides: Sides): Promise<Comparison> {
  const found = nothingFound();
  let [here, upstream] = [0, 0];
  let { from } = range;
  /**
   * Maximum length in seconds of a range whose ids are compared together. Shrinks if the upstream has many more records than we
   * have.
   */
  let longest = Infinity;
  while (from < range.to) {
    const end = (await sides.here.findPlace({ from, to: range.to }, MAX_COMPARED)) ?? range.to;
    let to = Math.min(Math.max(end, from + 1), from + longest);
    let compared = await compareIds({ from, to }, sides, found, 2 * MAX_COMPARED);
    while (compared === undefined) {
      longest = Math.ceil((to - from) / 2);
      to = from + longest;
      compared = await compareIds({ from, to }, sides, found, to - from === 1 ? Infinity : 2 * MAX_COMPARED);
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

/**
 * Returns what was found, without `surplus`. A record that is upstream with another time is removed from the missing records.
 */
function summed({ surplus: _, ...found }: Found): Omit<Comparison, 'basis' | 'here' | 'upstream'> {
  const there = new Set(found.other.map(({ recordId }) => recordId));
  return { ...found, missing: found.missing.filter(({ recordId }) => !there.has(recordId)) };
}

/**
 * Counts the upstream's records first, then ours. The upstream can have only records that were here before, so our later count
 * includes them all.
 */
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
 * Halves the range until a difference is small enough to compare ids. Queries the count of one half, and calculates the count
 * of the other half. If no queries are left, for example because counts keep changing, compares all ids of the range.
 */
async function narrow(
  { range, here, upstream }: Counted,
  sides: Sides,
  found: Found,
  queries: { left: number },
): Promise<void> {
  if (here === upstream) return;
  const isSmall = upstream <= MAX_PAGE_SIZE && here <= MAX_COMPARED;
  if (isSmall || range.to - range.from === 1 || queries.left-- <= 0) {
    await compareIds(range, sides, found);
    return;
  }
  const middle = await findMiddle(range, here, sides);
  const left = { from: range.from, to: middle };
  const [hereLeft, upstreamLeft] = await countBoth(left, sides);
  await narrow({ range: left, here: hereLeft, upstream: upstreamLeft }, sides, found, queries);
  const right = { from: middle, to: range.to };
  await narrow({ range: right, here: here - hereLeft, upstream: upstream - upstreamLeft }, sides, found, queries);
}

/**
 * Finds the time that divides our records into two halves. Returns the middle of the range if we have fewer than two records.
 */
async function findMiddle({ from, to }: Range, here: number, sides: Sides): Promise<number> {
  const half = here > 1 ? await sides.here.findPlace({ from, to }, Math.floor(here / 2)) : undefined;
  return Math.min(to - 1, Math.max(from + 1, half ?? Math.floor((from + to) / 2)));
}

/**
 * Compares the ids of a range. Returns the number of records on each side, or undefined if the upstream has more than `max`.
 */
async function compareIds(
  range: Range,
  { here, upstream, othersSend = false }: Sides,
  found: Found,
  max = Infinity,
): Promise<{ here: number; upstream: number } | undefined> {
  const askedAt = here.now();
  const listed = await upstream.list(range, max);
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
  // The upstream's count must equal the length of its list only if the range is in the past. Otherwise new records may arrive
  // between two pages. If other systems send too, a wrong count is harmless while none of our records is missing.
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
 * Returns the number of records that the upstream counts but does not list, because it may count repeated calls. Throws
 * UnreadableError if it counts more calls than we made.
 */
function surplusOf({ count, records }: UpstreamList, ids: number, resent: number): number {
  if (count === records.length || count === ids) return 0;
  const surplus = count - records.length;
  if (surplus > 0 && surplus <= resent) return surplus;
  throw new UnreadableError(causeOf('numbers_disagree', `${count} ≠ ${records.length}`));
}

/**
 * True if a record waits, or was delivered after the query began. A delivery dated far in the future does not count: our clock
 * was wrong.
 */
function isOnItsWay({ state, answeredAt }: DayRecord, askedAt: number): boolean {
  if (state === 'waiting') return true;
  return state === 'delivered' && answeredAt !== null && answeredAt >= askedAt && answeredAt < askedAt + MAX_LIST_MS;
}

/** Whether our record has another type or time upstream, or the upstream answered that its content differs. */
function isOther(own: DayRecord, { type, soldAt }: UpstreamRecord): boolean {
  return own.type !== type || own.soldAt !== soldAt || own.upstreamStatus === 'ERROR';
}
