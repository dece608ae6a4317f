// Verdicts and signatures in SQLite.

import type { VerdictLedger } from '../../verdicts/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openVerdictLedger({ reader, writer, reading, changingDays }: EngineParts): VerdictLedger {
  return {
    add: (verdict) => changingDays(writer.call('addVerdict', [verdict])),
    addFindings: (verdictId, findings) =>
      changingDays(writer.call('addFindings', [verdictId, findings]), findings.length),
    addSignOff: (signOff) => changingDays(writer.call('addSignOff', [signOff])),
    listKnown: (query) => reading(reader.call('listKnownDays', [query])),
    findDate: (journalId, from) => reading(reader.call('findVerdictDate', [journalId, from])),
    listEntries: (journalId, date) => reading(reader.call('listDayEntries', [journalId, date])),
    listFindings: (query) => reading(reader.call('listFindings', [query])),
  };
}
