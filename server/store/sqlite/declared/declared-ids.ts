// The ids behind a declared total: declared ids without a record here, and records here that the total does not declare.

import type { Interface } from '../../../contract/codes.ts';
import type { DeclaredComparison } from '../../../contract/declared-totals.ts';
import type { DeclaredScope, UndeclaredId } from '../../declared/ledger.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { NEW_STREAM } from '../records/record-stream.ts';
import { SALES_WITH_RECORDS } from '../records/sale.ts';

const OF_TYPE = '(@type IS NULL OR type = @type)';
const OF_TILL = '(@tillId IS NULL OR key_id IN (SELECT id FROM keys WHERE till_id = @tillId))';
/** SQL for the NEW records of a day and scope on one interface. `index` names an index that has all these records. */
const SOLD = (by: Interface, index: string): string => `
  records INDEXED BY ${index}
  WHERE journal_id = @journalId AND status = 'NEW' AND interface = '${by}' AND sold_at >= @from AND sold_at < @to
    AND ${OF_TYPE} AND ${OF_TILL}`;
const undeclaredSql = (by: Interface): string => `
  SELECT external_id AS externalId, '${by}' AS interface, sales.sold_at AS soldAt, record_id AS recordId
  FROM ${SALES_WITH_RECORDS}
  WHERE sales.journal_id = @journalId AND stream = ${NEW_STREAM[by]}
    AND (sales.sold_at, record_id) > (@from, @afterId) AND sales.sold_at < @to
    AND (@type IS NULL OR sales.type = @type) AND ${OF_TILL} AND NOT EXISTS (
      SELECT 1 FROM declared_ids WHERE declared_id = @declaredId AND declared_ids.external_id = records.external_id)
  ORDER BY sales.sold_at, record_id LIMIT @limit`;
/** Exported for the test that asserts the query plans. */
export const DECLARED_ID_SQL = {
  missing: `
    SELECT external_id FROM declared_ids WHERE declared_id = @declaredId AND external_id > @after
      AND NOT EXISTS (SELECT 1 FROM ${SOLD('current', 'originals')} AND records.external_id = declared_ids.external_id)
      AND NOT EXISTS (
        SELECT 1 FROM ${SOLD('earlier', 'earlier_originals')}
          AND records.type IN (SELECT value FROM json_each(@earlierTypes)) AND records.external_id = declared_ids.external_id)
    ORDER BY external_id LIMIT @limit`,
  undeclared: undeclaredSql('current'),
  earlierUndeclared: undeclaredSql('earlier'),
};

/** The LIMIT of a query whose rows are read one at a time and not kept. */
const ALL = -1;

/** The declared ids of a total, and the records here that it covers. */
export interface IdScope extends DeclaredScope, Range {
  readonly journalId: number;
  readonly declaredId: number;
  /** The types of the earlier interface that have records here, as JSON. Its index finds an id only together with a type. */
  readonly earlierTypes: string;
}

export interface DeclaredIdReader {
  /** Lists at most `limit` declared ids that have no record here, sorted, after the id `after`. */
  listMissing(scope: IdScope, limit: number, after?: string): string[];
  /** Lists at most `limit` records here that the total does not declare: the current interface first, in the order of sale. */
  listUndeclared(scope: IdScope, limit: number, after?: UndeclaredId): UndeclaredId[];
  /** Counts both kinds, and lists at most `maxListed` of each. The total declares `records` records, and `here` are here. */
  compare(
    scope: IdScope,
    counts: { readonly records: number; readonly here: number },
    maxListed: number,
  ): NonNullable<DeclaredComparison['ids']>;
}

export function openDeclaredIdReader(db: Connection): DeclaredIdReader {
  const selectMissing = db.prepare<unknown[], string>(DECLARED_ID_SQL.missing).pluck();
  const selectUndeclared = db.prepare<unknown[], UndeclaredId>(DECLARED_ID_SQL.undeclared);
  const selectEarlierUndeclared = db.prepare<unknown[], UndeclaredId>(DECLARED_ID_SQL.earlierUndeclared);

  function listUndeclared(scope: IdScope, limit: number, after?: UndeclaredId): UndeclaredId[] {
    // Every record has an id above zero, so the first page begins with the first record of the range.
    const first = { ...scope, afterId: 0 };
    const next = after === undefined ? first : { ...scope, from: after.soldAt, afterId: after.recordId };
    if (after?.interface === 'earlier') return selectEarlierUndeclared.all({ ...next, limit });
    const current = selectUndeclared.all({ ...next, limit });
    const left = limit - current.length;
    return left > 0 ? [...current, ...selectEarlierUndeclared.all({ ...first, limit: left })] : current;
  }

  return {
    listMissing: (scope, limit, after = '') => selectMissing.all({ ...scope, after, limit }),
    listUndeclared,
    compare(scope, { records, here }, maxListed) {
      const missing: string[] = [];
      let missingCount = 0;
      for (const id of selectMissing.iterate({ ...scope, after: '', limit: ALL }))
        if (++missingCount <= maxListed) missing.push(id);
      const undeclaredCount = here - (records - missingCount);
      const limit = Math.min(undeclaredCount, maxListed);
      const undeclared = limit > 0 ? listUndeclared(scope, limit).map(({ externalId }) => externalId) : [];
      return { missing, missingCount, undeclared, undeclaredCount };
    },
  };
}
