// The pages of a database with its write-ahead log (WAL), as SQLite would read them. It opens both files only for reading, and
// needs no valid header.

import { closeSync, fstatSync, openSync } from 'node:fs';

import {
  countReadable,
  eachFrame,
  FRAME_HEADER_BYTES,
  WAL_HEADER_BYTES,
  openIfThere,
  parseHeader,
  readAt,
} from '../integrity/wal-format.ts';
import { mayBeOwnWal } from '../integrity/wal-mark.ts';
import { scanWal } from '../integrity/wal-scan.ts';
import { PAGE_BYTES } from './page.ts';

/** `foreign`: the log belongs to another state of the database, so it is not used. */
export type LogState = 'none' | 'sound' | 'damaged' | 'foreign';

export interface PageFile {
  /** Number of pages that the database should have. */
  readonly pageCount: number;
  /** Number of these pages that the file does not have any more. */
  readonly missingPages: number;
  readonly log: LogState;
  /** The first page of the list of free pages; 0 without one. */
  readonly firstFreePage: number;
  /** The schema version in the file's header; undefined if the header is damaged. */
  readonly schema: number | undefined;
  read(page: number): Buffer | undefined;
  /** Yields the pages of a damaged log that SQLite would not read. A page is valid until the next page is read. */
  loosePages(): Generator<Buffer>;
  close(): void;
}

const MAGIC = 'SQLite format 3\0';

/** Opens a database file. The caller closes it. */
export function openPageFile(path: string): PageFile {
  const file = openSync(path, 'r');
  const wal = openIfThere(`${path}-wal`);
  try {
    return readFiles(path, file, wal);
  } catch (error) {
    for (const open of [file, wal]) if (open !== undefined) closeSync(open);
    throw error;
  }
}

function readFiles(path: string, file: number, wal: number | undefined): PageFile {
  const ownPages = Math.ceil(fstatSync(file).size / PAGE_BYTES);
  const log = wal === undefined || fstatSync(wal).size <= WAL_HEADER_BYTES ? 'none' : judgeLog(path);
  const { places, pageCount: pagesOfLog } =
    wal === undefined || log === 'none' || log === 'foreign' ? NO_LOG : findPages(wal);

  function read(page: number): Buffer | undefined {
    if (page < 1) return undefined; // a damaged page may name any page
    const place = places.get(page);
    const bytes =
      place === undefined || wal === undefined
        ? readAt(file, (page - 1) * PAGE_BYTES, PAGE_BYTES)
        : readAt(wal, place, PAGE_BYTES);
    if (bytes.length === 0) return undefined;
    return bytes.length === PAGE_BYTES ? bytes : Buffer.concat([bytes, Buffer.alloc(PAGE_BYTES - bytes.length)]);
  }

  const header = read(1)?.subarray(0, 100) ?? Buffer.alloc(100);
  const isWhole = header.toString('latin1', 0, MAGIC.length) === MAGIC && header.readUInt16BE(16) === PAGE_BYTES;
  const stated = pagesOfLog ?? (isWhole ? header.readUInt32BE(28) : 0);
  // A damaged header may state any number.
  const pageCount = stated > 0 && stated < 2 * ownPages + places.size + 1000 ? stated : ownPages;
  let missingPages = 0;
  for (let page = ownPages + 1; page <= pageCount; page++) if (!places.has(page)) missingPages += 1;
  return {
    pageCount: Math.max(pageCount, ownPages),
    missingPages,
    log,
    firstFreePage: isWhole ? header.readUInt32BE(32) : 0,
    schema: isWhole ? header.readUInt32BE(60) : undefined,
    read,
    *loosePages() {
      if (wal !== undefined && log === 'damaged') yield* readLoosePages(path, wal);
    },
    close() {
      closeSync(file);
      if (wal !== undefined) closeSync(wal);
    },
  };
}

function judgeLog(path: string): LogState {
  if (!mayBeOwnWal(path)) return 'foreign';
  return scanWal(`${path}-wal`, path).kind === 'sound' ? 'sound' : 'damaged';
}

const NO_LOG = { places: new Map<number, number>(), pageCount: undefined };

/** Finds the newest frame of each page that SQLite reads. `places` has the position of its content in the log. */
function findPages(wal: number): { readonly places: Map<number, number>; readonly pageCount: number | undefined } {
  const header = parseHeader(readAt(wal, 0, WAL_HEADER_BYTES));
  if (header === undefined || header.pageSize !== PAGE_BYTES) return NO_LOG;
  const places = new Map<number, number>();
  const readable = countReadable(wal);
  let pageCount: number | undefined;
  let index = 0;
  for (const frame of eachFrame(wal, header)) {
    if (index === readable) break;
    places.set(frame.page, placeOf(index));
    if (frame.commitPages !== 0) pageCount = frame.commitPages;
    index += 1;
  }
  return { places, pageCount };
}

function placeOf(index: number): number {
  return WAL_HEADER_BYTES + index * (FRAME_HEADER_BYTES + PAGE_BYTES) + FRAME_HEADER_BYTES;
}

function* readLoosePages(path: string, wal: number): Generator<Buffer> {
  const scan = scanWal(`${path}-wal`, path);
  if (scan.kind === 'sound' || scan.header.pageSize !== PAGE_BYTES) return;
  for (const [index, frame] of scan.frames.entries()) {
    if (index < scan.readable || !frame.isOurs) continue;
    yield frame.repaired === undefined ? readAt(wal, placeOf(index), PAGE_BYTES) : Buffer.from(frame.repaired);
  }
}
