// The reader thread: answers every question about the data on a connection that cannot change them, so that a query,
// a list or a scrub never delays a sale.

import type { ActView, DayEntry, JournalView, RecordSummary, UserView } from '../contract.ts';
import { type ActPageQuery, listActs } from './act-log.ts';
import type { HeldAt, RecordAct } from './act.ts';
import { type Administration, listAdministrations } from './administration.ts';
import { checkStore, type CheckResult } from './check.ts';
import { openDatabase } from './database.ts';
import { listOpenChecks, type OpenCheck } from './day-check.ts';
import { openAnswerReader, openDayRecordReader, openOriginalFinder, openPlaceFinder } from './day-record.ts';
import { openDaySumReader } from './day-sum.ts';
import { openDayReader, openFirstSaleReader } from './day.ts';
import { openDeclaredReader } from './declared-total.ts';
import { openWaitingFinder, openWaitingReader } from './delivery.ts';
import { openFindingReader } from './finding.ts';
import { openGrowthReader } from './growth.ts';
import { countStatuses, type JournalCounts, listJournals } from './journal.ts';
import { type Key, listKeys } from './key.ts';
import { listDayEntries, openKnownDayReader } from './known-day.ts';
import { type LaneStatus, listLaneStatus } from './lane.ts';
import { openDiaryReader } from './outage-diary.ts';
import { openOverviewReader } from './overview.ts';
import { openNewestReader } from './own-clock.ts';
import { openQuietReader } from './quiet.ts';
import { openRangeReader } from './range-query.ts';
import { type ActPage, type ActStep, holdsRecords, planRecordAct, readActPage } from './record-act.ts';
import { openBodyHeadReader, openBodyReader, openDetailReader } from './record-detail.ts';
import { listRecords, type RecordFilter } from './record-list.ts';
import { openRecordSearch } from './record-search.ts';
import { listRefusals, type ListedRefusal, openRefusalGroups } from './refusal.ts';
import { openDamagedReader, openScrubReader, readScrub, type ScrubState } from './scrub.ts';
import { openSleepReader } from './sleep.ts';
import { openSoldIdReader } from './sold-id.ts';
import { answerCalls, threadData } from './thread.ts';
import { openTillReader } from './till.ts';
import { type KeyForm, listKeyForms } from './unusual-form.ts';
import { findUser, listUsers, type User } from './user.ts';

const { path } = threadData<{ path: string }>();
const db = openDatabase(path, 'read');
const declared = openDeclaredReader(db);
const readGrowth = openGrowthReader(db);
const readNewest = openNewestReader(db);
const readDamaged = openDamagedReader(db);

const operations = {
  queryRange: openRangeReader(db),
  countStatuses: (): JournalCounts[] => countStatuses(db),
  listRecords: (filter: RecordFilter): RecordSummary[] => listRecords(db, filter),
  listRefusals: (limit: number): ListedRefusal[] => listRefusals(db, limit),
  listKeys: (): Key[] => listKeys(db).map(({ key }) => key),
  listWaiting: openWaitingReader(db),
  findWaiting: openWaitingFinder(db),
  listLaneStatus: (isRunning: boolean): LaneStatus[] => listLaneStatus(db, isRunning),
  holdsRecords: (laneId: number, records: { readonly kind: 'held' } | HeldAt): boolean =>
    holdsRecords(db, laneId, records),
  planRecordAct: (laneId: number, act: RecordAct): ActStep[] => planRecordAct(db, laneId, act),
  readActPage: (laneId: number, step: ActStep, after: number): ActPage => readActPage(db, laneId, step, after),
  listActs: (query: ActPageQuery): ActView[] => listActs(db, query),
  listJournals: (): JournalView[] => listJournals(db),
  getOverview: openOverviewReader(db),
  searchRecords: openRecordSearch(db),
  getRecord: openDetailReader(db),
  getRecordBody: openBodyReader(db),
  getBodyHeads: openBodyHeadReader(db),
  groupRefusals: openRefusalGroups(db),
  listSoldIds: openSoldIdReader(db),
  listTills: openTillReader(db),
  listUnusualForms: (): KeyForm[] => listKeyForms(db),
  listDeclaredTotals: declared.list,
  readDeclaredDay: declared.readDay,
  compareDeclared: declared.compare,
  listUsers: (): UserView[] => listUsers(db),
  findUser: (name: string): User | undefined => findUser(db, name),
  listAdministrations: (): Administration[] => listAdministrations(db),
  countDays: openDayReader(db),
  findFirstSale: openFirstSaleReader(db),
  sumDay: openDaySumReader(db),
  listDiary: openDiaryReader(db),
  listSleeps: openSleepReader(db),
  isQuiet: openQuietReader(db),
  listDayRecords: openDayRecordReader(db),
  sumAnswers: openAnswerReader(db),
  findPlace: openPlaceFinder(db),
  findOriginals: openOriginalFinder(db),
  listKnownDays: openKnownDayReader(db),
  listDayEntries: (journalId: number, date: string): DayEntry[] => listDayEntries(db, journalId, date),
  listFindings: openFindingReader(db),
  /** What the machine is judged by. */
  readMachineFacts: db.transaction((now: number) => ({
    bytesPerDay: readGrowth(now),
    newestAt: readNewest(),
    damaged: readDamaged(),
  })),
  readScrub: (): ScrubState => readScrub(db),
  readScrubSlice: openScrubReader(db),
  listOpenChecks: (): OpenCheck[] => listOpenChecks(db),
  check: (): CheckResult => checkStore(db),
  getSecret: (name: string): Uint8Array =>
    db.prepare('SELECT value FROM secrets WHERE name = ?').pluck().get(name) as Uint8Array,
  close: (): void => void db.close(),
};

export type ReaderOperations = typeof operations;

answerCalls(operations);
