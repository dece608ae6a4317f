// Everything on disk, behind asynchronous operations that take and return domain values. The store owns its
// threads, its transactions and its state: after an error of the disk it takes nothing until it has proved that it
// can write again, and then goes on by itself.

import { setTimeout as delay } from 'node:timers/promises';

import { machineClock } from '../clock.ts';
import type {
  ActView,
  Interface,
  JournalView,
  MachineView,
  RecordDetail,
  RecordSummary,
  RefusalGroup,
  SleepView,
  StoreTrouble,
  TillView,
  UserView,
} from '../contract.ts';
import { openComparisonsBySize } from './records/comparison-queue.ts';
import { type DayStore, openDayStore } from './sqlite/days/day-store.ts';
import { openCheckpoints } from './sqlite/engine/checkpoint.ts';
import { openComparer } from './sqlite/engine/comparer-thread.ts';
import { databasePath } from './sqlite/engine/database.ts';
import type { Examination, ExaminerOperations } from './sqlite/engine/examiner.ts';
import { refusalFor } from './sqlite/engine/fault.ts';
import { openGroupCommit } from './sqlite/engine/group-commit.ts';
import { openNotes } from './sqlite/engine/notes.ts';
import { packSettlements } from './sqlite/engine/packing.ts';
import type { ReaderOperations } from './sqlite/engine/reader.ts';
import { startThread } from './sqlite/engine/thread.ts';
import { openTroubleWatch } from './sqlite/engine/trouble.ts';
import type { WriterData, WriterOperations } from './sqlite/engine/writer.ts';
import { judgeDisk, readSpace as readDiskSpace, type ReadSpace } from './sqlite/files/disk.ts';
import { isOwned, keepOwnerLock } from './sqlite/files/lock.ts';
import { explainStart, prepareForCommand, prepareForGateway, type Prepared } from './sqlite/files/preparation.ts';
import { openReserve } from './sqlite/files/reserve.ts';
import type { Overview, OverviewQuery } from './sqlite/glance/overview.ts';
import { judgeClock } from './sqlite/glance/own-clock.ts';
import type { CheckResult } from './sqlite/integrity/check.ts';
import type { ScrubState } from './sqlite/integrity/scrub.ts';
import { findWalDamage } from './sqlite/integrity/wal-repair.ts';
import { type Act, type ActResult, type HeldAt, isAboutRecords } from './sqlite/outbox/act.ts';
import type { Settlement, WaitingPage, WaitingRecord } from './sqlite/outbox/delivery.ts';
import { ALL_WAITING, type EndPointNote, type WaitingChoice } from './sqlite/outbox/end-point.ts';
import type { LaneName, LaneNote, LaneSettings, LaneStatus } from './sqlite/outbox/lane.ts';
import { performSlicedAct } from './sqlite/outbox/sliced-act.ts';
import type { Range } from './sqlite/records/count.ts';
import type { RangeQuery, RangeResult } from './sqlite/records/range-query.ts';
import type { RecordFilter } from './sqlite/records/record-list.ts';
import type { FoundRecords, RecordSearch } from './sqlite/records/record-search.ts';
import { type Arrival, interfaceOf, type Outcome } from './sqlite/records/record.ts';
import type { ListedRefusal, NewRefusal, RefusalChoice } from './sqlite/records/refusal.ts';
import type { KeyForm, SeenForm } from './sqlite/records/unusual-form.ts';
import type { ActPageQuery, NewAct } from './sqlite/setup/act-log.ts';
import type {
  Administration,
  AdministrationChange,
  AdministrationResult,
  NewAdministration,
} from './sqlite/setup/administration.ts';
import type { JournalCounts } from './sqlite/setup/journal.ts';
import { type Key, keyAt, type NewKey, type RotationResult } from './sqlite/setup/key.ts';
import { openSetup, REFRESH_MS } from './sqlite/setup/setup.ts';
import type { User } from './sqlite/setup/user.ts';

export interface StoreOptions extends Partial<StoreEvents> {
  readonly dataDir: string;
  /** Refuse a data directory that holds no data, instead of making one. */
  readonly mustExist?: boolean;
  /** The gateway owns the data directory; a command works beside a running gateway. */
  readonly role: 'gateway' | 'command';
  /** 32 bytes that secrets are sealed with; undefined where there is no keyring to keep them in. */
  readonly sealKey?: Uint8Array | undefined;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** When this program was built, in epoch milliseconds: a clock before it is wrong. */
  readonly builtAt?: number;
  /** Reads how much space the disk has; undefined for the machine's own. */
  readonly readSpace?: ReadSpace | undefined;
}

/** What happens to the store by itself; whoever opens it may want to log it. */
export interface StoreEvents {
  /** Trouble began, or ended (undefined). */
  onTrouble(trouble: StoreTrouble | undefined, cause: unknown): void;
  /** Something in the background failed: a checkpoint, the notes, looking for a changed set-up. */
  onFault(doing: string, error: unknown): void;
  /** A thread died; the store is of no more use. */
  onDeath(cause: Error): void;
  /** The data are a copy, were moved or come from an earlier version: all of it is read first, which may take minutes. */
  onExamination(): void;
}

export interface Store {
  /**
   * Keeps a call as a record. Resolves when it is on disk, synced. Rejects with a GatewayError, `store_…` or `internal`;
   * then nothing of it is kept.
   */
  append(arrival: Arrival): Promise<Outcome>;
  /**
   * Undefined unless changed resends of a key fill its queue. Then resolves when there is room, or rejects with `store_busy`; to be
   * awaited before a body is read, because what waits is kept in memory.
   */
  waitForRoom(keyId: number): Promise<void> | undefined;
  /** The count of a range and, page by page, its records. */
  queryRange(query: RangeQuery): Promise<RangeResult>;
  /** Every journal, also those without records. */
  countStatuses(): Promise<JournalCounts[]>;
  /** Every journal in the order administration, mode. */
  listJournals(): Promise<JournalView[]>;
  /** Newest first. */
  listRecords(filter: RecordFilter): Promise<RecordSummary[]>;
  /** What is true of a store day of a journal. Takes no longer with ten million records than with ten. */
  getOverview(query: OverviewQuery): Promise<Overview>;
  /** A page of a journal's records, found and in order; it never takes long, but may then be short. */
  searchRecords(search: RecordSearch): Promise<FoundRecords>;
  /** Everything there is to say of a record; undefined where there is none. */
  getRecord(recordId: number): Promise<RecordDetail | undefined>;
  /** The body of a record as it is on disk, byte for byte; undefined where there is no such record. */
  getRecordBody(recordId: number): Promise<Uint8Array | undefined>;
  /** The first bytes of bodies, by record; null where the body is damaged. Those that are not there are left out. */
  getBodyHeads(recordIds: readonly number[], mostBytes: number): Promise<ReadonlyMap<number, Uint8Array | null>>;
  /** Reads everything that is kept; queries wait meanwhile. */
  check(): Promise<CheckResult>;

  /** The key with this secret, revoked or not; knows the changes of other processes within a second. */
  findKey(secret: string): Key | undefined;
  /** Returns undefined when the key exists already. `actor`, here and below, says who does it, as "command line". */
  createKey(key: NewKey, actor: string): Promise<Key | undefined>;
  /** Makes a key for the same till, and lets this one work for `graceMs` more. */
  rotateKey(id: number, graceMs: number, actor: string): Promise<RotationResult>;
  /** For ever, at once. Returns undefined when there is no such key. */
  revokeKey(id: number, actor: string): Promise<Key | undefined>;
  /** All keys, revoked ones too. */
  listKeys(): Promise<Key[]>;
  /**
   * A journal's tills by label, with all their keys and the NEW records of each of `week`: ranges of epoch seconds that begin
   * and end on quarter hours.
   */
  listTills(journalId: number, week: readonly Range[]): Promise<TillView[]>;

  /** The administration of a key or a lane that was found. */
  administrationOf(found: { readonly administration: string }): Administration;
  /** With a journal per mode. Returns undefined when there is one of this name. */
  createAdministration(wanted: NewAdministration, actor: string): Promise<Administration | undefined>;
  changeAdministration(name: string, change: AdministrationChange, actor: string): Promise<AdministrationResult>;
  /** By name. */
  listAdministrations(): Promise<Administration[]>;

  /** How each lane is to be run. */
  lanes(): readonly LaneSettings[];
  /** Tells a watcher, from now on, what has changed; it must be quick. */
  watch(watcher: Partial<StoreWatcher>): void;
  /** A page of the records that wait on a lane, after the record with the id `after`; all of them, or those that are chosen. */
  listWaiting(laneId: number, after: number, choice?: WaitingChoice): Promise<WaitingPage>;
  /** A chosen record that waits on a lane and may go, not far after a place from 0, the oldest, to 1, the newest. */
  findWaiting(laneId: number, place: number, choice?: WaitingChoice): Promise<WaitingRecord | undefined>;
  /**
   * Keeps what became of attempts to forward. Resolves when it is on disk, synced, to the ids of records that were not
   * waiting: there should be none.
   */
  settle(laneId: number, settlements: readonly Settlement[]): Promise<number[]>;
  /** Keeps what is to be said of a lane, for other processes to see. */
  noteLane(laneId: number, note: LaneNote): Promise<void>;
  /** Keeps what is known of an end point of a lane, in place of what was. */
  noteEndPoint(laneId: number, note: EndPointNote): Promise<void>;
  /** Forgets what is known of a lane's end points. */
  forgetEndPoints(laneId: number): Promise<void>;
  /** Whether a lane holds any record. */
  holdsRecords(laneId: number, records: { readonly kind: 'held' } | HeldAt): Promise<boolean>;
  /** Keeps that the held records of a lane were released after its upstream was set for the n-th time. */
  noteReleased(laneId: number, upstreamSets: number): Promise<void>;
  /** Whether nothing comes from tills, and by their habits nothing will for the next hour. */
  isQuiet(): Promise<boolean>;
  /** Notes that this machine slept; epoch milliseconds. */
  noteSleep(sleep: SleepView): Promise<void>;
  /** Keeps through which gateways the records of a lane come. */
  noteSenders(journalId: number, by: Interface, senders: readonly string[]): Promise<void>;
  /** What is true of every lane now. */
  listLaneStatus(): Promise<LaneStatus[]>;
  /**
   * Does what a person asks for, and notes that `actor` did it. Known to a running gateway within a second. An act about very
   * many records takes its time; if it rejects, or the process ends, a part of them is moved, and the log of acts says so.
   */
  performAct(lane: LaneName, act: Act, actor: string): Promise<ActResult>;
  /** Newest first. */
  listActs(query: ActPageQuery): Promise<ActView[]>;

  /** By name. */
  listUsers(): Promise<UserView[]>;
  findUser(name: string): Promise<User | undefined>;
  /** Returns whether the name was free. */
  addUser(user: User, actor: string): Promise<boolean>;
  /** Returns whether there was one. */
  removeUser(name: string, actor: string): Promise<boolean>;
  /** Sets the password of the user who was added at `createdAt`, and notes it. Returns false where that user was removed. */
  changePassword(change: Pick<User, 'name' | 'createdAt' | 'password'>): Promise<boolean>;
  /** Notes an act that changes nothing else in the store. */
  noteAct(act: NewAct, actor: string): Promise<void>;
  /** What is done about store days. */
  readonly days: DayStore;

  /** Makes a one-time link into the console and returns its secret, which may stand in an address. `expiresAt` in epoch milliseconds. */
  createLink(expiresAt: number): Promise<string>;
  /** Uses a link up, whichever process made it; whether it was there and had not expired. */
  useLink(secret: string): Promise<boolean>;

  /** Remembers that a key was used; written within a second. */
  noteKeyUse(keyId: number, at: number): void;
  /**
   * Adds to the refusal log; written within a second, or once the store is out of trouble. In a flood calls of one cause are
   * written as one.
   */
  noteRefusal(refusal: NewRefusal): void;
  /** Calls that were refused and are not in the refusal log yet. */
  unwrittenRefusals(): number;
  /** Counts forms that are accepted but unusual, of a call that was taken; written within a second. */
  noteUnusualForms(keyId: number, at: number, forms: readonly SeenForm[]): void;
  /** By key and form, of all times. */
  listUnusualForms(): Promise<KeyForm[]>;
  /** Newest first. */
  listRefusals(limit: number): Promise<ListedRefusal[]>;
  /** Those of the last thirty days that have to do with a journal, or whose key is not known; by cause, the latest first. */
  groupRefusals(choice: RefusalChoice): Promise<RefusalGroup[]>;

  /** Signs cursors; the same for the life of the data. */
  readonly cursorSecret: Uint8Array;
  /** Why no records are taken at present, if so. */
  trouble(): StoreTrouble | undefined;
  /** How far the scrub has come. */
  readScrub(): Promise<ScrubState>;
  /** Scrubs the next slice of records, of a new scrub where the last one has ended. */
  scrubSlice(): Promise<{ readonly hasMore: boolean; readonly hasDamage: boolean }>;
  /** What is true of the machine now. */
  readMachine(): Promise<MachineView>;
  /** Another machine's clock shows the same as ours: one before the newest record is believed. Does nothing otherwise; safe to call twice. */
  confirmClock(): Promise<void>;
  /** Records waiting for the writer, those with it too whose tills wait for an answer, pages in the WAL at the last checkpoint. */
  load(): { readonly waiting: number; readonly unanswered: number; readonly walPages: number };
  /** Commits what waits, then lets go of the files; to be called once. */
  close(): Promise<void>;
}

/** Told what this process has done, and `setupChanged` also what others have; called as often as it happens. */
export interface StoreWatcher {
  /** Records of this interface were added to this journal, the newest of them with this id. */
  recordsAdded(journalId: number, by: Interface, newestId: number): void;
  /** Deliveries of this lane were settled. */
  deliveriesSettled(laneId: number): void;
  /** What is to be said of this lane was noted. */
  laneNoted(laneId: number): void;
  /** A verdict, a signature, a declared total or a check of store days has changed. */
  daysChanged(): void;
  /** Somebody asks for a check of days of this journal. */
  checkRequested(journalId: number): void;
  /** Refusals were added to the log. */
  refusalsNoted(): void;
  /** Somebody changed a key, an administration, a lane or a user, or what becomes of records that were held. */
  setupChanged(): void;
}

/** Between two tries to empty the WAL of what it must not keep. */
const EMPTY_WAL_MS = 1000;
/** How long a store that is closed waits for a disk that does not answer. */
const LONGEST_DRAIN_MS = 2000;
/** A megabyte of small values takes a hundred MiB to compare; the reader does so for a record that somebody looks at. */
const THREAD_MEMORY_MIB = { writer: 256, reader: 256, examiner: 256 };

/** Opens the store, making or migrating it where needed. Throws an OperatorError that says what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const {
    dataDir,
    role,
    mustExist = false,
    sealKey,
    now = Date.now,
    builtAt = 0,
    readSpace = readDiskSpace,
    onTrouble = ignore,
    onFault = ignore,
    onDeath = ignore,
    onExamination = ignore,
  } = options;
  const closing: (() => void | Promise<void>)[] = [];
  /** Backwards, so that nothing outlives what it stands on. A part that fails leaves no other open; rejects with the first failure. */
  const closeAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const close of closing.toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  let prepared: Prepared | undefined;
  try {
    if (role === 'gateway') {
      prepared = await prepareForGateway(dataDir, now(), examine);
      const lock = keepOwnerLock(dataDir, prepared.lock, {
        onFault: (error) => onFault('lock', error),
        onLost: onDeath,
      });
      closing.push(() => lock.release());
    } else {
      prepareForCommand(dataDir, mustExist);
    }
    return await openParts();
  } catch (error) {
    await closeAll().catch((fault: unknown) => onFault('closing', fault)); // must not hide why the start failed
    throw explainStart(dataDir, error);
  }

  async function examine(path: string): Promise<Examination> {
    onExamination();
    const examiner = await startThread<ExaminerOperations>('examiner', { path }, THREAD_MEMORY_MIB.examiner);
    try {
      return await examiner.call('examine', []);
    } finally {
      await examiner.close();
    }
  }

  async function openParts(): Promise<Store> {
    const path = databasePath(dataDir);
    const fullDisk = prepared?.fullDisk;
    const writerData: WriterData = { path, sealKey, builtAt };
    const writer = await startThread<WriterOperations>('writer', writerData, THREAD_MEMORY_MIB.writer);
    closing.push(() => writer.close());
    writer.onDeath(onDeath);
    const isToBeNoted = prepared !== undefined && prepared.file !== 'known';
    if (isToBeNoted && fullDisk === undefined) await writer.call('noteFile', [prepared?.examination, now()]);
    const reader = await startThread<ReaderOperations>('reader', { path }, THREAD_MEMORY_MIB.reader);
    closing.push(() => reader.close());
    reader.onDeath(onDeath);

    const reserve = role === 'gateway' ? openReserve(dataDir) : undefined;
    const trouble = openTroubleWatch({
      recover: () => writer.call('recover', []),
      makeDo: () => writer.call('makeDo', []),
      reserve,
      now,
      onTrouble,
      onFault: (error) => onFault('reserve', error),
    });
    closing.push(
      () => reserve?.close(),
      () => trouble.close(),
    );
    if (fullDisk === undefined) reserve?.make().catch((error: unknown) => onFault('reserve', error));
    else trouble.begin(fullDisk);
    const reading = <T>(answer: Promise<T>): Promise<T> =>
      answer.catch((error: unknown) => {
        throw refusalFor(error);
      });

    const checkpoints = openCheckpoints(
      () => trouble.guard(writer.call('checkpoint', [])),
      (error) => onFault('checkpoint', error),
      reserve && (await reserve.bytes()) / 2,
    );
    closing.push(() => checkpoints.close());
    const groups = openGroupCommit((group) => {
      const bytes = group.bodies.byteLength; // zero once the buffer has changed hands
      const results = trouble.guard(writer.call('appendGroup', [group], [group.bodies]));
      checkpoints.noteWritten(group.count, bytes);
      return results;
    });

    const [small, large] = [openComparer(path, onDeath), openComparer(path, onDeath)];
    const comparisons = openComparisonsBySize({ small: small.run, large: large.run }, machineClock);
    closing.push(
      () => small.close(),
      () => large.close(),
    );

    const watchers: Partial<StoreWatcher>[] = [];
    /** Where records were added since the watchers were told. */
    const added = new Map<string, [journalId: number, by: Interface, newestId: number]>();
    function noteAdded(arrival: Arrival, recordId: number): void {
      const by = interfaceOf(arrival);
      if (added.size === 0) setImmediate(tellWatchers);
      added.set(`${arrival.journalId} ${by}`, [arrival.journalId, by, recordId]); // they come in the order they were added
    }
    function tellWatchers(): void {
      for (const what of added.values()) for (const watcher of watchers) watcher.recordsAdded?.(...what);
      added.clear();
    }

    const notes = openNotes(
      () => trouble.current() === undefined,
      async (uses, refusals, forms) => {
        checkpoints.noteWritten(uses.size + refusals.length + forms.length, 0);
        await trouble.guard(writer.call('writeNotes', [uses, refusals, forms, now()]));
        if (refusals.length > 0) for (const watcher of watchers) watcher.refusalsNoted?.();
      },
      (error) => onFault('notes', error),
    );
    /** A query, or a copy that another process makes, may keep the WAL from being emptied for a while. */
    async function sealTokens(): Promise<void> {
      let hasTraces = await trouble.guard(writer.call('sealTokens', []));
      while (hasTraces) {
        hasTraces = !(await writer.call('emptyWal', []));
        if (hasTraces) await delay(EMPTY_WAL_MS, undefined, { ref: false });
      }
    }
    const setup = await openSetup(
      () => writer.call('readSetupIfChanged', []),
      () => {
        if (sealKey !== undefined) sealTokens().catch((error: unknown) => onFault('sealing', error));
        for (const watcher of watchers) watcher.setupChanged?.();
      },
      (error) => onFault('set-up', error),
    );
    /** Resolves when a change is known here, or to the gateway that may be running beside a command. */
    const changeTold = (): Promise<void> => (role === 'gateway' ? setup.refresh() : delay(REFRESH_MS + 50));
    closing.push(
      () => notes.write(),
      () => Promise.race([groups.drained(), delay(LONGEST_DRAIN_MS, undefined, { ref: false })]),
      () => notes.close(),
      () => setup.close(),
      () => comparisons.close(),
    );

    return {
      cursorSecret: await reader.call('getSecret', ['cursor']),

      async append(arrival) {
        trouble.assertTaking();
        let result = await groups.append(arrival);
        // Once, as an original never changes. The transaction has the last word all the same.
        while (result.status === 'uncompared') {
          const { originalId, originalBytes } = result;
          const { keyId, earlier, body } = arrival;
          const resend = { originalId, originalBytes, method: earlier?.method ?? null, body };
          const differences = await comparisons.compare(keyId, resend);
          trouble.assertTaking();
          result = await groups.append({ ...arrival, compared: { originalId, differences } });
        }
        if (result.status !== 'failed') {
          noteAdded(arrival, result.recordId);
          return result;
        }
        const cause = Object.assign(new Error(result.message), { code: result.code });
        return trouble.guard(Promise.reject(cause));
      },

      waitForRoom: comparisons.waitForRoom,

      queryRange: (query) => reading(reader.call('queryRange', [query])),
      countStatuses: () => reading(reader.call('countStatuses', [])),
      listJournals: () => reading(reader.call('listJournals', [])),
      listRecords: (filter) => reading(reader.call('listRecords', [filter])),
      getOverview: (query) => reading(reader.call('getOverview', [query])),
      searchRecords: (search) => reading(reader.call('searchRecords', [search])),
      getRecord: (recordId) => reading(reader.call('getRecord', [recordId])),
      getRecordBody: (recordId) => reading(reader.call('getRecordBody', [recordId])),
      getBodyHeads: (recordIds, mostBytes) => reading(reader.call('getBodyHeads', [recordIds, mostBytes])),
      check: () => reading(reader.call('check', [])),

      findKey(secret) {
        const key = setup.findKey(secret);
        return key && keyAt(key, now());
      },
      async createKey(key, actor) {
        const created = await trouble.guard(writer.call('createKey', [key, actor, now()]));
        await changeTold();
        return created;
      },
      async rotateKey(id, graceMs, actor) {
        const result = await trouble.guard(writer.call('rotateKey', [id, graceMs, actor, now()]));
        await changeTold();
        return result;
      },
      async revokeKey(id, actor) {
        const revoked = await trouble.guard(writer.call('revokeKey', [id, actor, now()]));
        await changeTold();
        return revoked;
      },
      async listKeys() {
        await notes.write();
        const keys = await reading(reader.call('listKeys', []));
        return keys.map((key) => keyAt(key, now()));
      },
      async listTills(journalId, week) {
        await notes.write();
        return reading(reader.call('listTills', [journalId, week, now()]));
      },

      administrationOf: (found) => setup.administrationOf(found),
      async createAdministration(wanted, actor) {
        const created = await trouble.guard(writer.call('createAdministration', [wanted, actor, now()]));
        await changeTold();
        return created;
      },
      async changeAdministration(name, change, actor) {
        const result = await trouble.guard(writer.call('changeAdministration', [name, change, actor, now()]));
        await changeTold();
        return result;
      },
      listAdministrations: () => reading(reader.call('listAdministrations', [])),

      lanes: () => setup.lanes(),
      watch: (watcher) => void watchers.push(watcher),
      listWaiting: (laneId, after, choice = ALL_WAITING) =>
        reading(reader.call('listWaiting', [laneId, after, choice])),
      findWaiting: (laneId, place, choice = ALL_WAITING) =>
        reading(reader.call('findWaiting', [laneId, place, choice])),
      async settle(laneId, settlements) {
        checkpoints.noteWritten(settlements.length, 0);
        const strange = await trouble.guard(writer.call('settle', [laneId, packSettlements(settlements)]));
        for (const watcher of watchers) watcher.deliveriesSettled?.(laneId);
        return strange;
      },
      async noteLane(laneId, note) {
        await trouble.guard(writer.call('noteLane', [laneId, note]));
        for (const watcher of watchers) watcher.laneNoted?.(laneId);
      },
      noteEndPoint: (laneId, note) => trouble.guard(writer.call('noteEndPoint', [laneId, note])),
      forgetEndPoints: (laneId) => trouble.guard(writer.call('forgetEndPoints', [laneId])),
      holdsRecords: (laneId, records) => reading(reader.call('holdsRecords', [laneId, records])),
      async noteReleased(laneId, upstreamSets) {
        await trouble.guard(writer.call('noteReleased', [laneId, upstreamSets]));
        await setup.refresh();
      },
      isQuiet: () => reading(reader.call('isQuiet', [now()])),
      noteSleep: (sleep) => trouble.guard(writer.call('noteSleep', [sleep])),
      async noteSenders(journalId, by, senders) {
        await trouble.guard(writer.call('noteSenders', [journalId, by, senders]));
        await changeTold();
      },
      listLaneStatus: () => reading(reader.call('listLaneStatus', [role === 'gateway' || isOwned(dataDir)])),
      async performAct(lane, act, actor) {
        const result = isAboutRecords(act)
          ? await performSlicedAct({
              begin: () => trouble.guard(writer.call('beginRecordAct', [lane, act, actor, now()])),
              plan: ({ laneId }) => reading(reader.call('planRecordAct', [laneId, act])),
              readPage: ({ laneId }, step, after) => reading(reader.call('readActPage', [laneId, step, after])),
              move(begun, slice) {
                checkpoints.noteWritten(slice.recordIds.length, 0);
                return trouble.guard(writer.call('moveActSlice', [act, begun, slice]));
              },
            })
          : await trouble.guard(writer.call('performLaneAct', [lane, act, actor, now()]));
        await changeTold();
        return result;
      },
      listActs: (query) => reading(reader.call('listActs', [query])),

      listUsers: () => reading(reader.call('listUsers', [])),
      findUser: (name) => reading(reader.call('findUser', [name])),
      async addUser(user, actor) {
        const isAdded = await trouble.guard(writer.call('addUser', [user, actor]));
        await changeTold();
        return isAdded;
      },
      async removeUser(name, actor) {
        const isRemoved = await trouble.guard(writer.call('removeUser', [name, actor, now()]));
        await changeTold();
        return isRemoved;
      },
      async changePassword(change) {
        const isChanged = await trouble.guard(writer.call('changePassword', [change, now()]));
        await changeTold();
        return isChanged;
      },
      noteAct: async (act, actor) => void (await trouble.guard(writer.call('noteAct', [act, actor, now()]))),
      days: openDayStore({
        reader,
        writer,
        reading,
        guard: trouble.guard,
        noteWritten: (rows) => checkpoints.noteWritten(rows, 0),
        noteChange() {
          for (const watcher of watchers) watcher.daysChanged?.();
        },
        noteRequest(journalId) {
          for (const watcher of watchers) watcher.checkRequested?.(journalId);
        },
        now,
      }),
      createLink: (expiresAt) => trouble.guard(writer.call('createLink', [expiresAt])),
      useLink: (secret) => trouble.guard(writer.call('useLink', [secret, now()])),

      noteKeyUse: notes.noteKeyUse,
      noteRefusal: notes.noteRefusal,
      unwrittenRefusals: notes.unwrittenRefusals,
      noteUnusualForms: notes.noteUnusualForms,
      async listUnusualForms() {
        await notes.write();
        return reading(reader.call('listUnusualForms', []));
      },
      async listRefusals(limit) {
        await notes.write();
        return reading(reader.call('listRefusals', [limit]));
      },
      async groupRefusals(choice) {
        await notes.write();
        return reading(reader.call('groupRefusals', [choice, now()]));
      },

      trouble: trouble.current,
      async readMachine() {
        const [{ bytesPerDay, newestAt, damaged, indexFault }, space, walDamage] = await Promise.all([
          reading(reader.call('readMachineFacts', [now()])),
          readSpace(dataDir),
          findWalDamage(dataDir),
        ]);
        return {
          disk: space === undefined ? null : judgeDisk(space.freeBytes, space.totalBytes, bytesPerDay),
          clock: judgeClock(now(), builtAt, newestAt),
          walDamage,
          damaged,
          indexFault,
        };
      },
      readScrub: () => reading(reader.call('readScrub', [])),
      async scrubSlice() {
        const state = await reading(reader.call('readScrub', []));
        const isNew = state.begunAt === null || state.endedAt !== null;
        const slice = await reading(reader.call('readScrubSlice', [isNew ? 0 : state.afterId]));
        const next = {
          begunAt: isNew ? now() : state.begunAt,
          endedAt: slice.hasMore ? null : now(),
          afterId: slice.lastId,
        };
        await trouble.guard(writer.call('noteScrub', [next, slice, now()]));
        return { hasMore: slice.hasMore, hasDamage: slice.damaged.length > 0 || slice.indexFault !== null };
      },
      confirmClock: () => trouble.guard(writer.call('confirmClock', [now()])),
      load: () => ({ waiting: groups.waiting(), unanswered: groups.unanswered(), walPages: checkpoints.walPages() }),
      close: closeAll,
    };
  }
}

function ignore(): void {}
