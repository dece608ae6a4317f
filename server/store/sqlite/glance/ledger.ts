// The overview in SQLite.

import type { GlanceLedger } from '../../glance/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openGlanceLedger({ reader, reading, notes, now }: EngineParts): GlanceLedger {
  return {
    getOverview: (query) => reading(reader.call('getOverview', [query])),
    async listTills(journalId, week) {
      await notes.write();
      return reading(reader.call('listTills', [journalId, week, now()]));
    },
    getTrends: (query) => reading(reader.call('getTrends', [query])),
    isQuiet: () => reading(reader.call('isQuiet', [now()])),
  };
}
