// Finds ids that count up, such as T3-000412, and the numbers missing among them. The result is a guess and states its
// confidence. Ids that do not count up are ignored. Pure functions.

import type { Sureness } from '../contract/gaps.ts';

/** The ids that a till has sent, in any order. */
export interface TillIds {
  readonly label: string;
  readonly ids: readonly string[];
}

/** A series of ids that count up, and the form of these ids. */
export interface Sequence {
  readonly prefix: string;
  /** Minimum number of digits; shorter numbers are padded with zeros. */
  readonly digits: number;
  readonly tills: readonly string[];
  readonly first: number;
  readonly last: number;
  /** The missing numbers between `first` and `last`, sorted. */
  readonly skipped: readonly number[];
}

/** Minimum number of ids. Fewer ids do not show whether they count up. */
const MIN_IDS = 20;
/** From the first to the last number of a sequence, at least this share of the numbers must be ids of sales. */
const MIN_DENSITY = 0.8;
/**
 * The minimum share when two sequences of one till are joined across a gap. It is lower than `MIN_DENSITY`, because the gap may
 * hide hours of sales.
 */
const MIN_DENSITY_ACROSS = 0.5;
const CERTAIN_DENSITY = 0.97;
/**
 * At least this share of a till's ids must be in sequences. A few random ids may have close numbers by chance, but not most of
 * them.
 */
const MIN_SHARE = 0.8;

/**
 * The number at the end of an id. It has at most 15 digits, which JavaScript stores exactly; earlier digits belong to the
 * prefix.
 */
const NUMBERED = /\d{1,15}$/;

interface Numbered {
  readonly number: number;
  readonly till: string;
}

/** Finds the sequences among the ids of a journal, sorted by prefix and number. */
export function learnSequences(tills: readonly TillIds[]): Sequence[] {
  return groupByWriting(tills)
    .flatMap(({ prefix, digits, ids }) => {
      const runs = listRuns(ids.toSorted((a, b) => a.number - b.number));
      const shareOf = sharesByTill(ids, runs.flat());
      const isMeant = (run: readonly Numbered[]): boolean =>
        run.reduce((sum, { till }) => sum + shareOf(till), 0) >= MIN_SHARE * run.length;
      return joinRuns(runs.filter(isMeant)).map((run) => describeRun(prefix, digits, run));
    })
    .toSorted((a, b) => compareTexts(a.prefix, b.prefix) || a.first - b.first);
}

/** Returns the id for a number of a sequence. */
export function idOf({ prefix, digits }: Pick<Sequence, 'prefix' | 'digits'>, number: number): string {
  return prefix + String(number).padStart(digits, '0');
}

/** How certain it is that ids count up. `density` is the share of the numbers that are present. */
export function surenessOf(density: number): Sureness {
  return density >= CERTAIN_DENSITY ? 'almost certain' : 'likely';
}

interface Group {
  readonly prefix: string;
  readonly digits: number;
  readonly ids: Numbered[];
}

/**
 * Groups ids that may belong to one sequence. In one sequence, 0100 may follow 0099, 10000 may follow 9999, and 100 may follow
 * 99.
 */
function groupByWriting(tills: readonly TillIds[]): Group[] {
  const prefixes = new Map<string, (Numbered & { readonly length: number; readonly isPadded: boolean })[]>();
  for (const { label, ids } of tills)
    for (const id of ids) {
      const text = NUMBERED.exec(id)?.[0];
      if (text === undefined) continue;
      const prefix = id.slice(0, -text.length);
      const isPadded = text.length > 1 && text.startsWith('0');
      const numbered = { number: Number(text), till: label, length: text.length, isPadded };
      const others = prefixes.get(prefix);
      if (others === undefined) prefixes.set(prefix, [numbered]);
      else others.push(numbered);
    }

  const groups: Group[] = [];
  for (const [prefix, ids] of prefixes) {
    if (ids.length < MIN_IDS) continue; // random ids have different prefixes, so their groups are small
    const widths = [...new Set(ids.filter(({ isPadded }) => isPadded).map(({ length }) => length))].toSorted(
      (a, b) => b - a,
    );
    const digitsOf = (length: number): number => widths.find((width) => width <= length) ?? 1;
    const byDigits = Map.groupBy(ids, ({ length }) => digitsOf(length));
    for (const [digits, numbered] of byDigits) groups.push({ prefix, digits, ids: numbered });
  }
  return groups;
}

/**
 * Splits sorted numbers into dense runs. It cuts at the widest jumps, so that a stray number or restarted numbering does not
 * spoil the other runs. Each round at least halves the widest jump.
 */
function listRuns(numbers: readonly Numbered[]): (readonly Numbered[])[] {
  if (numbers.length < MIN_IDS) return [];
  const span = (numbers.at(-1)?.number ?? 0) - (numbers[0]?.number ?? 0) + 1;
  if (numbers.length >= MIN_DENSITY * span) return [numbers];
  const jumps = numbers.map(({ number }, at) => number - (numbers[at - 1]?.number ?? number));
  const widest = jumps.reduce((most, jump) => Math.max(most, jump), 0);
  const cuts = [...jumps.keys()].filter((at) => 2 * (jumps[at] ?? 0) > widest);
  return [0, ...cuts].flatMap((from, at) => listRuns(numbers.slice(from, cuts[at])));
}

/**
 * Joins a run to the run before it under two conditions. A till has numbers in both runs. Enough of the numbers from the start
 * of the first run to the end of the second are present.
 */
function joinRuns(runs: readonly (readonly Numbered[])[]): (readonly Numbered[])[] {
  const joined: { readonly numbers: Numbered[]; readonly tills: Set<string> }[] = [];
  for (const run of runs) {
    const before = joined.at(-1);
    const span = (run.at(-1)?.number ?? 0) - (before?.numbers[0]?.number ?? 0) + 1;
    const isDense = before !== undefined && before.numbers.length + run.length >= MIN_DENSITY_ACROSS * span;
    if (isDense && run.some(({ till }) => before.tills.has(till))) {
      for (const numbered of run) {
        before.numbers.push(numbered);
        before.tills.add(numbered.till);
      }
    } else joined.push({ numbers: [...run], tills: new Set(run.map(({ till }) => till)) });
  }
  return joined.map(({ numbers }) => numbers);
}

/** Returns a function that gives the share of a till's ids that are in any run. */
function sharesByTill(all: readonly Numbered[], inRuns: readonly Numbered[]): (till: string) => number {
  const [sums, parts] = [all, inRuns].map((ids) => {
    const counts = new Map<string, number>();
    for (const { till } of ids) counts.set(till, (counts.get(till) ?? 0) + 1);
    return counts;
  });
  return (till) => (parts?.get(till) ?? 0) / (sums?.get(till) ?? 1);
}

function describeRun(prefix: string, digits: number, run: readonly Numbered[]): Sequence {
  const skipped: number[] = [];
  let next = run[0]?.number ?? 0;
  const first = next;
  for (const { number } of run) {
    for (; next < number; next += 1) skipped.push(next);
    next = number + 1;
  }
  const tills = [...new Set(run.map(({ till }) => till))].toSorted(compareTexts);
  return { prefix, digits, tills, first, last: next - 1, skipped };
}

/** Groups sorted numbers into ranges of consecutive numbers. */
export function rangesOf(numbers: readonly number[]): { readonly from: number; readonly to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
