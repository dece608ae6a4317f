// The operations that change the database, on the only connection that does so. A group of arrivals is one transaction and one
// sync. Derived rows are written later (fold.ts).

import { statSync } from 'node:fs';

import type { ReceiverSettings } from '../../../contract/alerts.ts';
import type { ArchiveFailure } from '../../../contract/archive.ts';
import type { CertificationReport } from '../../../contract/certify.ts';
import { ACTORS, type Interface } from '../../../contract/codes.ts';
import type { Sleep } from '../../../contract/machine.ts';
import type { NetworkSettings } from '../../../contract/network.ts';
import type { NamedUser, ReadToken } from '../../../contract/setup.ts';
import type { AlertReport, NewReceiver, StoredMail, StoredReceiver } from '../../alerts/ledger.ts';
import type { RuleResult } from '../../amounts/ledger.ts';
import type { DayToArchive } from '../../archive/ledger.ts';
import type { CheckProgress, NewCheck, OpenCheck } from '../../checks/ledger.ts';
import type { Declarer, DeclareResult, NewDeclaredTotal } from '../../declared/ledger.ts';
import type { ScrubState } from '../../health/ledger.ts';
import type { NewAuthority, StoredAuthority } from '../../network/ledger.ts';
import type { ActResult, LaneAct, RecordAct, EndPointNote, LaneName, LaneNote } from '../../outbox/ledger.ts';
import type { PasswordChange, User, UserChange } from '../../people/ledger.ts';
import type { KeyForm } from '../../records/ledger.ts';
import type {
  NewAct,
  Administration,
  AdministrationChange,
  AdministrationResult,
  NewAdministration,
  Key,
  EnsuredKey,
  NewKey,
  RotationResult,
} from '../../setup/ledger.ts';
import type { MarkResult, NewTaskMark, TaskChanges } from '../../tasks/ledger.ts';
import type { NewFinding, NewSignOff, NewVerdict } from '../../verdicts/ledger.ts';
import {
  addReceiver,
  changeReceiver,
  listReceivers,
  noteAlerts,
  readMail,
  removeReceiver,
  sealAlertSecrets,
  setMail,
} from '../alerts/receiver.ts';
import { openAmountFill } from '../amounts/fill.ts';
import {
  type ArchiveFaultNote,
  beginArchiveFile,
  endArchiveFile,
  endArchiveMove,
  forgetArchiveFile,
  forgetUnusedFiles,
  giveUpArchiveFile,
  type IndexedBlock,
  noteArchivedDays,
  noteArchiveFaults,
  openArchiveMove,
  useArchiveFolder,
} from '../archive/archive-file.ts';
import { openPacker, type Packing } from '../archive/pack.ts';
import { noteArchiveEnd, noteArchiveFailure, noteArchiveMonths, requestArchiveRun } from '../archive/run.ts';
import { beginBackupFile, type CompleteFile, endBackupFile, forgetBackupFile } from '../backups/backup-file.ts';
import { beginCertification, endCertification, saveCertification } from '../certifications/certification.ts';
import { endCheck, noteCheck, requestCheck } from '../checks/check.ts';
import { leaveCheckTurns, takeCheckTurn } from '../checks/turn.ts';
import { keepDayRules } from '../days/day-rule.ts';
import { declareTotals } from '../declared/declaration.ts';
import { noteBackup } from '../health/last-backup.ts';
import { noteSleep } from '../health/sleep.ts';
import { findBackupTime, noteFile } from '../integrity/known-file.ts';
import { noteScrub, type ScrubSlice } from '../integrity/scrub.ts';
import { openWalMarker } from '../integrity/wal-mark.ts';
import { addAuthority, listAuthorities, sealAuthorityKeys } from '../network/authority.ts';
import { changeNetwork } from '../network/settings.ts';
import { performLaneAct } from '../outbox/act.ts';
import { forgetEndPoints, noteEndPoint } from '../outbox/end-point.ts';
import { listLaneSettings, noteAsked, noteLane, noteReleased, noteSenders, sealTokens } from '../outbox/lane.ts';
import { type ActSlice, beginRecordAct, type ReportedAct } from '../outbox/record-act-move.ts';
import { confirmRestore, findOpenRestore, noteRestore, readIdentity } from '../outbox/restore.ts';
import { createLink, useLink } from '../people/link.ts';
import { addReadToken, noteReadTokenUse, removeReadToken } from '../people/read-token.ts';
import { addUser, changePassword, changeRole, removeUser, resetPassword } from '../people/user.ts';
import { type NotedRefusal, openRefusalWriter } from '../records/refusal.ts';
import { addKeyForms } from '../records/unusual-form.ts';
import { noteAct } from '../setup/act-log.ts';
import { createAdministration, listAdministrations } from '../setup/administration.ts';
import { createKey, ensureKey, type KeyUse, listKeys, noteKeyUses, revokeKey, rotateKey } from '../setup/key.ts';
import type { StoredSetup } from '../setup/setup-cache.ts';
import { markTasks, noteTasksSeen, reopenTask, updateTasks } from '../tasks/task.ts';
import { addFindings } from '../verdicts/finding.ts';
import { addSignOff } from '../verdicts/sign-off.ts';
import { addVerdict } from '../verdicts/verdict.ts';
import { openDatabase, tryEmptyWal, withoutTraces } from './database.ts';
import { openDiskGuard } from './disk-guard.ts';
import type { Examination } from './examiner.ts';
import { type AmountRuleChange, openRecordWrites } from './record-writes.ts';
import { openSeal } from './seal.ts';
import {
  type PackedArrivals,
  type PackedResults,
  type PackedSettlements,
  packResults,
  unpackArrivals,
  unpackSettlements,
} from './transfer.ts';

/** `sealKey` is the key for `openSeal`. */
export interface WriterData {
  readonly path: string;
  readonly sealKey: Uint8Array | undefined;
  /** When the program was built, in epoch milliseconds. A clock that shows an earlier time is wrong. */
  readonly builtAt: number;
}
export type WriterOperations = ReturnType<typeof openWriterOperations>;

/** Opens the connection to the database. */
export function openWriterOperations({ path, sealKey, builtAt }: WriterData) {
  const seal = openSeal(sealKey);
  const db = openDatabase(path, 'write');
  const walMarker = openWalMarker(db, (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0);
  const refusalLog = openRefusalWriter(db);
  const fillAmounts = db.transaction(openAmountFill(db));
  const guard = openDiskGuard(db, path);
  const { write } = guard;
  const records = openRecordWrites(db, walMarker, guard, builtAt);
  let moveArchiveBlock: ReturnType<typeof openArchiveMove> | undefined;
  let packBodies: ReturnType<typeof openPacker> | undefined;
  /** SQLite's `data_version` when the set-up was last read. It changes when another process commits. */
  let setupVersion: unknown;

  /** Runs a change of the set-up. The set-up is read again afterwards. */
  function changeSetup<T>(work: () => T): T {
    setupVersion = undefined;
    return write(work);
  }

  /**
   * Runs a write that may close a store day. If no time zone is stored for store days, it first stores the machine's zone,
   * because a closed day keeps its rule.
   */
  function closeDay<T>(journalId: number, work: () => T): T {
    return write(() => {
      if (keepDayRules(db, journalId)) setupVersion = undefined; // read the set-up again, because the rules belong to it
      return work();
    });
  }

  const operations = {
    appendGroup: (packed: PackedArrivals): PackedResults => packResults(records.append(unpackArrivals(packed))),
    fold: (): void => write(records.fold),
    queryUnstored: records.queryUnstored,
    recover: guard.recover,
    makeDo: guard.makeDo,

    /** Copies as much of the WAL as possible into the database. Returns the number of pages in the WAL. */
    checkpoint: (): number =>
      write(() => {
        records.tryFold(); // so that no tail stays for long
        const [{ log, checkpointed }] = db.pragma('wal_checkpoint(PASSIVE)') as [{ log: number; checkpointed: number }];
        if (checkpointed === log) walMarker.noteCopied();
        return log;
      }),

    writeNotes: (
      uses: ReadonlyMap<number, KeyUse>,
      refusals: readonly NotedRefusal[],
      forms: readonly KeyForm[],
      now: number,
    ): void =>
      write(() => {
        db.transaction(() => {
          noteKeyUses(db, uses);
          refusalLog.add(refusals, now);
          addKeyForms(db, forms);
        }).immediate();
      }, refusalLog.discard),

    /** Returns the set-up if any process may have changed it since the last call; otherwise undefined. */
    readSetupIfChanged(): StoredSetup | undefined {
      const version = db.pragma('data_version', { simple: true });
      if (version === setupVersion) return undefined;
      const openRestore = findOpenRestore(db);
      const setup = {
        keys: listKeys(db),
        administrations: listAdministrations(db),
        lanes: listLaneSettings(db, seal, openRestore !== null),
        identity: readIdentity(db),
        openRestore,
      };
      setupVersion = version;
      return setup;
    },

    /** Seals every secret that is stored in plain text. Returns whether there were any. */
    sealSecrets: (): boolean =>
      write(() => [sealTokens(db, seal), sealAuthorityKeys(db, seal), sealAlertSecrets(db, seal)].includes(true)),
    emptyWal: (): boolean =>
      write(() => {
        const isEmpty = tryEmptyWal(db);
        if (isEmpty) walMarker.noteCopied();
        return isEmpty;
      }),

    createKey: (key: NewKey, actor: string, now: number): Key | undefined =>
      changeSetup(() => createKey(db, key, actor, now)),
    ensureKey: (key: NewKey, actor: string, now: number): EnsuredKey | undefined =>
      changeSetup(() => ensureKey(db, key, actor, now)),
    rotateKey: (id: number, graceMs: number, actor: string, now: number): RotationResult =>
      changeSetup(() => rotateKey(db, id, graceMs, actor, now)),
    revokeKey: (id: number, actor: string, now: number): Key | undefined =>
      changeSetup(() => revokeKey(db, id, actor, now)),
    createAdministration: (wanted: NewAdministration, actor: string, now: number): Administration | undefined =>
      changeSetup(() => createAdministration(db, wanted, actor, now)),
    changeAdministration: (
      name: string,
      change: AdministrationChange,
      actor: string,
      now: number,
    ): AdministrationResult => changeSetup(() => records.changeAdministration(name, change, actor, now)),
    setAmountRule: (...wanted: AmountRuleChange): RuleResult => changeSetup(() => records.setAmountRule(...wanted)),
    fillAmounts: (): boolean => write(() => fillAmounts.immediate()),
    addUser: (user: User, actor: string): boolean => changeSetup(() => addUser(db, user, actor)),
    removeUser: (name: string, mayBeLast: boolean, actor: string, now: number): UserChange =>
      changeSetup(() => removeUser(db, name, mayBeLast, actor, now)),
    changeRole: (change: Pick<User, 'name' | 'role'>, mayBeLast: boolean, actor: string, now: number): UserChange =>
      changeSetup(() => changeRole(db, change, mayBeLast, actor, now)),
    resetPassword: (change: Pick<User, 'name' | 'password'>, actor: string, now: number): NamedUser | undefined =>
      changeSetup(() => withoutTraces(db, () => resetPassword(db, change, actor, now))),
    changePassword: (change: PasswordChange, now: number): boolean =>
      changeSetup(() => withoutTraces(db, () => changePassword(db, change, now))),
    changeNetwork: (change: Partial<NetworkSettings>, actor: string, now: number): NetworkSettings =>
      changeSetup(() => changeNetwork(db, change, actor, now)),
    listAuthorities: (): StoredAuthority[] => listAuthorities(db, seal),
    addAuthority: (authority: NewAuthority, replacesId: number | undefined, actor: string, now: number): boolean =>
      changeSetup(() => addAuthority(db, authority, replacesId, { actor, now, seal })),
    beginCertification: (report: CertificationReport): number => write(() => beginCertification(db, report)),
    saveCertification: (id: number, report: CertificationReport): void =>
      write(() => saveCertification(db, id, report)),
    endCertification: (id: number, report: CertificationReport, now: number): void =>
      write(() => endCertification(db, id, report, now)),
    noteAct: (act: NewAct, actor: string, now: number): number => write(() => noteAct(db, act, actor, now)),
    declareTotals: (
      journalId: number,
      totals: readonly NewDeclaredTotal[],
      by: Declarer & { readonly at: number },
    ): DeclareResult => write(() => declareTotals(db, journalId, totals, by)),
    createLink: (expiresAt: number): string => write(() => createLink(db, expiresAt)),
    useLink: (secret: string, now: number): boolean => write(() => useLink(db, secret, now)),
    addReadToken: (name: string, actor: string, now: number): string | undefined =>
      changeSetup(() => addReadToken(db, name, actor, now)),
    removeReadToken: (name: string, actor: string, now: number): boolean =>
      changeSetup(() => removeReadToken(db, name, actor, now)),
    noteReadTokenUse: (token: ReadToken, now: number): void => write(() => noteReadTokenUse(db, token, now)),
    performLaneAct: (lane: LaneName, act: LaneAct, actor: string, now: number): ActResult =>
      changeSetup(() => withoutTraces(db, () => performLaneAct(db, lane, act, actor, now, seal))),
    beginRecordAct: (lane: LaneName, act: RecordAct, actor: string, now: number): ReportedAct | undefined =>
      write(() => beginRecordAct(db, lane, act, actor, now)),
    /** Uses `changeSetup`, because lanes look for waiting records after each change of the set-up. */
    moveActSlice: (act: RecordAct, begun: ReportedAct, slice: ActSlice): number =>
      changeSetup(() => records.moveActSlice(act, begun, slice)),

    settle: (laneId: number, packed: PackedSettlements): number[] =>
      write(() => records.settle(laneId, unpackSettlements(packed))),

    noteSenders: (journalId: number, by: Interface, senders: readonly string[]): void =>
      changeSetup(() => noteSenders(db, journalId, by, senders)),

    noteEndPoint: (laneId: number, note: EndPointNote): void => write(() => noteEndPoint(db, laneId, note)),
    forgetEndPoints: (laneId: number): void => write(() => forgetEndPoints(db, laneId)),
    noteReleased: (laneId: number, upstreamSetCount: number): void =>
      changeSetup(() => noteReleased(db, laneId, upstreamSetCount)),

    requestCheck: (check: NewCheck): OpenCheck => write(() => requestCheck(db, check)),
    noteCheck: (id: number, progress: CheckProgress): void => write(() => noteCheck(db, id, progress)),
    endCheck: (id: number, at: number): void => write(() => endCheck(db, id, at)),
    takeCheckTurn: (journalId: number, holder: string, now: number, until: number): boolean =>
      write(() => takeCheckTurn(db, journalId, holder, now, until)),
    leaveCheckTurns: (holder: string): void => write(() => leaveCheckTurns(db, holder)),
    noteScrub: (state: ScrubState, slice: ScrubSlice, now: number): void =>
      write(() => db.transaction(() => noteScrub(db, state, slice, now)).immediate()),
    /**
     * Stores the identity of the database file, so that the file does not count as a copy. If the file was a copy, also stores
     * the result of its examination. If the file was a backup, also stores that the data were restored. A copy forgets the archive
     * files that only the copied data may complete.
     */
    noteFile: (isBackup: boolean, examination: Examination | undefined, now: number): void =>
      write(() => {
        db.transaction(() => {
          if (examination !== undefined) {
            const { newestId: lastId, damaged } = examination;
            const ended = { begunAt: now, endedAt: now, afterId: lastId };
            const slice = { afterId: 0, lastId, hasMore: false, indexFault: null, damaged, archiveFaults: [] };
            noteScrub(db, ended, slice, now);
          }
          const backupTime = findBackupTime(db);
          if (isBackup) noteRestore(db, backupTime ?? null, ACTORS.gateway, now);
          forgetUnusedFiles(db);
          noteFile(db, path);
        }).immediate();
      }),
    noteAsked: (laneId: number): void => changeSetup(() => noteAsked(db, laneId)),
    confirmRestore: (actor: string, now: number): boolean => changeSetup(() => confirmRestore(db, actor, now)),
    addVerdict: (verdict: NewVerdict): number => closeDay(verdict.journalId, () => addVerdict(db, verdict)),
    addFindings: (verdictId: number, findings: readonly NewFinding[]): void =>
      write(() => addFindings(db, verdictId, findings)),
    addSignOff: (signOff: NewSignOff): void => closeDay(signOff.journalId, () => addSignOff(db, signOff)),

    confirmClock: (now: number): void => write(() => records.confirmClock(now)),
    noteLane: (laneId: number, note: LaneNote): void => write(() => noteLane(db, laneId, note)),
    noteSleep: (sleep: Sleep): void => write(() => noteSleep(db, sleep)),
    noteBackup: (at: number, newestRecordId: number): void => write(() => noteBackup(db, at, newestRecordId)),
    beginBackupFile: (file: string, now: number): void => write(() => beginBackupFile(db, file, now)),
    endBackupFile: (file: string, complete: CompleteFile): void => write(() => endBackupFile(db, file, complete)),
    forgetBackupFile: (file: string): void => write(() => forgetBackupFile(db, file)),

    useArchiveSettings: (folder: string | undefined, months: number | undefined): void =>
      write(() =>
        db
          .transaction(() => {
            useArchiveFolder(db, folder);
            noteArchiveMonths(db, months);
          })
          .immediate(),
      ),
    noteArchiveFailure: (failure: Pick<ArchiveFailure, 'fault' | 'detail'> | null, now: number): void =>
      write(() => noteArchiveFailure(db, failure, now)),
    noteArchiveEnd: (now: number): void => write(() => noteArchiveEnd(db, now)),
    requestArchiveRun: (now: number): void => write(() => requestArchiveRun(db, now)),
    beginArchiveFile: (name: string, now: number): number => write(() => beginArchiveFile(db, name, now)),
    endArchiveFile: (id: number, bytes: number, days: readonly DayToArchive[]): void =>
      write(() => db.transaction(() => endArchiveFile(db, id, bytes, days)).immediate()),
    noteArchivedDays: (days: readonly DayToArchive[], fileId: number | null): void =>
      write(() => db.transaction(() => noteArchivedDays(db, days, fileId)).immediate()),
    giveUpArchiveFile: (id: number, now: number): boolean =>
      write(() => db.transaction(() => giveUpArchiveFile(db, id, now)).immediate()),
    forgetArchiveFile: (id: number): void => write(() => forgetArchiveFile(db, id)),
    moveArchiveBlock: (fileId: number, block: IndexedBlock): void =>
      write(() => (moveArchiveBlock ??= openArchiveMove(db))(fileId, block)),
    packBodies: (now: number): Packing => write(() => (packBodies ??= openPacker(db))(now)),
    endArchiveMove: (id: number, now: number): void => write(() => endArchiveMove(db, id, now)),
    noteArchiveFaults: (notes: readonly ArchiveFaultNote[], now: number): void =>
      write(() => noteArchiveFaults(db, notes, now)),

    listReceivers: (): StoredReceiver[] => listReceivers(db, seal),
    addReceiver: (receiver: NewReceiver, actor: string, now: number): number | undefined =>
      changeSetup(() => addReceiver(db, receiver, { actor, now, seal })),
    changeReceiver: (
      id: number,
      change: Partial<ReceiverSettings>,
      actor: string,
      now: number,
    ): 'changed' | 'unknown' | 'name taken' => changeSetup(() => changeReceiver(db, id, change, actor, now)),
    removeReceiver: (id: number, actor: string, now: number): boolean =>
      changeSetup(() => withoutTraces(db, () => removeReceiver(db, id, actor, now))),
    readMail: (): StoredMail | null => readMail(db, seal),
    setMail: (mail: Parameters<typeof setMail>[1], actor: string, now: number): void =>
      changeSetup(() => withoutTraces(db, () => setMail(db, mail, { actor, now, seal }))),
    noteAlerts: (report: AlertReport): void => write(() => noteAlerts(db, report)),

    updateTasks: (changes: TaskChanges): void => write(() => updateTasks(db, changes)),
    markTasks: (mark: NewTaskMark, actor: string, now: number): MarkResult =>
      write(() => markTasks(db, mark, actor, now)),
    reopenTask: (id: number, actor: string, now: number): boolean => write(() => reopenTask(db, id, actor, now)),
    noteTasksSeen: (ids: readonly number[], actor: string, now: number): void =>
      write(() => noteTasksSeen(db, ids, actor, now)),

    close(): void {
      try {
        operations.fold();
      } catch {
        // Ignored: the next read folds the tail.
      }
      db.close();
    },
  };
  return operations;
}
