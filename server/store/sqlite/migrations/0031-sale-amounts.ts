// Moves the amounts of the records into `sales`, because a row of its own for each amount made the fold slower.

import type { Connection } from '../engine/database.ts';

/** SQL for a decimal as text, from its parts of nine digits. */
const DECIMAL = `
  iif(giga < 0 OR unit < 0 OR nano < 0 OR atto < 0, '-', '') ||
  rtrim(rtrim(printf('%d.%09d%09d', abs(giga * 1000000000 + unit), abs(nano), abs(atto)), '0'), '.')`;

export function moveAmounts(db: Connection): void {
  db.exec(`
    -- The amount with its currency (amounts/stored-amount.ts). Null if it cannot be read, or the type has no rule.
    ALTER TABLE sales ADD COLUMN amount TEXT;
    UPDATE sales SET amount = ${DECIMAL} || iif(amounts.currency = '', '', ' ' || amounts.currency)
    FROM amounts JOIN records ON records.id = amounts.record_id JOIN amount_rules ON amount_rules.id = rule_id
    WHERE is_replaced = 0 AND sales.journal_id = records.journal_id AND sales.sold_at = records.sold_at
      AND sales.record_id = records.id
      AND stream = CASE records.interface WHEN 'current' THEN 0 ELSE 3 END +
        CASE records.status WHEN 'NEW' THEN 0 WHEN 'IGNORED' THEN 1 ELSE 2 END;
    DROP TABLE amounts;

    ALTER TABLE amount_days RENAME TO old_days;
    CREATE TABLE amount_days (
      -- The UTC days on which a record with this amount was sold, in any currency. A day may remain after a rule was changed.
      journal_id INTEGER NOT NULL REFERENCES journals,
      -- An exact decimal with a point.
      amount TEXT NOT NULL,
      starts_at INTEGER NOT NULL CHECK (starts_at % 86400 = 0),
      PRIMARY KEY (journal_id, amount, starts_at)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO amount_days SELECT journal_id, ${DECIMAL}, starts_at FROM old_days;
    DROP TABLE old_days;`);
}
