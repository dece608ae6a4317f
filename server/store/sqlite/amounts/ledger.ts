// Amounts in SQLite.

import type { AmountSuggestion } from '../../../contract/amounts.ts';
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
  /** The suggestions that are wanted now, by administration. Further calls share them. */
  const wanted = new Map<string, Promise<AmountSuggestion[]>>();
  let last: Promise<unknown> = Promise.resolve();

  /** Suggests type by type, so that the reader answers other queries in between. */
  async function suggestAll(administration: string): Promise<AmountSuggestion[]> {
    const suggestions: AmountSuggestion[] = [];
    for (const type of await reading(reader.call('listTypesWithoutRule', [administration]))) {
      const suggestion = await reading(reader.call('suggestAmount', [administration, type]));
      if (suggestion !== undefined) suggestions.push(suggestion);
    }
    return suggestions.toSorted((a, b) => a.rule.type.localeCompare(b.rule.type));
  }

  /** Begins after the suggestions before it have ended, so that only one of them uses the reader. */
  function queueSuggestions(administration: string): Promise<AmountSuggestion[]> {
    const answer = last
      .then(() => suggestAll(administration))
      .finally(() => {
        if (wanted.get(administration) === answer) wanted.delete(administration);
      });
    last = answer.catch(() => {});
    wanted.set(administration, answer);
    return answer;
  }

  return {
    listRules: () => reading(reader.call('listAmountRules', [])),
    async setRule(administration, type, rule, actor) {
      const result = await changing(writer.call('setAmountRule', [administration, type, rule, actor, now()]));
      wanted.delete(administration); // it may still suggest a rule for this type
      return result;
    },
    suggest: (administration) => wanted.get(administration) ?? queueSuggestions(administration),
    async fillSlice() {
      if (!(await reading(reader.call('hasAmountsToFill', [])))) return false; // so that most calls need no write lock
      noteWritten(SLICE_ROWS);
      const hasMore = await guard(writer.call('fillAmounts', []));
      if (!hasMore) tell((watcher) => watcher.amountsFilled?.());
      return hasMore;
    },
  };
}
