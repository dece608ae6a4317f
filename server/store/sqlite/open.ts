// Opens a store in SQLite: opens the files and threads and builds the ledgers on them.

import { setTimeout as delay } from 'node:timers/promises';

import { machineClock } from '../../lib/clock.ts';
import type { Store, StoreOptions, StoreWatcher, UpdateBackup } from '../store.ts';
import { openAlertLedger } from './alerts/ledger.ts';
import { openAmountLedger } from './amounts/ledger.ts';
import { openArchiveLedger } from './archive/ledger.ts';
import { openBackupLedger } from './backups/ledger.ts';
import { openCertificationLedger } from './certifications/ledger.ts';
import { openCheckLedger } from './checks/ledger.ts';
import { openDayLedger } from './days/ledger.ts';
import { openDeclaredLedger } from './declared/ledger.ts';
import { openCheckpoints } from './engine/checkpoint.ts';
import type { CommandOperations } from './engine/command.ts';
import { openComparer } from './engine/comparer-thread.ts';
import { openComparisonsBySize } from './engine/comparison-queue.ts';
import { databasePath } from './engine/database.ts';
import { openNotes } from './engine/deferred-writes.ts';
import { openTroubleWatch } from './engine/disk-trouble.ts';
import type { Examination, ExaminerOperations } from './engine/examiner.ts';
import { refusalFor } from './engine/fault.ts';
import { openFoldedReader } from './engine/folded-reader.ts';
import { openGroupCommit } from './engine/group-commit.ts';
import type { EngineParts } from './engine/parts.ts';
import type { ReaderOperations } from './engine/reader-operations.ts';
import { startThread, type Thread } from './engine/thread.ts';
import type { UpdaterData, UpdaterOperations } from './engine/updater.ts';
import type { WriterData, WriterOperations } from './engine/writer-operations.ts';
import { readSpace as readDiskSpace } from './files/disk.ts';
import { isOwned, keepOwnerLock } from './files/lock.ts';
import { explainStart, prepareForCommand, prepareForGateway, type Prepared } from './files/preparation.ts';
import { openReserve } from './files/reserve.ts';
import { openGlanceLedger } from './glance/ledger.ts';
import { openHealthLedger } from './health/ledger.ts';
import { openNetworkLedger } from './network/ledger.ts';
import { openOutboxLedger } from './outbox/ledger.ts';
import { openPeopleLedger } from './people/ledger.ts';
import { openRecordLedger } from './records/ledger.ts';
import { openRestoreLedger } from './restores/ledger.ts';
import { openSetupLedger } from './setup/ledger.ts';
import { openSetupCache, REFRESH_MS } from './setup/setup-cache.ts';
import { openTaskLedger } from './tasks/ledger.ts';
import { openVerdictLedger } from './verdicts/ledger.ts';

/** Pause between two attempts to empty a WAL that contains secrets in plain text. */
const EMPTY_WAL_MS = 1000;
/** How long closing waits for a disk that does not answer. */
const MAX_DRAIN_MS = 2000;
/**
 * Memory limits of the threads. Comparing a megabyte of small values takes a hundred MiB. The reader compares two calls when it
 * shows a record in detail. The thread of a command does the same work, but one operation at a time.
 */
const THREAD_MEMORY_MIB = { writer: 256, reader: 256, command: 256, examiner: 256, updater: 256 };
/** How often the progress of an update is told. */
const UPDATE_TELL_MS = 10_000;

/** Opens the store and creates or migrates it if needed. Throws an OperatorError that says what to do. */
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
    onRestore = ignore,
    onUpdate = ignore,
    onEarlierNetwork = ignore,
    onUpdateBackup = ignore,
  } = options;
  const closing: (() => void | Promise<void>)[] = [];
  /**
   * Closes parts in reverse order, so that each part closes before the parts that it needs. If one part fails to close, still
   * closes the other parts. Rejects with the first failure.
   */
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
  let updateBackup: UpdateBackup | undefined;
  let isNetworkRead = false;
  try {
    if (role === 'gateway') {
      prepared = await prepareForGateway(dataDir, now(), { examine, update });
      const { restore } = prepared;
      if (updateBackup !== undefined) onUpdateBackup(updateBackup);
      if (restore !== undefined) onRestore(restore);
      const lock = keepOwnerLock(dataDir, prepared.lock, {
        onFault: (error) => onFault('lock', error),
        onLost: onDeath,
      });
      closing.push(() => lock.release());
    } else {
      updateBackup = prepareForCommand(dataDir, mustExist, now());
      if (updateBackup !== undefined) onUpdateBackup(updateBackup);
    }
    return await openParts();
  } catch (error) {
    // this failure must not hide why the start failed
    await closeAll().catch((fault: unknown) => onFault('closing', fault));
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

  async function update(): Promise<void> {
    const progress = new Int32Array(new SharedArrayBuffer(8));
    const updaterData: UpdaterData = { dataDir, sealKey, progress };
    const updater = await startThread<UpdaterOperations>('updater', updaterData, THREAD_MEMORY_MIB.updater);
    onUpdate(0, 0);
    const timer = setInterval(() => {
      const [step = 0, steps = 0] = progress;
      if (step > 0) onUpdate(step, steps);
    }, UPDATE_TELL_MS);
    try {
      if (!isNetworkRead)
        await updater
          .call('readNetwork', [])
          .then(onEarlierNetwork)
          .catch((error: unknown) => onFault('the network of the earlier version', error));
      isNetworkRead = true;
      updateBackup ??= await updater.call('backUp', [now()]);
      await updater.call('migrate', []);
    } finally {
      clearInterval(timer);
      await updater.close();
    }
  }

  /** Starts the threads for queries and for changes. A command uses one thread for both (engine/command.ts). */
  async function startThreads(
    data: WriterData,
  ): Promise<{ writer: Thread<WriterOperations>; reader: Thread<ReaderOperations> }> {
    if (role === 'command') {
      const both = await startThread<CommandOperations>('command', data, THREAD_MEMORY_MIB.command);
      closing.push(() => both.close());
      return { writer: both, reader: both };
    }
    const starts = [
      startThread<WriterOperations>('writer', data, THREAD_MEMORY_MIB.writer),
      startThread<ReaderOperations>('reader', { path: data.path }, THREAD_MEMORY_MIB.reader),
    ] as const;
    for (const start of await Promise.allSettled(starts))
      if (start.status === 'fulfilled') closing.push(() => start.value.close());
    const [writer, reader] = await Promise.all(starts);
    return { writer, reader };
  }

  async function openParts(): Promise<Store> {
    const path = databasePath(dataDir);
    const fullDisk = prepared?.fullDisk;
    const { writer, reader } = await startThreads({ path, sealKey, builtAt });
    writer.onDeath(onDeath);
    reader.onDeath(onDeath);
    const isToBeNoted = prepared !== undefined && prepared.file !== 'known';
    if (isToBeNoted && fullDisk === undefined)
      await writer.call('noteFile', [prepared?.file === 'backup', prepared?.examination, now()]);

    const reserve = role === 'gateway' ? openReserve(dataDir, readSpace) : undefined;
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
    const watchers: Partial<StoreWatcher>[] = [];
    const tell: EngineParts['tell'] = (call) => {
      for (const watcher of watchers) call(watcher);
    };
    const groups = openGroupCommit(async (group) => {
      const bytes = group.bodies.byteLength; // read here, because the transfer of the buffer makes it zero
      const startedAt = performance.now();
      const results = trouble.guard(writer.call('appendGroup', [group], [group.bodies]));
      checkpoints.noteWritten(group.count, bytes);
      await results;
      tell((watcher) => watcher.groupStored?.(performance.now() - startedAt));
      return results;
    });

    const [small, large] = [openComparer(path, onDeath), openComparer(path, onDeath)];
    const comparisons = openComparisonsBySize({ small: small.run, large: large.run }, machineClock);
    closing.push(
      () => small.close(),
      () => large.close(),
    );

    const notes = openNotes(
      () => trouble.current() === undefined,
      async (uses, refusals, forms) => {
        checkpoints.noteWritten(uses.size + refusals.length + forms.length, 0);
        await trouble.guard(writer.call('writeNotes', [uses, refusals, forms, now()]));
        if (refusals.length > 0) tell((watcher) => watcher.refusalsNoted?.());
      },
      (error) => onFault('notes', error),
    );
    /**
     * Seals the secrets and removes their plain text from the WAL. A query, or a backup by another process, may delay the
     * removal.
     */
    async function sealSecrets(): Promise<void> {
      let hasTraces = await trouble.guard(writer.call('sealSecrets', []));
      while (hasTraces) {
        hasTraces = !(await writer.call('emptyWal', []));
        if (hasTraces) await delay(EMPTY_WAL_MS, undefined, { ref: false });
      }
    }
    const cache = await openSetupCache(
      () => writer.call('readSetupIfChanged', []),
      () => {
        if (sealKey !== undefined) sealSecrets().catch((error: unknown) => onFault('sealing', error));
        tell((watcher) => watcher.setupChanged?.());
      },
      (error) => onFault('set-up', error),
    );
    const changeTold = (): Promise<void> => (role === 'gateway' ? cache.refresh() : delay(REFRESH_MS + 50));
    closing.push(
      () => notes.write(),
      () => Promise.race([groups.drained(), delay(MAX_DRAIN_MS, undefined, { ref: false })]),
      () => notes.close(),
      () => cache.close(),
      () => comparisons.close(),
    );

    const cursorSecret = await reader.call('getSecret', ['cursor']);
    const parts: EngineParts = {
      reader: openFoldedReader(reader, writer, trouble.guard),
      writer,
      notes,
      reading,
      guard: trouble.guard,
      noteWritten: (rows, bytes = 0) => checkpoints.noteWritten(rows, bytes),
      async changing(answer) {
        const result = await trouble.guard(answer);
        await changeTold();
        return result;
      },
      async changingDays(answer, rows = 1) {
        parts.noteWritten(rows);
        const result = await trouble.guard(answer);
        tell((watcher) => watcher.daysChanged?.());
        return result;
      },
      tell,
      now,
    };
    const backups = openBackupLedger({ ...parts, dataDir });
    const archive = openArchiveLedger({ ...parts, dataDir });
    const restores = openRestoreLedger({ ...parts, dataDir });
    closing.push(
      () => backups.close(),
      () => restores.close(),
      () => archive.close(),
    );
    return {
      backups,
      restores,
      archive,
      records: openRecordLedger({ ...parts, groups, comparisons, trouble, cursorSecret }),
      amounts: openAmountLedger(parts),
      outbox: openOutboxLedger({ ...parts, cache, isServed: () => role === 'gateway' || isOwned(dataDir) }),
      days: openDayLedger(parts),
      verdicts: openVerdictLedger(parts),
      declared: openDeclaredLedger(parts),
      checks: openCheckLedger(parts),
      setup: openSetupLedger({ ...parts, cache }),
      people: openPeopleLedger(parts),
      network: openNetworkLedger(parts),
      certifications: openCertificationLedger(parts),
      glance: openGlanceLedger(parts),
      health: openHealthLedger({ ...parts, dataDir, builtAt, readSpace, trouble, groups, checkpoints }),
      tasks: openTaskLedger(parts),
      alerts: openAlertLedger(parts),
      watch: (watcher) => void watchers.push(watcher),
      close: closeAll,
    };
  }
}

function ignore(): void {}
