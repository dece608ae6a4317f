// The queries of derived rows, such as counts and deliveries. The reader thread runs them only while there is no tail, and runs
// each query in one transaction, so that a query reads one snapshot of the database (tail.ts). A few queries also read the tail,
// so they can run at any time.

import type { AmountSuggestion } from '../../../contract/amounts.ts';
import type { RecordSummary } from '../../../contract/records.ts';
import type { Journal } from '../../../contract/setup.ts';
import type { HeldAt, RecordAct, LaneStatus } from '../../outbox/ledger.ts';
import type { JournalCounts, RecordFilter } from '../../records/ledger.ts';
import { listTypesWithoutRule, suggestAmount } from '../amounts/suggestion.ts';
import { openOnlyHereReader } from '../backups/backup-file.ts';
import { openAnswerReader, openDayRecordReader, openOriginalFinder, openPlaceFinder } from '../days/day-record.ts';
import { openDaySumReader } from '../days/single-day.ts';
import { openSoldIdReader } from '../days/sold-id.ts';
import { openDayReader, openFirstSaleReader } from '../days/year-sum.ts';
import { openDeclaredComparer } from '../declared/declared-comparison.ts';
import { openDeclaredTotalReader } from '../declared/declared-total.ts';
import { openOverviewReader } from '../glance/overview.ts';
import { openTillReader } from '../glance/till.ts';
import { openTrendReader } from '../glance/trend.ts';
import { openWaitingFinder, openWaitingReader } from '../outbox/delivery.ts';
import { holdsRecords } from '../outbox/held-record.ts';
import { listLaneStatus } from '../outbox/lane.ts';
import { openDiaryReader } from '../outbox/outage-diary.ts';
import { type ActPage, type ActStep, planRecordAct, readActPage } from '../outbox/record-act-plan.ts';
import { openRangeReader } from '../records/range-query.ts';
import { openDetailReader } from '../records/record-detail.ts';
import { listRecords } from '../records/record-list.ts';
import { openRecordSearch } from '../records/record-search.ts';
import { openSinceReader } from '../restores/since.ts';
import { countStatuses, listJournals } from '../setup/journal.ts';
import { openTaskSourceReader } from '../tasks/task.ts';
import { openFindingReader } from '../verdicts/finding.ts';
import { openKnownDayReader } from '../verdicts/known-day.ts';
import { type Connection } from './database.ts';

/** Prepares the queries that also read the tail. They throw a TailError if the tail must be folded first. */
export function openTailQueries(db: Connection) {
  return { listWaiting: openWaitingReader(db) };
}

/** Prepares all queries of derived rows on a connection. */
export function openDerivedQueries(db: Connection) {
  const declared = openDeclaredTotalReader(db);
  const comparer = openDeclaredComparer(db);
  return {
    ...openTailQueries(db),
    queryRange: openRangeReader(db),
    countStatuses: (): JournalCounts[] => countStatuses(db),
    listRecords: (filter: RecordFilter): RecordSummary[] => listRecords(db, filter),
    findWaiting: openWaitingFinder(db),
    listLaneStatus: (isRunning: boolean): LaneStatus[] => listLaneStatus(db, isRunning),
    holdsRecords: (laneId: number, records: { readonly kind: 'held' } | HeldAt): boolean =>
      holdsRecords(db, laneId, records),
    planRecordAct: (laneId: number, act: RecordAct): ActStep[] => planRecordAct(db, laneId, act),
    readActPage: (laneId: number, step: ActStep, after: number): ActPage => readActPage(db, laneId, step, after),
    listJournals: (): Journal[] => listJournals(db),
    countOnlyHere: openOnlyHereReader(db),
    countSince: openSinceReader(db),
    getOverview: openOverviewReader(db),
    listTypesWithoutRule: (administration: string): string[] => listTypesWithoutRule(db, administration),
    suggestAmount: (administration: string, type: string): AmountSuggestion | undefined =>
      suggestAmount(db, administration, type),
    searchRecords: openRecordSearch(db),
    getRecord: openDetailReader(db),
    listSoldIds: openSoldIdReader(db),
    listTills: openTillReader(db),
    getTrends: openTrendReader(db),
    listDeclaredTotals: declared.list,
    compareDeclaredDay: comparer.compareDay,
    listMissingIds: comparer.listMissing,
    listUndeclaredIds: comparer.listUndeclared,
    compareDeclaredDays: comparer.compareDays,
    findDeclaredDate: declared.findDate,
    countDays: openDayReader(db),
    findFirstSale: openFirstSaleReader(db),
    sumDay: openDaySumReader(db),
    listDayRecords: openDayRecordReader(db),
    sumAnswers: openAnswerReader(db),
    findPlace: openPlaceFinder(db),
    findOriginals: openOriginalFinder(db),
    listKnownDays: openKnownDayReader(db),
    listOutages: openDiaryReader(db),
    listFindings: openFindingReader(db),
    readTaskSources: openTaskSourceReader(db),
  };
}
export type DerivedQueries = ReturnType<typeof openDerivedQueries>;
