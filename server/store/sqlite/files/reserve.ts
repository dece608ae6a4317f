// The reserve: a file in the data directory that does nothing but take up space. When the disk is full it is removed, so that
// answered sales can still be settled and days signed. It is made again, in the background, once there is plenty of space.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { classifyStorageError } from '../engine/fault.ts';
import { readSpace } from './disk.ts';

const FILE = 'disk.reserve';
/** The WAL fits into it, so that it can still be emptied, and leaves room for what is settled. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The reserve takes at most this part of a small disk. */
const MAX_SHARE = 1 / 50;
const CHUNK_BYTES = 1024 * 1024;
/** Between two chunks, so that tills have the disk. */
const PAUSE_MS = 10;

export interface Reserve {
  /** How large it is on this disk; Infinity where the disk does not tell. */
  bytes(): Promise<number>;
  /** Makes it, unless it exists or would leave no room. Resolves when it is made or given up; rejects on a fault of the disk other than a full one. */
  make(): Promise<void>;
  /** Whether the disk has room for the reserve and as much again, so that sales may be taken. True where the disk does not tell. */
  hasRoom(): Promise<boolean>;
  /** Removes it and gives up making it; safe to call twice. */
  release(): void;
  /** Gives up making it. Resolves when nothing more is written. */
  close(): Promise<void>;
}

/** Removes the reserve of a data directory. */
export function releaseReserve(dataDir: string): void {
  try {
    rmSync(join(dataDir, FILE), { force: true });
  } catch {
    // The next write shows whether the disk still takes anything.
  }
}

/** How much a person must free, at least, on a disk of this size: twice the reserve, in bytes. */
export function roomNeeded(totalBytes: number): number {
  return 2 * reserveBytes(totalBytes);
}

function reserveBytes(totalBytes: number): number {
  return Math.min(MAX_BYTES, Math.floor(totalBytes * MAX_SHARE));
}

export function openReserve(dataDir: string): Reserve {
  const path = join(dataDir, FILE);
  let made = Promise.resolve();
  /** Of the latest `make`; none is wanted after `release` and `close`. */
  let wanted: object | undefined;

  async function makeOne(isWanted: () => boolean): Promise<void> {
    const space = await readSpace(dataDir);
    if (space === undefined) return;
    const bytes = reserveBytes(space.totalBytes);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.size >= bytes && found.blocks * 512 >= bytes) return;
    if (space.freeBytes < roomNeeded(space.totalBytes)) return;
    const chunk = await promisify(randomBytes)(Math.min(bytes, CHUNK_BYTES));
    if (!isWanted()) return;
    try {
      if (!(await write(chunk, bytes, isWanted))) releaseReserve(dataDir);
    } catch (error) {
      releaseReserve(dataDir);
      if (classifyStorageError(error) !== 'full') throw error;
    }
  }

  /** Takes random bytes: a file system that compresses gives zeros no space. Resolves to whether all of it was written. */
  async function write(chunk: Buffer, bytes: number, isWanted: () => boolean): Promise<boolean> {
    const file = await open(path, 'w', 0o600);
    try {
      for (let left = bytes; left > 0; left -= chunk.byteLength) {
        if (!isWanted()) return false;
        await file.writeFile(chunk.subarray(0, left));
        await delay(PAUSE_MS, undefined, { ref: false });
      }
      return true;
    } finally {
      await file.close();
    }
  }

  return {
    async bytes() {
      const space = await readSpace(dataDir);
      return space === undefined ? Infinity : reserveBytes(space.totalBytes);
    },
    make() {
      const mine = (wanted = {});
      return (made = made.catch(() => {}).then(() => makeOne(() => wanted === mine)));
    },
    async hasRoom() {
      const space = await readSpace(dataDir);
      return space === undefined || space.freeBytes >= roomNeeded(space.totalBytes);
    },
    release() {
      wanted = undefined;
      releaseReserve(dataDir);
    },
    close() {
      wanted = undefined;
      return made.catch(() => {});
    },
  };
}
