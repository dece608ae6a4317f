// The reserve: a file in the data directory that only takes up space. When the disk is full, the gateway deletes it. Then it
// can still store the outcomes of deliveries, and people can still sign days. The gateway creates it again in the background
// once there is enough space.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import type { ReadSpace } from '../../health/ledger.ts';
import { classifyStorageError } from '../engine/fault.ts';
import { readSpace as readDiskSpace } from './disk.ts';

const FILE = 'disk.reserve';
/** Maximum size of the reserve. Its space is enough to empty the WAL and to store outcomes of deliveries. */
const MAX_BYTES = 32 * 1024 * 1024;
/** On a small disk, the reserve takes at most this share of the disk. */
const MAX_SHARE = 1 / 50;
const CHUNK_BYTES = 1024 * 1024;
/** Pause between two chunks, so that tills can use the disk. */
const PAUSE_MS = 10;

export interface Reserve {
  /** The size of the reserve on this disk in bytes; Infinity if the disk's size is unknown. */
  bytes(): Promise<number>;
  /**
   * Creates the reserve, unless it exists or the disk has too little space. Resolves when the reserve is complete or no longer
   * wanted. Rejects on a disk fault other than a full disk.
   */
  make(): Promise<void>;
  /**
   * Whether at least twice the size of the reserve is free on the disk. If so, sales may be accepted. True if the free space is
   * unknown.
   */
  hasRoom(): Promise<boolean>;
  /** Deletes the reserve and stops creating it. Safe to call twice. */
  release(): void;
  /** Stops creating the reserve. Resolves when nothing more is written. */
  close(): Promise<void>;
}

/** Deletes the reserve of a data directory. */
export function releaseReserve(dataDir: string): void {
  try {
    rmSync(join(dataDir, FILE), { force: true });
  } catch {
    // Ignored: the next write shows whether the disk accepts anything.
  }
}

/** Minimum bytes that must be free on a disk of this size: twice the reserve. */
export function roomNeeded(totalBytes: number): number {
  return 2 * reserveBytes(totalBytes);
}

function reserveBytes(totalBytes: number): number {
  return Math.min(MAX_BYTES, Math.floor(totalBytes * MAX_SHARE));
}

export function openReserve(dataDir: string, readSpace: ReadSpace = readDiskSpace): Reserve {
  const path = join(dataDir, FILE);
  let made = Promise.resolve();
  /** Identifies the latest call of `make`; undefined after `release` or `close`. */
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

  /**
   * Writes random bytes, because a compressing file system would store zeros in almost no space. Resolves to false if the
   * reserve is no longer wanted.
   */
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
