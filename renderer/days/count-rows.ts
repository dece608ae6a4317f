// Makes the rows of a day's table: the count at this gateway, the upstream's count and the declared total, with amounts. Pure.

import type { AmountSums } from '../../server/contract/amounts.ts';
import type { DayRow, DayView } from '../../server/contract/days.ts';
import type { AmountComparison, DeclaredComparison } from '../../server/contract/declared-totals.ts';
import type { ReasonCode } from '../../server/contract/verdicts.ts';
import { addUp } from './add-up.ts';

export interface CountRow {
  readonly kind: 'row' | 'type' | 'earlier' | 'only upstream' | 'all';
  readonly type: string | null;
  readonly tillId: number | null;
  readonly till: string | null;
  readonly here: number;
  /** The amounts of the records that `here` counts. */
  readonly amounts: AmountSums;
  /** Null if the upstream's count is unknown. The upstream gives no amounts. */
  readonly upstream: number | null;
  /** True if `upstream` comes from an outdated check. The row then does not compare it with `here`. */
  readonly isOutdated: boolean;
  readonly declared: number | null;
  /** Empty if no amounts were declared. */
  readonly declaredAmounts: readonly AmountComparison[];
}

/** The members of a row that has no type, till, amounts or declared total. */
const PLAIN = {
  type: null,
  tillId: null,
  till: null,
  amounts: [],
  isOutdated: false,
  declared: null,
  declaredAmounts: [],
} as const;

/** Events after the check that make its counts outdated. */
const OUTDATED: ReadonlySet<ReasonCode> = new Set([
  'late_records',
  'settling',
  'not_seen_yet',
  'to_be_checked',
  'on_the_way',
]);

/** Sorts Till 2 before Till 10. */
const BY_NAME = new Intl.Collator(undefined, { numeric: true });

type Counts = Pick<DayView, 'day' | 'rows' | 'declared'>;

/**
 * Rows by type and till, with a sum for each type that has several tills. Further rows, where needed, are for the earlier
 * interface and for records that exist only upstream. The last row is the total.
 */
export function listCountRows({ day, rows, declared }: Counts): readonly CountRow[] {
  const current = rows.filter((row) => row.interface === 'current');
  const there = current.reduce((sum, { here, missingUpstream }) => sum + here - missingUpstream, day.earlierTaken);
  // If sales arrived after the check, the check's counts lack them. Then only the total row shows an upstream count.
  const isOutdated = day.upstream !== null && day.reasons.some(({ code }) => OUTDATED.has(code));
  const isKnown = day.upstream !== null && !isOutdated && there <= day.upstream;
  const upstreamOf = ({ here, missingUpstream }: Pick<DayRow, 'here' | 'missingUpstream'>): number | null =>
    isKnown ? here - missingUpstream : null;

  const types = [...Map.groupBy(current, ({ type }) => type)];
  const listed = types.flatMap(([type, ofType]): CountRow[] => {
    const each = ofType
      .toSorted((a, b) => BY_NAME.compare(a.till, b.till))
      .map((row): CountRow => ({
        ...PLAIN,
        kind: 'row',
        type,
        tillId: row.tillId,
        till: row.till,
        here: row.here,
        amounts: row.amounts,
        upstream: upstreamOf(row),
        ...declaredFor([row], current, declared),
      }));
    if (ofType.length === 1 || types.length === 1) return each;
    const sum = { here: sumOf(ofType, 'here'), missingUpstream: sumOf(ofType, 'missingUpstream') };
    const ofAll: CountRow = {
      ...PLAIN,
      kind: 'type',
      type,
      here: sum.here,
      amounts: addUp(ofType.map(({ amounts }) => amounts)),
      upstream: upstreamOf(sum),
      ...declaredFor(ofType, current, declared),
    };
    return [...each, ofAll];
  });
  if (day.earlier > 0) {
    const amounts = addUp(rows.filter((row) => row.interface === 'earlier').map((row) => row.amounts));
    listed.push({ ...PLAIN, kind: 'earlier', here: day.earlier, amounts, upstream: day.earlierTaken });
  }
  const onlyThere = isKnown ? (day.upstream ?? 0) - there : 0;
  if (onlyThere > 0) listed.push({ ...PLAIN, kind: 'only upstream', here: 0, upstream: onlyThere });
  const { here, amounts, upstream } = day;
  // The total row shows a declared total only if every row has one. Otherwise a row without a declared total would look like
  // a difference.
  const isCovered = (totals: typeof declared): boolean =>
    rows.every((row) => totals.some((each) => isAbout(row, each)));
  const all: CountRow = {
    ...PLAIN,
    kind: 'all',
    here,
    amounts,
    upstream,
    isOutdated,
    declared: isCovered(declared) ? day.declared : null,
    declaredAmounts: isCovered(declared.filter((each) => each.amounts.length > 0)) ? day.declaredAmounts : [],
  };
  return [...listed, all];
}

function sumOf(rows: readonly DayRow[], of: 'here' | 'missingUpstream'): number {
  return rows.reduce((sum, row) => sum + row[of], 0);
}

function isAbout(row: DayRow, { type, tillId }: DeclaredComparison): boolean {
  return (type === null || type === row.type) && (tillId === null || tillId === row.tillId);
}

/**
 * The total declared for exactly these rows. It may be the total of a whole type or a whole till, if that total covers no other
 * row.
 */
function declaredFor(
  these: readonly DayRow[],
  all: readonly DayRow[],
  declared: readonly DeclaredComparison[],
): Pick<CountRow, 'declared' | 'declaredAmounts'> {
  const found = declared
    .filter(({ type, tillId }) => type !== null || tillId !== null)
    .find((each) => all.every((row) => isAbout(row, each) === these.includes(row)));
  return { declared: found?.records ?? null, declaredAmounts: found?.amounts ?? [] };
}

/**
 * The differences of the upstream's count and of the declared count from the count at this gateway. The member names are text
 * keys.
 */
export function differencesOf({
  here,
  upstream,
  isOutdated = false,
  declared,
}: Pick<CountRow, 'here' | 'upstream' | 'declared'> & Partial<Pick<CountRow, 'isOutdated'>>) {
  const found = [
    { n: isOutdated ? 0 : (upstream ?? here) - here, more: 'moreUpstream', fewer: 'fewerUpstream' },
    { n: (declared ?? here) - here, more: 'moreDeclared', fewer: 'fewerDeclared' },
  ] as const;
  return found.filter(({ n }) => n !== 0).map(({ n, more, fewer }) => ({ name: n > 0 ? more : fewer, n: Math.abs(n) }));
}
