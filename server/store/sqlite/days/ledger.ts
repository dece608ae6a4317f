// Store days in SQLite.

import type { DayLedger } from '../../days/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openDayLedger(parts: EngineParts): DayLedger {
  const { reader, writer, reading, guard, noteWritten, tell, now } = parts;
  const tellChange = (): void => tell((watcher) => watcher.daysChanged?.());
  const changing = async <T>(answer: Promise<T>, rows = 1): Promise<T> => {
    noteWritten(rows);
    const result = await guard(answer);
    tellChange();
    return result;
  };
  return {
    count: (query) => reading(reader.call('countDays', [query])),
    findFirstSale: (journalId) => reading(reader.call('findFirstSale', [journalId])),
    listKnown: (query) => reading(reader.call('listKnownDays', [query])),
    sum: (query) => reading(reader.call('sumDay', [query])),
    listDiary: (journalId, range) => reading(reader.call('listDiary', [journalId, range])),
    listSleeps: (range) => reading(reader.call('listSleeps', [range])),
    listEntries: (journalId, date) => reading(reader.call('listDayEntries', [journalId, date])),
    listFindings: (query) => reading(reader.call('listFindings', [query])),
    listRecords: (query) => reading(reader.call('listDayRecords', [query])),
    sumAnswers: (query) => reading(reader.call('sumAnswers', [query])),
    findPlace: (query) => reading(reader.call('findPlace', [query])),
    listSoldIds: (journalId, range) => reading(reader.call('listSoldIds', [journalId, range])),
    findOriginals: (journalId, externalIds) => reading(reader.call('findOriginals', [journalId, externalIds])),
    addVerdict: (verdict) => changing(writer.call('addVerdict', [verdict])),
    addFindings: (verdictId, findings) => changing(writer.call('addFindings', [verdictId, findings]), findings.length),
    addSignOff: (signOff) => changing(writer.call('addSignOff', [signOff])),
    async declare(journalId, totals, by) {
      const rows = totals.reduce((sum, { ids = [] }) => sum + 1 + ids.length, 0);
      noteWritten(rows);
      const result = await guard(writer.call('declareTotals', [journalId, totals, { ...by, at: now() }]));
      if (result.kind === 'declared' && result.added > 0) tellChange();
      return result;
    },
    listDeclared: (dates) => reading(reader.call('listDeclaredTotals', [dates])),
    readDeclared: (day) => reading(reader.call('readDeclaredDay', [day])),
    compareDeclared: (query) => reading(reader.call('compareDeclared', [query])),
    async requestCheck(check) {
      const requested = await changing(writer.call('requestCheck', [check]));
      tell((watcher) => watcher.checkRequested?.(check.journalId));
      return requested;
    },
    listOpenChecks: () => reading(reader.call('listOpenChecks', [])),
    noteCheck: (id, progress) => changing(writer.call('noteCheck', [id, progress])),
    endCheck: (id, at) => changing(writer.call('endCheck', [id, at])),
    takeTurn: (journalId, holder, until) => guard(writer.call('takeCheckTurn', [journalId, holder, now(), until])),
    leaveTurns: (holder) => guard(writer.call('leaveCheckTurns', [holder])),
  };
}
