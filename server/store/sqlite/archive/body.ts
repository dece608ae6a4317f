// Reads bodies of records from their rows, from packs or from the archive. Every reader of bodies uses this module. A body from the
// archive is verified against the SHA-256 of the record.

import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { ArchiveFault } from '../../../contract/archive.ts';
import { type Connection, hasTable } from '../engine/database.ts';
import { errorCode, unlessDamaged } from '../engine/fault.ts';
import { type Bodies, decompressBlock } from './block.ts';
import { type Block, ArchiveDamagedError, readBlock, type BlockPlace } from './file.ts';

/** Name of the folder of the archive if no setting names one. It is beside the database. */
export const ARCHIVE_FOLDER = 'archive';

export interface BodyRow {
  readonly digest: Buffer;
  readonly body: Buffer;
  /** Null if the body is in its row. Negative if it is in a pack, and positive if it is in an archive file. */
  readonly archiveBlock: number | null;
}

/** SQL for a body that is in its row or in a pack. */
export const IS_IN_DATABASE_SQL = 'coalesce(archive_block, 0) <= 0';

export function isInPack(archiveBlock: BodyRow['archiveBlock']): boolean {
  return archiveBlock !== null && archiveBlock < 0;
}

export function isInFile(archiveBlock: BodyRow['archiveBlock']): boolean {
  return archiveBlock !== null && archiveBlock > 0;
}

/** Thrown when a body is in a file that cannot be read now. The record itself is not damaged. */
export class ArchiveUnreadableError extends Error {
  readonly code = 'COUNTERFOIL_ARCHIVE';
  readonly fault: ArchiveFault;
  /** The name of the file. */
  readonly file: string;
  constructor(path: string, fault: ArchiveFault, cause: unknown) {
    super(
      {
        missing: `The archive file ${path} is missing.`,
        unreadable: `The archive file ${path} cannot be read.`,
        damaged: `The archive file ${path} is damaged.`,
      }[fault],
      { cause },
    );
    this.fault = fault;
    this.file = basename(path);
  }
}

/** Whether the database has the archive. Data of an earlier version do not have it. */
function hasArchive(db: Connection): boolean {
  return hasTable(db, 'archive_blocks');
}

/** The columns of a `BodyRow`. */
export function bodyColumns(db: Connection): string {
  return `records.digest, records.body, ${hasArchive(db) ? 'records.archive_block' : 'NULL'} AS archiveBlock`;
}

/**
 * The size of a body. SQLite reads no overflow pages for it. The header of the row has the length; if the body is in a
 * block, the column has the size as digits.
 */
export const BODY_BYTES_SQL = 'iif(archive_block IS NULL, length(body), CAST(CAST(body AS TEXT) AS INTEGER))';

export function bodyBytes(db: Connection): string {
  return hasArchive(db) ? BODY_BYTES_SQL : 'length(body)';
}

/** The folders in which a file may be. The first is the folder for new files. */
export function archiveFolders(db: Connection): [string, ...string[]] {
  const own = join(dirname(db.name), ARCHIVE_FOLDER);
  const set = db.prepare<[], string>('SELECT path FROM archive_folder').pluck().get();
  return set === undefined || set === own ? [own] : [set, own];
}

/** Whether a name can be that of an archive file. A restored database may contain any name, such as one with slashes. */
export function isArchiveName(name: string): boolean {
  return /^\d{4}-\d\d-[0-9a-f]{8}\.archive$/.test(name);
}

/** The path of a file. If it is in no folder that can be read, the path where it should be. */
export function findArchiveFile(db: Connection, name: string): string {
  if (!isArchiveName(name)) throw new ArchiveUnreadableError(name, 'missing', new Error('its name is not valid'));
  const folders = archiveFolders(db);
  return join(folders.find((folder) => isFile(join(folder, name))) ?? folders[0], name);
}

/** False for a pipe, which could keep a reader waiting. Also false if the folder cannot be read. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

type FoundBlock = Pick<Block, 'bodies'> & { readonly path: string };

/**
 * Reads a block of a file. Every error of the file becomes an ArchiveUnreadableError: its disk may be another one, so the store must
 * not take the error for a fault of its own disk.
 */
export function readArchiveBlock(db: Connection, name: string, place: BlockPlace): FoundBlock {
  const path = findArchiveFile(db, name);
  try {
    if (!statSync(path).isFile()) throw new ArchiveDamagedError(path, 'it is not a file');
    return { path, bodies: readBlock(path, place).bodies };
  } catch (error) {
    throw new ArchiveUnreadableError(path, archiveFaultOf(error), error);
  }
}

/** The body of a record in a block. Throws an ArchiveUnreadableError unless it is the body with this digest. */
export function bodyInBlock({ bodies, path }: FoundBlock, recordId: number, digest: Buffer): Buffer {
  const found = bodies.get(recordId);
  if (found === undefined || !hash('sha256', found, 'buffer').equals(digest))
    throw new ArchiveUnreadableError(path, 'damaged', undefined);
  return found;
}

/** The fault that an error of `readBlock` reports. */
export function archiveFaultOf(error: unknown): ArchiveFault {
  if (error instanceof ArchiveDamagedError) return 'damaged';
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '') ? 'missing' : 'unreadable';
}

/**
 * Returns the body of a record. Throws an ArchiveUnreadableError. A body from a row or from a pack is not verified; it is empty if
 * its pack is damaged. The caller may keep the result.
 */
export type ReadBody = (recordId: number, row: BodyRow) => Buffer;

type PlacedBlock = BlockPlace & { readonly name: string };

export function openBodies(db: Connection): ReadBody {
  if (!hasArchive(db)) return (_recordId, { body }) => body;
  const findBlock = db.prepare<[number], PlacedBlock>(`
    SELECT name, offset, archive_blocks.bytes FROM archive_blocks JOIN archive_files ON archive_files.id = file_id
    WHERE archive_blocks.id = ?`);
  /** The last block that was read. Neighbours are often read together. */
  let last: (FoundBlock & { readonly id: number }) | undefined;
  const bodiesOf = openPacks(db);
  const selectRow = db.prepare<[number], BodyRow>(`SELECT ${bodyColumns(db)} FROM records WHERE id = ?`);

  function open(id: number): FoundBlock {
    if (last?.id === id) return last;
    const place = findBlock.get(id);
    if (place === undefined) throw new ArchiveUnreadableError(`of block ${id}`, 'missing', undefined);
    last = { id, ...readArchiveBlock(db, place.name, place) };
    return last;
  }

  // Each result is a copy, because a view would keep the whole block in memory.
  const read: ReadBody = (recordId, { body, digest, archiveBlock }) => {
    if (archiveBlock === null) return body;
    if (!isInPack(archiveBlock)) return Buffer.from(bodyInBlock(open(archiveBlock), recordId, digest));
    const found = bodiesOf(archiveBlock).get(recordId);
    if (found !== undefined) return Buffer.from(found);
    // The archive may have cleared the pack since the caller read the row.
    const row = selectRow.get(recordId);
    return row === undefined || row.archiveBlock === archiveBlock ? Buffer.alloc(0) : read(recordId, row);
  };
  return read;
}

/**
 * Maximum packs that a reader keeps in memory, and of their bodies in bytes. Records that are read in the order of sale may be in a few
 * packs in turns.
 */
const MAX_KEPT = { packs: 8, bytes: 512 * 1024 };

/** Returns a function that reads the bodies of a pack. None if it cannot be read. */
function openPacks(db: Connection): (archiveBlock: number) => Bodies {
  if (!hasTable(db, 'packs')) return () => new Map();
  const find = db.prepare<[number], Buffer | null>('SELECT bodies FROM packs WHERE last_record_id = ?').pluck();
  /** The pack that was used last is at the end. */
  const kept = new Map<number, Bodies>();

  function read(archiveBlock: number): Bodies {
    const compressed = unlessDamaged(() => find.get(-archiveBlock)) ?? null;
    try {
      return compressed === null ? new Map() : decompressBlock(compressed);
    } catch {
      return new Map(); // a damaged pack: zstd and the format throw different errors
    }
  }
  function forgetOldest(): void {
    let bytes = [...kept.values()].reduce((sum, bodies) => sum + sizeOf(bodies), 0);
    for (const [archiveBlock, bodies] of kept) {
      if (kept.size === 1 || (kept.size <= MAX_KEPT.packs && bytes <= MAX_KEPT.bytes)) return;
      bytes -= sizeOf(bodies);
      kept.delete(archiveBlock);
    }
  }
  return (archiveBlock) => {
    const known = kept.get(archiveBlock);
    const bodies = known ?? read(archiveBlock);
    kept.delete(archiveBlock);
    kept.set(archiveBlock, bodies);
    if (known === undefined) forgetOldest();
    return bodies;
  };
}

function sizeOf(bodies: Bodies): number {
  return bodies.values().reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Runs a read. Returns undefined if its body is in a file that cannot be read now; `onFault` then gets the error. */
export function unlessUnreadable<T>(
  read: () => T,
  onFault: (error: ArchiveUnreadableError) => void = () => {},
): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ArchiveUnreadableError)) throw error;
    onFault(error);
    return undefined;
  }
}
