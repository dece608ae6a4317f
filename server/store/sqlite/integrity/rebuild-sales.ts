// Repairs the order of sale, which SQLite's own check does not compare with the records.

import { FILL_SQL } from '../amounts/fill.ts';
import { listMissingAmounts } from '../amounts/recount.ts';
import { hasAmounts } from '../amounts/stored-amount.ts';
import type { Connection } from '../engine/database.ts';
import { isFolded } from '../engine/tail.ts';
import { hasSales, insertSales, IS_SALE_OF_RECORD } from '../records/sale.ts';

/**
 * Derives `sales` from the records again, within the caller's transaction. Keeps the stored amounts, and reads only the missing
 * ones from the records.
 */
export function rebuildSales(db: Connection): void {
  if (!hasSales(db)) return;
  const keepsAmounts = hasAmounts(db);
  if (keepsAmounts)
    db.exec(
      'CREATE TEMP TABLE kept AS SELECT record_id, amount FROM sales WHERE amount IS NOT NULL GROUP BY record_id',
    );
  db.exec(`DELETE FROM sales; ${insertSales(isFolded(db))};`);
  if (!keepsAmounts) return;
  db.exec(`
    UPDATE sales SET amount = kept.amount FROM temp.kept JOIN records ON records.id = kept.record_id
    WHERE ${IS_SALE_OF_RECORD};
    DROP TABLE temp.kept;`);
  const setAmount = db.prepare(FILL_SQL.setAmount);
  for (const missing of listMissingAmounts(db)) setAmount.run(missing);
}
