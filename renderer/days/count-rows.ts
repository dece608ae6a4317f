// The counts of a day as table rows: at this gateway, upstream and declared. Pure.

import type { DayRow, DayView } from '../../server/contract/days.ts';
import type { DeclaredComparison } from '../../server/contract/declared-totals.ts';
import type { ReasonCode } from '../../server/contract/verdicts.ts';

export interface CountRow {
  readonly kind: 'row' | 'type' | 'earlier' | 'only upstream' | 'all';
  readonly type: string | null;
  readonly tillId: number | null;
  readonly till: string | null;
  readonly here: number;
  /** Null if the upstream's count is unknown. */
  readonly upstream: number | null;
  /** Whether the number comes from an outdated check. Then it has no difference. */
  readonly isOutdated: boolean;
  readonly declared: number | null;
}

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
  // If sales arrived after the check, its counts lack them. Then only the total shows an upstream count.
  const isOutdated = day.upstream !== null && day.reasons.some(({ code }) => OUTDATED.has(code));
  const isKnown = day.upstream !== null && !isOutdated && there <= day.upstream;
  const upstreamOf = ({ here, missingUpstream }: Pick<DayRow, 'here' | 'missingUpstream'>): number | null =>
    isKnown ? here - missingUpstream : null;

  const types = [...Map.groupBy(current, ({ type }) => type)];
  const listed = types.flatMap(([type, ofType]): CountRow[] => {
    const each = ofType
      .toSorted((a, b) => BY_NAME.compare(a.till, b.till))
      .map((row): CountRow => ({
        kind: 'row',
        type,
        tillId: row.tillId,
        till: row.till,
        here: row.here,
        upstream: upstreamOf(row),
        isOutdated: false,
        declared: declaredFor([row], current, declared),
      }));
    if (ofType.length === 1 || types.length === 1) return each;
    const sum = { here: sumOf(ofType, 'here'), missingUpstream: sumOf(ofType, 'missingUpstream') };
    const ofAll: CountRow = {
      kind: 'type',
      type,
      tillId: null,
      till: null,
      here: sum.here,
      upstream: upstreamOf(sum),
      isOutdated: false,
      declared: declaredFor(ofType, current, declared),
    };
    return [...each, ofAll];
  });
  if (day.earlier > 0)
    listed.push({
      kind: 'earlier',
      type: null,
      tillId: null,
      till: null,
      here: day.earlier,
      upstream: day.earlierTaken,
      isOutdated: false,
      declared: null,
    });
  const onlyThere = isKnown ? (day.upstream ?? 0) - there : 0;
  if (onlyThere > 0)
    listed.push({
      kind: 'only upstream',
      type: null,
      tillId: null,
      till: null,
      here: 0,
      upstream: onlyThere,
      isOutdated: false,
      declared: null,
    });
  const { here, upstream } = day;
  // The total row shows a declared total only if every row has one. Otherwise a row without a declared total would look like
  // a difference.
  const isAllDeclared = rows.every((row) => declared.some((total) => isAbout(row, total)));
  const all = { here, upstream, isOutdated, declared: isAllDeclared ? day.declared : null };
  return [...listed, { kind: 'all', type: null, tillId: null, till: null, ...all }];
}

function sumOf(rows: readonly DayRow[], of: 'here' | 'missingUpstream'): number {
  return rows.reduce((sum, row) => sum + row[of], 0);
}

function isAbout(row: DayRow, { type, tillId }: DeclaredComparison): boolean {
  return (type === null || type === row.type) && (tillId === null || tillId === row.tillId);
}

/**
 * The total declared for exactly these rows. A total that names only a type or only a till also counts, if it covers no other
 * row.
 */
function declaredFor(
  these: readonly DayRow[],
  all: readonly DayRow[],
  declared: readonly DeclaredComparison[],
): number | null {
  const found = declared
    .filter(({ type, tillId }) => type !== null || tillId !== null)
    .find((each) => all.every((row) => isAbout(row, each) === these.includes(row)));
  return found?.records ?? null;
}

/** How the upstream and declared counts differ from the count here. The member names are text keys. */
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
