// The three sides of a day as the rows of a table: what is here, what is upstream, what was declared. Pure.

import type { DayRow, DayView, DeclaredComparison, ReasonCode } from '../../server/contract/days.ts';

export interface SidesRow {
  readonly kind: 'row' | 'type' | 'earlier' | 'only upstream' | 'all';
  readonly type: string | null;
  readonly tillId: number | null;
  readonly till: string | null;
  readonly here: number;
  /** Null where it is not known. */
  readonly upstream: number | null;
  /** Whether that is the number of a check that is no longer in force: then it differs from nothing. */
  readonly isOutdated: boolean;
  readonly declared: number | null;
}

/** What has happened, or is to happen, since the upstream was asked. */
const OUTDATED: ReadonlySet<ReasonCode> = new Set([
  'late_records',
  'settling',
  'not_seen_yet',
  'to_be_checked',
  'on_the_way',
]);

/** Till 2 stands before till 10. */
const BY_NAME = new Intl.Collator(undefined, { numeric: true });

type Sides = Pick<DayView, 'day' | 'rows' | 'declared'>;

/**
 * By type and till, each of several types with more than one till summed up, then what came by the earlier interface, which is known
 * upstream by its answers only, and the whole.
 */
export function listSidesRows({ day, rows, declared }: Sides): readonly SidesRow[] {
  const current = rows.filter((row) => row.interface === 'current');
  const there = current.reduce((sum, { here, missingUpstream }) => sum + here - missingUpstream, day.earlierTaken);
  // What came after the check is here and was not asked for: then nobody knows more than the sum of that time.
  const isOutdated = day.upstream !== null && day.reasons.some(({ code }) => OUTDATED.has(code));
  const isKnown = day.upstream !== null && !isOutdated && there <= day.upstream;
  const upstreamOf = ({ here, missingUpstream }: Pick<DayRow, 'here' | 'missingUpstream'>): number | null =>
    isKnown ? here - missingUpstream : null;

  const types = [...Map.groupBy(current, ({ type }) => type)];
  const listed = types.flatMap(([type, ofType]): SidesRow[] => {
    const each = ofType
      .toSorted((a, b) => BY_NAME.compare(a.till, b.till))
      .map((row): SidesRow => ({
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
    const ofAll: SidesRow = {
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
  // A part of the day that nobody spoke of is no difference.
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

/** What was declared for exactly these rows; where it is about no others, a till alone will do. */
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

/** How the other sides differ from what is here; the names are those of texts. */
export function differencesOf({
  here,
  upstream,
  isOutdated = false,
  declared,
}: Pick<SidesRow, 'here' | 'upstream' | 'declared'> & Partial<Pick<SidesRow, 'isOutdated'>>) {
  const found = [
    { n: isOutdated ? 0 : (upstream ?? here) - here, more: 'moreUpstream', fewer: 'fewerUpstream' },
    { n: (declared ?? here) - here, more: 'moreDeclared', fewer: 'fewerDeclared' },
  ] as const;
  return found.filter(({ n }) => n !== 0).map(({ n, more, fewer }) => ({ name: n > 0 ? more : fewer, n: Math.abs(n) }));
}
