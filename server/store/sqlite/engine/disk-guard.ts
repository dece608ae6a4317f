// Guards the database against a disk that fails. After an error of the disk, nothing is written until a recovery has succeeded.

import {
  checkpointTruncate,
  type Connection,
  emptySecuredWal,
  FileReplacedError,
  secureWal,
  watchIdentity,
} from './database.ts';
import { classifyStorageError, isDiskFault } from './fault.ts';

export interface DiskGuard {
  /**
   * Runs a write. After a disk error, throws that error instead, even for groups that already wait for this thread. After a
   * failed sync, these groups must not be acknowledged. Calls `discard` if the write fails.
   */
  write<T>(work: () => T, discard?: () => void): T;
  /**
   * Recovers from a disk error. Throws while records cannot be accepted. First writes the WAL again, because a failed sync may
   * have left it incomplete on the disk. Then a test write shows that there is space.
   */
  recover(): void;
  /**
   * Recovers on a full disk for small writes only. Throws while small writes fail. Does not write the WAL again: the WAL is
   * sound, because a write failed and not a sync. The failed commit has no last frame, so no mix of it with the next commit looks
   * like two commits.
   */
  makeDo(): void;
}

/** Opens the guard, which watches the database file and its WAL. Prepare a statement before, because that creates the WAL. */
export function openDiskGuard(db: Connection, path: string): DiskGuard {
  const isSameFile = watchIdentity(path);
  const isSameWal = watchIdentity(`${path}-wal`);
  /** The last disk error. While it is set, nothing is written. */
  let diskError: Error | undefined;

  function assertSameFile(): void {
    if (!isSameFile()) throw new FileReplacedError();
    if (isSameWal()) return;
    checkpointTruncate(db); // SQLite still has the lost WAL open, so this call copies it into the database
    throw new FileReplacedError();
  }

  /** Throws unless the disk accepts this number of bytes. */
  function testWriting(bytes: number): void {
    db.transaction(() => {
      db.prepare("INSERT INTO secrets (name, value) VALUES ('write-test', zeroblob(?))").run(bytes);
      db.exec("DELETE FROM secrets WHERE name = 'write-test'");
    }).immediate();
  }

  return {
    write(work, discard = () => {}) {
      if (diskError !== undefined) throw diskError;
      try {
        assertSameFile();
        return work();
      } catch (error) {
        discard();
        if (error instanceof Error && isDiskFault(error)) diskError = error;
        throw error;
      }
    },
    recover() {
      assertSameFile();
      secureWal(db, path);
      emptySecuredWal(db);
      testWriting(65_536);
      diskError = undefined;
    },
    makeDo() {
      if (diskError !== undefined && classifyStorageError(diskError) !== 'full') throw diskError;
      assertSameFile();
      testWriting(4096);
      diskError = undefined;
    },
  };
}
