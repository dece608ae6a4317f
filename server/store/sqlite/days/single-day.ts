// One store day in full: its records by status, and its NEW records by type and till.

import { INTERFACES, type Status, type StatusCounts } from '../../../contract/codes.ts';
import type { DayRow } from '../../../contract/days.ts';
import type { DaySum, DaySumQuery } from '../../days/ledger.ts';
import {
  type CurrencySums,
  FROM_BUCKETS,
  listSums,
  openCurrencySums,
  openRuleReader,
  SUM_COLUMNS,
  type SumRow,
} from '../amounts/amount-sum.ts';
import type { Connection } from '../engine/database.ts';
import { coverRange } from '../records/count.ts';

interface Bucket extends Omit<DayRow, 'till' | 'missingUpstream' | 'amounts'> {
  readonly status: Status;
}

/** Exported for the test that asserts the query plans. */
export const DAY_SUM_SQL = {
  buckets: `
    SELECT interface, status, type, till_id AS tillId, sum(records) AS here FROM counts
    WHERE journal_id = @journalId AND interface IN ('current', 'earlier') AND status IN ('NEW', 'IGNORED', 'ERROR')
      AND width = @width AND starts_at >= @from AND starts_at < @to GROUP BY interface, status, type, till_id`,
  amounts: `
    SELECT interface, rule_id AS ruleId, till_id AS tillId, ${SUM_COLUMNS} ${FROM_BUCKETS} GROUP BY interface, rule_id, till_id, currency`,
  missing: `
    SELECT records.type, till_id AS tillId, count(*) AS missing
    FROM findings JOIN records ON records.id = record_id JOIN keys ON keys.id = key_id
    WHERE verdict_id = @verdictId AND kind = 'missing upstream' GROUP BY records.type, till_id`,
};

export function openDaySumReader(db: Connection): (query: DaySumQuery) => DaySum {
  const selectBuckets = db.prepare<unknown[], Bucket>(DAY_SUM_SQL.buckets);
  const selectAmounts = db.prepare<unknown[], AmountRow>(DAY_SUM_SQL.amounts).safeIntegers();
  const readRules = openRuleReader(db);
  const selectMissing = db.prepare<unknown[], { type: string; tillId: number; missing: number }>(DAY_SUM_SQL.missing);
  const selectLabels = db.prepare<[number], { id: number; label: string }>(
    'SELECT id, label FROM tills WHERE journal_id = ?',
  );

  return ({ journalId, day, verdictId }: DaySumQuery): DaySum => {
    const buckets = coverRange(day).buckets.flatMap((part) => selectBuckets.all({ journalId, ...part }));
    const labels = new Map(selectLabels.all(journalId).map(({ id, label }) => [id, label]));
    const missing = new Map(
      (verdictId === undefined ? [] : selectMissing.all({ verdictId })).map((row) => [
        keyOf('current', row),
        row.missing,
      ]),
    );
    const rules = readRules(journalId);
    const amounts = new Map<string, CurrencySums>();
    for (const row of coverRange(day).buckets.flatMap((part) =>
      selectAmounts.all({ journalId, rules: rules.ids, ...part }),
    )) {
      const key = keyOf(row.interface, { ...row, type: rules.types.get(Number(row.ruleId)) ?? '' });
      const sums = amounts.get(key) ?? openCurrencySums();
      amounts.set(key, sums);
      sums.add(row);
    }
    const records: StatusCounts = { NEW: 0, IGNORED: 0, ERROR: 0 };
    const rows = new Map<string, DayRow>();
    for (const { status, here, ...bucket } of buckets) {
      records[status] += here;
      if (status !== 'NEW') continue;
      const key = keyOf(bucket.interface, bucket);
      const before = rows.get(key)?.here ?? 0;
      const till = labels.get(bucket.tillId) ?? '';
      rows.set(key, {
        ...bucket,
        till,
        here: before + here,
        amounts: listSums(rules, amounts.get(key) ?? openCurrencySums(), before + here),
        missingUpstream: missing.get(key) ?? 0,
      });
    }
    return { records, rows: [...rows.values()].toSorted(compareRows) };
  };
}

type AmountRow = SumRow & Pick<DayRow, 'interface'> & { readonly ruleId: bigint; readonly tillId: bigint };

function keyOf(
  by: DayRow['interface'],
  { type, tillId }: { readonly type: string; readonly tillId: number | bigint },
): string {
  return `${by} ${tillId} ${type}`;
}

function compareRows(a: DayRow, b: DayRow): number {
  return (
    INTERFACES.indexOf(a.interface) - INTERFACES.indexOf(b.interface) ||
    a.type.localeCompare(b.type) ||
    a.till.localeCompare(b.till)
  );
}
