// The meanings of a file's columns, while the user is choosing them. Pure.

import type { DeclaredColumns, DeclaredImport, DeclaredRole } from '../../server/contract/declared-totals.ts';

/**
 * Gives a column a meaning, and removes the column's earlier meaning. A file has either counts or ids. So choosing the column
 * of counts removes the meaning of the column of ids, and the reverse.
 */
export function chooseColumn(columns: DeclaredColumns, role: DeclaredRole, column: number | null): DeclaredColumns {
  const others = Object.entries(columns).map(([name, at]) => [name, at === column ? null : at] as const);
  const chosen = { ...(Object.fromEntries(others) as DeclaredColumns), [role]: column };
  if (column === null) return chosen;
  if (role === 'count') return { ...chosen, id: null };
  return role === 'id' ? { ...chosen, count: null } : chosen;
}

/** Whether the chosen columns are enough to read the file. */
export function isComplete({ day, count, id }: DeclaredColumns): boolean {
  return day !== null && (count ?? id) !== null;
}

/** Returns the heading of each column; undefined for a column without a heading. */
export function columnNames({
  headings,
  sample,
}: Pick<DeclaredImport, 'headings' | 'sample'>): readonly (string | undefined)[] {
  const width = Math.max(headings?.length ?? 0, ...sample.map((row) => row.length));
  return Array.from({ length: width }, (_, column) => headings?.[column] || undefined);
}
