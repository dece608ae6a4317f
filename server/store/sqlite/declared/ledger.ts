// Declared totals in SQLite.

import type { DeclaredLedger } from '../../declared/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openDeclaredLedger(parts: EngineParts): DeclaredLedger {
  const { reader, writer, reading, guard, noteWritten, tell, now } = parts;
  return {
    async declare(journalId, totals, by) {
      noteWritten(totals.reduce((rows, { ids = [] }) => rows + 1 + ids.length, 0));
      const result = await guard(writer.call('declareTotals', [journalId, totals, { ...by, at: now() }]));
      if (result.kind === 'declared' && result.added > 0) tell((watcher) => watcher.daysChanged?.());
      return result;
    },
    list: (dates) => reading(reader.call('listDeclaredTotals', [dates])),
    compareDay: (day) => reading(reader.call('compareDeclaredDay', [day])),
    listMissing: (query) => reading(reader.call('listMissingIds', [query])),
    listUndeclared: (query) => reading(reader.call('listUndeclaredIds', [query])),
    findDate: (journalId, from) => reading(reader.call('findDeclaredDate', [journalId, from])),
    compareDays: (query) => reading(reader.call('compareDeclaredDays', [query])),
  };
}
