// The records of store days in SQLite.

import type { DayLedger } from '../../days/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openDayLedger({ reader, reading }: EngineParts): DayLedger {
  return {
    count: (query) => reading(reader.call('countDays', [query])),
    findFirstSale: (journalId) => reading(reader.call('findFirstSale', [journalId])),
    sum: (query) => reading(reader.call('sumDay', [query])),
    listRecords: (query) => reading(reader.call('listDayRecords', [query])),
    sumAnswers: (query) => reading(reader.call('sumAnswers', [query])),
    findPlace: (query) => reading(reader.call('findPlace', [query])),
    listSoldIds: (journalId, range) => reading(reader.call('listSoldIds', [journalId, range])),
    findOriginals: (journalId, externalIds) => reading(reader.call('findOriginals', [journalId, externalIds])),
  };
}
