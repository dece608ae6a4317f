// The overview in SQLite.

import type { Glance } from '../../glance/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openGlance({ reader, reading, notes, now }: EngineParts): Glance {
  return {
    getOverview: (query) => reading(reader.call('getOverview', [query])),
    async listTills(journalId, week) {
      await notes.write();
      return reading(reader.call('listTills', [journalId, week, now()]));
    },
    isQuiet: () => reading(reader.call('isQuiet', [now()])),
  };
}
