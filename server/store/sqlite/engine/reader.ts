// The reader thread: answers queries on a read-only connection, so that a query, a list or a scrub never delays a sale.

import type { MessagePort } from 'node:worker_threads';

import type { Certification } from '../../../contract/certify.ts';
import type { DayEntry } from '../../../contract/days.ts';
import type { NetworkSettings } from '../../../contract/network.ts';
import type { RecordSummary } from '../../../contract/records.ts';
import type { Journal, ListedUser } from '../../../contract/setup.ts';
import type { CertificationQuery } from '../../certifications/ledger.ts';
import type { OpenCheck } from '../../checks/ledger.ts';
import type { CheckResult, ScrubState } from '../../health/ledger.ts';
import type { HeldAt, RecordAct, LaneStatus } from '../../outbox/ledger.ts';
import type { User } from '../../people/ledger.ts';
import type { JournalCounts, RecordFilter, ListedRefusal, KeyForm } from '../../records/ledger.ts';
import type { ActPageQuery, Administration, Key } from '../../setup/ledger.ts';
import { getCertification, listCertifications } from '../certifications/certification.ts';
import { listOpenChecks } from '../checks/check.ts';
import { openAnswerReader, openDayRecordReader, openOriginalFinder, openPlaceFinder } from '../days/day-record.ts';
import { openDaySumReader } from '../days/single-day.ts';
import { openSoldIdReader } from '../days/sold-id.ts';
import { openDayReader, openFirstSaleReader } from '../days/year-sum.ts';
import { openDeclaredReader } from '../declared/declared-total.ts';
import { openOverviewReader } from '../glance/overview.ts';
import { openQuietReader } from '../glance/quiet.ts';
import { openTillReader } from '../glance/till.ts';
import { openGrowthReader } from '../health/growth.ts';
import { openNewestReader } from '../health/own-clock.ts';
import { openSleepReader } from '../health/sleep.ts';
import { checkStore } from '../integrity/check.ts';
import { openDamagedReader, openScrubReader, readIndexFault, readScrub } from '../integrity/scrub.ts';
import { readNetworkSettings } from '../network/settings.ts';
import { openWaitingFinder, openWaitingReader } from '../outbox/delivery.ts';
import { holdsRecords } from '../outbox/held-record.ts';
import { listLaneStatus } from '../outbox/lane.ts';
import { openDiaryReader } from '../outbox/outage-diary.ts';
import { type ActPage, type ActStep, planRecordAct, readActPage } from '../outbox/record-act-plan.ts';
import { findUser, listUsers } from '../people/user.ts';
import { openRangeReader } from '../records/range-query.ts';
import { openBodyHeadReader, openBodyReader, openDetailReader } from '../records/record-detail.ts';
import { listRecords } from '../records/record-list.ts';
import { openRecordSearch } from '../records/record-search.ts';
import { listRefusals, openRefusalGroups } from '../records/refusal.ts';
import { listKeyForms } from '../records/unusual-form.ts';
import { type ActRow, listActs } from '../setup/act-log.ts';
import { listAdministrations } from '../setup/administration.ts';
import { countStatuses, listJournals } from '../setup/journal.ts';
import { listKeys } from '../setup/key.ts';
import { openFindingReader } from '../verdicts/finding.ts';
import { listDayEntries, openKnownDayReader } from '../verdicts/known-day.ts';
import { openDatabase } from './database.ts';
import { unlessDamaged } from './fault.ts';
import { answerCalls, threadData } from './thread.ts';

const { path } = threadData<{ path: string }>();
const db = openDatabase(path, 'read');
const declared = openDeclaredReader(db);
const readGrowth = openGrowthReader(db);
const readNewest = openNewestReader(db);
const readDamaged = openDamagedReader(db);
const readQuiet = openQuietReader(db);

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
  listActs: (query: ActPageQuery): ActRow[] => listActs(db, query),
  listJournals: (): Journal[] => listJournals(db),
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
  compareDeclaredDay: declared.compareDay,
  compareDeclaredDays: declared.compareDays,
  listUsers: (): ListedUser[] => listUsers(db),
  findUser: (name: string): User | undefined => findUser(db, name),
  readNetworkSettings: (): NetworkSettings => readNetworkSettings(db),
  getCertification: (id: number): Certification | undefined => getCertification(db, id),
  listCertifications: (query: CertificationQuery): Certification[] => listCertifications(db, query),
  listAdministrations: (): Administration[] => listAdministrations(db),
  countDays: openDayReader(db),
  findFirstSale: openFirstSaleReader(db),
  sumDay: openDaySumReader(db),
  listOutages: openDiaryReader(db),
  listSleeps: openSleepReader(db),
  /** Whether tills are quiet; false if the data cannot be read. */
  isQuiet: (now: number): boolean => unlessDamaged(() => readQuiet(now)) ?? false,
  listDayRecords: openDayRecordReader(db),
  sumAnswers: openAnswerReader(db),
  findPlace: openPlaceFinder(db),
  findOriginals: openOriginalFinder(db),
  listKnownDays: openKnownDayReader(db),
  listDayEntries: (journalId: number, date: string): DayEntry[] => listDayEntries(db, journalId, date),
  listFindings: openFindingReader(db),
  /** Reads the facts about the machine one by one. A single transaction would fail at the first damaged page. */
  readMachineFacts: (now: number) => ({
    bytesPerDay: unlessDamaged(() => readGrowth(now)) ?? null,
    newestAt: unlessDamaged(readNewest) ?? null,
    damaged: readDamaged(),
    indexFault: readIndexFault(db),
  }),
  readScrub: (): ScrubState => readScrub(db),
  readScrubSlice: openScrubReader(db),
  listOpenChecks: (): OpenCheck[] => listOpenChecks(db),
  check(port: MessagePort): CheckResult {
    try {
      return checkStore(db, { onProgress: (progress) => port.postMessage(progress) });
    } finally {
      port.close();
    }
  },
  getSecret: (name: string): Uint8Array =>
    db.prepare('SELECT value FROM secrets WHERE name = ?').pluck().get(name) as Uint8Array,
  close: (): void => void db.close(),
};

export type ReaderOperations = typeof operations;

answerCalls(operations);
