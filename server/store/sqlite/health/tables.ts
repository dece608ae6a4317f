// Describes the tables of the database: their schema and their sizes, and nothing of their content.

import type { TableFacts } from '../../health/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { unlessDamaged } from '../engine/fault.ts';

export function describeTables(db: Connection): TableFacts {
  const objects = db
    .prepare<[], { type: string; name: string; sql: string | null }>(
      `SELECT type, name, sql FROM sqlite_schema ORDER BY tbl_name, type DESC, name`,
    )
    .all();
  const count = (table: string): number | null =>
    unlessDamaged(() => db.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? null) ?? null;
  return {
    schema: objects.flatMap(({ sql }) => (sql === null ? [] : [`${sql};\n`])).join(''),
    rows: objects.filter(({ type }) => type === 'table').map(({ name }) => ({ table: name, rows: count(name) })),
  };
}
