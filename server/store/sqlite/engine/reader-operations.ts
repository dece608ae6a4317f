// The operations that only read. They use their own read-only connection, and read derived rows only while there is no tail
// (fold.ts). In a gateway they run in a thread of their own, so that a query, a list or a scrub never delays a sale.

import type { MessagePort } from 'node:worker_threads';

import type { ArchiveSummary } from '../../../contract/archive.ts';
import type { Certification } from '../../../contract/certify.ts';
import type { DayEntry } from '../../../contract/days.ts';
import type { NetworkSettings } from '../../../contract/network.ts';
import type { ListedUser, ReadToken } from '../../../contract/setup.ts';
import type { AdministrationRule } from '../../amounts/ledger.ts';
import type { CertificationQuery } from '../../certifications/ledger.ts';
import type { OpenCheck } from '../../checks/ledger.ts';
import type { CheckResult, ScrubState, TableFacts } from '../../health/ledger.ts';
import type { User } from '../../people/ledger.ts';
import type { ListedRefusal, KeyForm } from '../../records/ledger.ts';
import type { ActPageQuery, Administration, Key } from '../../setup/ledger.ts';
import type { StoredTask } from '../../tasks/ledger.ts';
import { openFillReader } from '../amounts/fill.ts';
import { listAmountRules } from '../amounts/rule.ts';
import {
  type ArchiveFileRow,
  listArchivedDays,
  listArchiveFiles,
  readArchiveSummary,
} from '../archive/archive-file.ts';
import { findArchiveRequest } from '../archive/run.ts';
import { type BackupFileRow, listBackupFiles } from '../backups/backup-file.ts';
import { getCertification, listCertifications } from '../certifications/certification.ts';
import { listOpenChecks } from '../checks/check.ts';
import { openQuietReader } from '../glance/quiet.ts';
import { openGrowthReader } from '../health/growth.ts';
import { readLastBackup } from '../health/last-backup.ts';
import { openNewestReader } from '../health/own-clock.ts';
import { openSleepReader } from '../health/sleep.ts';
import { describeTables } from '../health/tables.ts';
import { checkStore } from '../integrity/check.ts';
import { openDamagedReader, openScrubReader, readIndexFault, readScrub } from '../integrity/scrub.ts';
import { schemaVersion } from '../migrations.ts';
import { readNetworkSettings } from '../network/settings.ts';
import { findReadToken, listReadTokens } from '../people/read-token.ts';
import { findUser, listUsers } from '../people/user.ts';
import { openBodyReader, openExcerptReader } from '../records/record-detail.ts';
import { listRefusals, openRefusalGroups } from '../records/refusal.ts';
import { listKeyForms } from '../records/unusual-form.ts';
import { type ActRow, listActs } from '../setup/act-log.ts';
import { listAdministrations } from '../setup/administration.ts';
import { listKeys } from '../setup/key.ts';
import { listTasks } from '../tasks/task.ts';
import { listDayEntries } from '../verdicts/known-day.ts';
import { findVerdictDate } from '../verdicts/verdict.ts';
import { openDatabase } from './database.ts';
import { openDerivedQueries, openTailQueries } from './derived-queries.ts';
import { unlessDamaged } from './fault.ts';
import { refuseTail } from './tail.ts';

export type ReaderOperations = ReturnType<typeof openReaderOperations>;

/** Opens the connection to the database at `path`. */
export function openReaderOperations(path: string) {
  const db = openDatabase(path, 'read');
  const readGrowth = openGrowthReader(db);
  const readNewest = openNewestReader(db);
  const readDamaged = openDamagedReader(db);
  const readQuiet = openQuietReader(db);

  return {
    ...refuseTail(db, openDerivedQueries(db)),
    ...openTailQueries(db),
    listRefusals: (limit: number): ListedRefusal[] => listRefusals(db, limit),
    listKeys: (): Key[] => listKeys(db).map(({ key }) => key),
    hasAmountsToFill: openFillReader(db),
    listAmountRules: (): AdministrationRule[] => listAmountRules(db),
    listActs: (query: ActPageQuery): ActRow[] => listActs(db, query),
    getRecordBody: openBodyReader(db),
    getExcerpts: openExcerptReader(db),
    groupRefusals: openRefusalGroups(db),
    listUnusualForms: (): KeyForm[] => listKeyForms(db),
    listUsers: (): ListedUser[] => listUsers(db),
    findUser: (name: string): User | undefined => findUser(db, name),
    listReadTokens: (): ReadToken[] => listReadTokens(db),
    findReadToken: (secret: string): ReadToken | undefined => findReadToken(db, secret),
    readNetworkSettings: (): NetworkSettings => readNetworkSettings(db),
    getCertification: (id: number): Certification | undefined => getCertification(db, id),
    listCertifications: (query: CertificationQuery): Certification[] => listCertifications(db, query),
    listAdministrations: (): Administration[] => listAdministrations(db),
    listSleeps: openSleepReader(db),
    /** Whether the tills are quiet and will probably stay quiet (glance/quiet.ts). False if the data cannot be read. */
    isQuiet: (now: number): boolean => unlessDamaged(() => readQuiet(now)) ?? false,
    findVerdictDate: (journalId: number, from: string): string | undefined => findVerdictDate(db, journalId, from),
    listDayEntries: (journalId: number, date: string): DayEntry[] => listDayEntries(db, journalId, date),
    /** Reads the facts about the machine one by one. A single transaction would fail at the first damaged database page. */
    readMachineFacts: (now: number) => ({
      bytesPerDay: unlessDamaged(() => readGrowth(now)) ?? null,
      newestAt: unlessDamaged(readNewest) ?? null,
      damaged: readDamaged(),
      indexFault: readIndexFault(db),
    }),
    describeTables: (): TableFacts => describeTables(db),
    readSchema: (): number => schemaVersion(db),
    readScrub: (): ScrubState => readScrub(db),
    listBackupFiles: (): BackupFileRow[] => listBackupFiles(db),
    listArchiveFiles: (): ArchiveFileRow[] => listArchiveFiles(db),
    listArchivedDays: (journalId: number): Map<string, number> => listArchivedDays(db, journalId),
    readArchiveSummary: (): ArchiveSummary => readArchiveSummary(db),
    findArchiveRequest: (): number | null => findArchiveRequest(db),
    readLastBackup: (): number | null => readLastBackup(db),
    listTasks: (): StoredTask[] => listTasks(db),
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
}
