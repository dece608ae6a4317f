// Everything on disk, behind asynchronous operations that take and return domain values. The store owns its two
// threads, its transactions and its state: after an error of the disk it takes nothing until it has proved that it
// can write again, and then goes on by itself.

import { mkdirSync } from 'node:fs';

import type { StoreTrouble } from '../contract.ts';
import { GatewayError, OperatorError } from '../errors.ts';
import { checkpointTruncate, classifyStorageError, databasePath, openDatabase } from './database.ts';
import { openGroupCommit } from './group-commit.ts';
import type { JournalCounts } from './journal.ts';
import { openKeyRing } from './key-ring.ts';
import type { Key, NewKey } from './key.ts';
import { type OwnerLock, takeOwnerLock } from './lock.ts';
import { assertSchemaCurrent, migrate } from './migrations.ts';
import type { CheckResult, RangeAnswer, RangeQuery, ReaderOperations } from './reader.ts';
import type { Arrival, Outcome, RecordFilter, RecordSummary } from './record.ts';
import type { Refusal } from './refusal.ts';
import { startThread } from './thread.ts';
import type { WriterOperations } from './writer.ts';

export interface StoreOptions {
  /** Made when it is not there. */
  readonly dataDir: string;
  /** The gateway owns the data directory; a command works beside a running gateway. */
  readonly role: 'gateway' | 'command';
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Trouble began, or ended (undefined). */
  readonly onTrouble?: (trouble: StoreTrouble | undefined, cause: unknown) => void;
  /** A thread died; the store is of no more use. */
  readonly onDeath?: (cause: Error) => void;
}

export interface Store {
  /**
   * Keeps a call as a record. Resolves when it is on disk, synced. Rejects with `store_busy`, `store_full`,
   * `store_unavailable` or `internal`; then nothing of it is kept.
   */
  append(arrival: Arrival): Promise<Outcome>;
  queryRange(query: RangeQuery): Promise<RangeAnswer>;
  countStatuses(): Promise<JournalCounts[]>;
  /** Newest first. */
  listRecords(filter: RecordFilter): Promise<RecordSummary[]>;
  check(): Promise<CheckResult>;

  /** The key with this secret, revoked or not; knows the changes of other processes within a second. */
  findKey(secret: string): Key | undefined;
  /** Returns undefined when the key exists already. */
  createKey(key: NewKey): Promise<Key | undefined>;
  /** For ever, at once. Returns undefined when there is no such key. */
  revokeKey(id: number): Promise<Key | undefined>;
  listKeys(): Promise<Key[]>;

  /** Remembers that a key was used; written within a second. */
  noteKeyUse(keyId: number, at: number): void;
  /** Adds to the refusal log; written within a second. In a flood the surplus is dropped. */
  noteRefusal(refusal: Refusal): void;
  /** Newest first. */
  listRefusals(limit: number): Promise<(Refusal & { readonly id: number; readonly label: string | null })[]>;

  /** Signs cursors; the same for the life of the data. */
  readonly cursorSecret: Uint8Array;
  /** Why no records are taken at present, if so. */
  trouble(): StoreTrouble | undefined;
  /** For the metrics: records waiting for the writer, pages in the WAL at the last checkpoint. */
  load(): { readonly waiting: number; readonly walPages: number };
  /** Commits what waits, then lets go of the files. */
  close(): Promise<void>;
}

const NOTE_INTERVAL_MS = 1000;
const RECOVERY_INTERVAL_MS = 500;
const MOST_REFUSALS_NOTED = 1000;
/** A checkpoint is due after this much was appended: seldom enough to gather pages, often enough to be short. */
const CHECKPOINT_AFTER = { records: 4000, bytes: 8 * 1024 * 1024 };

/** Opens the store, making or migrating it where needed. Throws an OperatorError that says what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, role, now = Date.now, onTrouble = () => {}, onDeath = () => {} } = options;
  const lock = prepare(dataDir, role);
  const threadOptions = { path: databasePath(dataDir) };
  const writer = await startThread<WriterOperations>('writer', threadOptions, 256);
  const reader = await startThread<ReaderOperations>('reader', threadOptions, 128);
  writer.onDeath(onDeath);
  reader.onDeath(onDeath);

  const keyRing = await openKeyRing(() => writer.call('listKeysIfChanged', []));
  const cursorSecret = await reader.call('getSecret', ['cursor']);

  let trouble: StoreTrouble | undefined;
  let walPages = 0;
  let sinceCheckpoint = { records: 0, bytes: 0 };
  let uses = new Map<number, number>();
  let refusals: Refusal[] = [];
  let notesWritten = Promise.resolve();

  /** A change by the writer; what goes wrong is said as tills and users are told it. */
  const writing = <T>(change: Promise<T>): Promise<T> =>
    change.catch((error: unknown) => {
      throw refuseAfter(error);
    });

  const groups = openGroupCommit((group) => {
    sinceCheckpoint.records += group.count;
    sinceCheckpoint.bytes += group.bodies.byteLength;
    const results = writing(writer.call('appendGroup', [group], [group.bodies]));
    if (sinceCheckpoint.records >= CHECKPOINT_AFTER.records || sinceCheckpoint.bytes >= CHECKPOINT_AFTER.bytes) {
      sinceCheckpoint = { records: 0, bytes: 0 };
      void checkpoint();
    }
    return results;
  });

  async function checkpoint(): Promise<void> {
    try {
      walPages = await writing(writer.call('checkpoint', []));
    } catch {
      // The store is in trouble now, and says so.
    }
  }

  /** Turns what the writer threw into what a till is told, and stops taking records where the disk is at fault. */
  function refuseAfter(error: unknown): GatewayError {
    const fault = classifyStorageError(error);
    if (fault === 'busy')
      return new GatewayError('store_busy', {
        detail: 'The database is locked by another program.',
        retryAfterSeconds: 1,
        cause: error,
      });
    if (fault === 'bug')
      return new GatewayError('internal', { detail: 'The store failed on this call.', cause: error });
    const code = fault === 'full' ? 'store_full' : 'store_unavailable';
    if (trouble === undefined) {
      trouble = { code, hint: HINTS[code], since: now() };
      onTrouble(trouble, error);
    }
    return refusalFor(trouble, error);
  }

  async function recover(): Promise<void> {
    if (trouble === undefined) return;
    try {
      await writer.call('recover', []);
      trouble = undefined;
      onTrouble(undefined, undefined);
    } catch {
      // Still in trouble; the next turn of the timer tries again.
    }
  }

  /** One after the other, so that whoever waits for the notes has all that were made before. */
  const writeNotes = (): Promise<void> => (notesWritten = notesWritten.then(writeNotesNow));

  async function writeNotesNow(): Promise<void> {
    if ((uses.size === 0 && refusals.length === 0) || trouble !== undefined) return;
    const noted = { uses, refusals };
    uses = new Map();
    refusals = [];
    try {
      await writing(writer.call('noteUses', [noted.uses, noted.refusals, now()]));
    } catch {
      // Notes are not records: these are lost, and if the disk is at fault the store is in trouble now and says so.
    }
  }

  const timers = [
    setInterval(() => void recover(), RECOVERY_INTERVAL_MS).unref(),
    setInterval(() => void writeNotes(), NOTE_INTERVAL_MS).unref(),
  ];

  return {
    cursorSecret,

    async append(arrival) {
      if (trouble !== undefined) throw refusalFor(trouble);
      const result = await groups.append(arrival);
      if (result.status !== 'failed') return result;
      throw new GatewayError('internal', {
        detail: 'The store failed on this call.',
        cause: new Error(result.message),
      });
    },

    queryRange: (query) => reader.call('queryRange', [query]),
    countStatuses: () => reader.call('countStatuses', []),
    listRecords: (filter) => reader.call('listRecords', [filter]),
    check: () => reader.call('check', []),

    findKey: (secret) => keyRing.find(secret),
    async createKey(key) {
      const created = await writing(writer.call('createKey', [key, now()]));
      await keyRing.refresh();
      return created;
    },
    async revokeKey(id) {
      const revoked = await writing(writer.call('revokeKey', [id, now()]));
      await keyRing.refresh();
      return revoked;
    },
    async listKeys() {
      await writeNotes();
      return reader.call('listKeys', []);
    },

    noteKeyUse: (keyId, at) => void uses.set(keyId, at),
    noteRefusal(refusal) {
      if (refusals.length < MOST_REFUSALS_NOTED) refusals.push(refusal);
    },
    async listRefusals(limit) {
      await writeNotes();
      return reader.call('listRefusals', [limit]);
    },

    trouble: () => trouble,
    load: () => ({ waiting: groups.waiting(), walPages }),

    async close() {
      for (const timer of timers) clearInterval(timer);
      keyRing.close();
      await groups.drained();
      await writeNotes();
      await reader.close();
      await writer.close();
      lock?.release();
    },
  };
}

const HINTS: Record<StoreTrouble['code'], string> = {
  store_full: 'The disk is full. Free some space; the gateway goes on by itself. Nothing that was answered is lost.',
  store_unavailable:
    'The disk or the database file cannot be written. Check the disk; nothing that was answered is lost.',
};

function refusalFor(trouble: StoreTrouble, cause?: unknown): GatewayError {
  return new GatewayError(trouble.code, { detail: trouble.hint, retryAfterSeconds: 2, cause });
}

/**
 * Before anything is served: one owner, the newest schema, and an empty WAL. The last is what makes a restart safe
 * after a failed sync, so its failure is fatal.
 */
function prepare(dataDir: string, role: StoreOptions['role']): OwnerLock | undefined {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = takeOwnerLock(dataDir);
  if (lock === undefined && role === 'gateway') {
    throw new OperatorError(
      `Another gateway is running on ${dataDir}. Stop it first, or choose another data directory.`,
    );
  }
  try {
    const db = openDatabase(databasePath(dataDir), 'write');
    try {
      if (lock === undefined) {
        assertSchemaCurrent(db);
      } else {
        migrate(db);
        checkpointTruncate(db);
      }
    } finally {
      db.close();
    }
  } catch (error) {
    lock?.release();
    throw error;
  }
  if (role === 'gateway') return lock;
  lock?.release();
  return undefined;
}
