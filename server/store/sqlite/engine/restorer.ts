// The restorer thread: copies and checks a backup while the gateway runs. If a network share does not answer, only this thread
// waits.

import { appendFileSync, closeSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';

import type { StartFault } from '../../../contract/desktop.ts';
import type { CheckedContent, CheckFault, CheckProgress } from '../../../contract/restores.ts';
import { OperatorError } from '../../../errors.ts';
import type { CheckRefusal, ChosenBackup, RestoreOrder } from '../../restores/ledger.ts';
import { assertRoom } from '../files/backup.ts';
import { LOCK_FILE } from '../files/lock.ts';
import { deleteNewFiles, isReplacementOpen, planReplacement } from '../files/replacement.ts';
import {
  checkCopy,
  type CheckedBackup,
  type CheckedCopy,
  type CheckOptions,
  discardCopy,
  examineCopy,
  noteRestored,
  openSource,
  pathOfCopy,
} from '../files/restore.ts';
import type { RecordMark } from '../restores/since.ts';
import { databasePath } from './database.ts';
import { answerCalls, threadData } from './thread.ts';

const { dataDir } = threadData<{ readonly dataDir: string }>();

let checked: CheckedCopy | undefined;
/** A backup that arrives in parts. */
let arriving: { readonly path: string; readonly bytes: number; readonly total: number } | undefined;

function discard(): void {
  for (const copy of [checked, arriving]) if (copy !== undefined) discardCopy(copy.path);
  checked = undefined;
  arriving = undefined;
}

/** Runs `work`. Returns a refusal if it throws an OperatorError. */
async function refusing<T>(work: () => T | Promise<T>): Promise<T | CheckRefusal> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { kind: 'refused', fault: faultOf(error), detail: error.message };
  }
}

async function checkFileAt(file: string, options: CheckOptions): Promise<CheckedCopy> {
  // Closing such a file would release the locks that SQLite has on it in this process.
  if (isLive(file)) throw new OperatorError(`${file} belongs to the data in use.`, { fault: 'data_foreign' });
  const source = openSource(file);
  try {
    return await checkCopy(dataDir, source, options);
  } finally {
    closeSync(source.file);
  }
}

function checkArrived(name: string, options: CheckOptions): CheckedCopy {
  if (arriving === undefined) throw new OperatorError(`${name} has not arrived. Choose it again.`);
  const { path } = arriving;
  arriving = undefined;
  return examineCopy({ dataDir, path, name }, options);
}

/** A sound backup comes with its newest record, so that the reader can compare it with the data. */
export type Checked =
  | CheckRefusal
  | ({ readonly kind: 'sound'; readonly content: CheckedContent; readonly newest: RecordMark | null } & Pick<
      CheckedCopy,
      'upstreams'
    >);

/** A file in a folder of backups. */
export interface FoundFile {
  readonly name: string;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
}

const operations = {
  list: (folder: string): FoundFile[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.db'))
      .flatMap((name): FoundFile[] => {
        const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
        if (found?.isFile() !== true || isLive(join(folder, name))) return [];
        return [{ name, bytes: found.size, modifiedAt: Math.floor(found.mtimeMs) }];
      }),

  /** Adds the next part of a backup. Offset 0 begins another backup of `total` bytes. Returns false if a part is missing. */
  receive: (offset: number, part: Uint8Array, total: number): Promise<boolean | CheckRefusal> =>
    refusing(() => {
      if (offset === 0) {
        discard();
        assertRoom(total, dataDir);
        arriving = { path: pathOfCopy(dataDir), bytes: 0, total };
      }
      if (arriving?.bytes !== offset) return false;
      if (offset + part.length > arriving.total) return false; // there was room only for `total` bytes
      appendFileSync(arriving.path, part, { mode: 0o600 });
      arriving = { ...arriving, bytes: offset + part.length };
      return true;
    }),

  check: async (backup: ChosenBackup, archiveFolder: string | undefined, progress: MessagePort): Promise<Checked> => {
    const options = { archiveFolder, onProgress: (step: CheckProgress): void => progress.postMessage(step) };
    try {
      return await refusing(async () => {
        if (backup.kind === 'file') discard();
        const found =
          backup.kind === 'file' ? await checkFileAt(backup.path, options) : checkArrived(backup.name, options);
        checked = found;
        const { backup: content, upstreams } = found;
        return { kind: 'sound' as const, content: describe(content), newest: content.newest, upstreams };
      });
    } finally {
      progress.close();
    }
  },

  /** Also deletes the copies of a thread that was ended. */
  discardAll: (): void => {
    discard();
    if (!isReplacementOpen(dataDir)) deleteNewFiles(dataDir);
  },

  plan: (order: RestoreOrder, now: number): string => {
    if (checked === undefined) throw new Error('no backup was checked');
    noteRestored(checked, order, now);
    const asidePath = planReplacement(dataDir, checked.path, now);
    checked = undefined;
    return asidePath;
  },

  close: discard,
};

/** Whether a path leads to a file that this process has open. */
function isLive(path: string): boolean {
  const asked = statSync(path, { throwIfNoEntry: false });
  if (asked === undefined) return false;
  const database = databasePath(dataDir);
  return [database, `${database}-wal`, `${database}-shm`, join(dataDir, LOCK_FILE)].some((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.ino === asked.ino && found.dev === asked.dev;
  });
}

function describe({
  schema,
  programSchema,
  archive,
  settings,
  sealed,
  newest: _,
  bytes: __,
  ...content
}: CheckedBackup): CheckedContent {
  const { upstreamKeys, alertReceivers, hasMailPassword, hasAuthority } = sealed;
  return {
    ...content,
    isMigrated: schema < programSchema,
    missingArchiveFiles: archive.faults.length,
    settings: settings === null ? [] : namesIn(settings),
    sealedSecrets: upstreamKeys + alertReceivers + Number(hasMailPassword) + Number(hasAuthority),
  };
}

function namesIn(settings: string): string[] {
  try {
    return Object.keys(JSON.parse(settings) as object);
  } catch {
    return [];
  }
}

const FAULTS: Partial<Record<StartFault, CheckFault>> = {
  data_foreign: 'foreign',
  data_damaged: 'damaged',
  data_newer: 'newer',
  disk_full: 'full',
  data_unwritable: 'unreadable',
};

function faultOf({ fault }: OperatorError): CheckFault {
  return FAULTS[fault] ?? 'other';
}

export type RestorerOperations = typeof operations;

answerCalls(operations);
