// Amounts in SQLite.

import type { AmountLedger } from '../../amounts/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

/** Approximate number of rows that a slice writes. */
const SLICE_ROWS = 1000;

export function openAmountLedger({
  reader,
  writer,
  reading,
  guard,
  changing,
  noteWritten,
  tell,
  now,
}: EngineParts): AmountLedger {
  return {
    listRules: () => reading(reader.call('listAmountRules', [])),
    setRule: (administration, type, rule, actor) =>
      changing(writer.call('setAmountRule', [administration, type, rule, actor, now()])),
    suggest: (administration) => reading(reader.call('suggestAmounts', [administration])),
    async fillSlice() {
      if (!(await reading(reader.call('hasAmountsToFill', [])))) return false; // so that most calls need no write lock
      noteWritten(SLICE_ROWS);
      const hasMore = await guard(writer.call('fillAmounts', []));
      if (!hasMore) tell((watcher) => watcher.amountsFilled?.());
      return hasMore;
    },
  };
}
