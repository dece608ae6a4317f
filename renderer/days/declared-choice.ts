// Which column of a file has which meaning, while a person chooses. Pure.

import type { DeclaredColumns, DeclaredImport, DeclaredRole } from '../../server/contract/declared-totals.ts';

/** A file has counts or ids, and each column has one meaning: a choice takes the column from others. */
export function chooseColumn(columns: DeclaredColumns, role: DeclaredRole, column: number | null): DeclaredColumns {
  const others = Object.entries(columns).map(([name, at]) => [name, at === column ? null : at] as const);
  const chosen = { ...(Object.fromEntries(others) as DeclaredColumns), [role]: column };
  if (column === null) return chosen;
  if (role === 'count') return { ...chosen, id: null };
  return role === 'id' ? { ...chosen, count: null } : chosen;
}

/** Whether the columns say enough to read the file. */
export function isComplete({ day, count, id }: DeclaredColumns): boolean {
  return day !== null && (count ?? id) !== null;
}

/** A name for each column: its heading, or undefined without one. */
export function columnNames({
  headings,
  sample,
}: Pick<DeclaredImport, 'headings' | 'sample'>): readonly (string | undefined)[] {
  const width = Math.max(headings?.length ?? 0, ...sample.map((row) => row.length));
  return Array.from({ length: width }, (_, column) => headings?.[column] || undefined);
}
