// The restorer thread: copies and checks a backup while the gateway runs. If a network share does not answer, only this thread
// waits.

import { closeSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';

import type { StartFault } from '../../../contract/desktop.ts';
import type { CheckedContent, CheckFault, CheckProgress } from '../../../contract/restores.ts';
import { OperatorError } from '../../../errors.ts';
import type { CheckOutcome, RestoreOrder } from '../../restores/ledger.ts';
import { LOCK_FILE } from '../files/lock.ts';
import { planReplacement } from '../files/replacement.ts';
import {
  checkCopy,
  type CheckedBackup,
  type CheckedCopy,
  discardCopy,
  noteRestored,
  openSource,
} from '../files/restore.ts';
import type { RecordMark } from '../restores/since.ts';
import { answerCalls, threadData } from './thread.ts';

const { dataDir } = threadData<{ readonly dataDir: string }>();

let checked: CheckedCopy | undefined;

function discard(): void {
  if (checked !== undefined) discardCopy(checked.path);
  checked = undefined;
}

/** A sound backup comes with its newest record, so that the reader can compare it with the data. */
export type Checked =
  | Extract<CheckOutcome, { readonly kind: 'refused' }>
  | { readonly kind: 'sound'; readonly content: CheckedContent; readonly newest: RecordMark | null };

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

  check: async (file: string, archiveFolder: string | undefined, progress: MessagePort): Promise<Checked> => {
    discard();
    try {
      // Closing such a file would release the locks that SQLite has on it in this process.
      if (isLive(file)) throw new OperatorError(`${file} belongs to the data in use.`, { fault: 'data_foreign' });
      const source = openSource(file);
      try {
        const onProgress = (step: CheckProgress): void => progress.postMessage(step);
        checked = await checkCopy(dataDir, source, { onProgress, archiveFolder });
      } finally {
        closeSync(source.file);
      }
      return { kind: 'sound', content: describe(checked.backup), newest: checked.backup.newest };
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      return { kind: 'refused', fault: faultOf(error), detail: error.message };
    } finally {
      progress.close();
    }
  },

  discard,

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
  return ['counterfoil.db', 'counterfoil.db-wal', 'counterfoil.db-shm', LOCK_FILE].some((name) => {
    const found = statSync(join(dataDir, name), { throwIfNoEntry: false });
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
