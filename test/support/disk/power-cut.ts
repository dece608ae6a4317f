// Makes the possible states of a recorded disk after a power cut. A disk keeps every page of a file that was synced. If a page
// was written but not synced, the disk may keep all of it, a part or nothing. If the sync of a page failed, the disk may
// lack the page even after later syncs, until the page is written again. A name that was created, renamed or removed is certain
// only after a sync of its folder.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import type { Random } from '../till/random.ts';

const PAGE = 4096;
const SECTOR = 512;

export interface Entry {
  readonly operation: string;
  readonly path: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Reads the output of the recorder. */
export function readRecord(file: string): Entry[] {
  const record = readFileSync(file);
  const entries: Entry[] = [];
  for (let at = 0; at < record.byteLength;) {
    const end = record.indexOf('\n', at);
    const [operation = '', path = '', offset = '', length = ''] = record.toString('utf8', at, end).split(' ');
    const bytes = record.subarray(end + 1, end + 1 + Number(length));
    entries.push({ operation, path, offset: Number(offset), bytes });
    at = end + 1 + Number(length);
  }
  return entries;
}

/** A file in two states: as the operating system sees it, and as the disk has it. */
class RecordedFile {
  content = Buffer.alloc(0);
  size = 0;
  readonly kept = new Map<number, Buffer>();
  keptSize = 0;
  readonly dirty = new Set<number>();
  /** Pages whose sync failed. They may still have reached the disk. */
  readonly dropped = new Map<number, Buffer>();

  write(offset: number, bytes: Buffer): void {
    const end = offset + bytes.byteLength;
    if (end > this.content.byteLength)
      this.content = Buffer.concat([this.content, Buffer.alloc(2 * end - this.content.byteLength)]);
    bytes.copy(this.content, offset);
    this.size = Math.max(this.size, end);
    for (let page = Math.floor(offset / PAGE); page * PAGE < end; page++) {
      this.dirty.add(page);
    }
  }

  truncate(size: number): void {
    if (size < this.size) this.content.fill(0, size);
    this.size = size;
    for (const page of [...this.dirty, ...this.dropped.keys()]) {
      if (page * PAGE < size) continue;
      this.dirty.delete(page);
      this.dropped.delete(page);
    }
  }

  sync(): void {
    for (const page of this.dirty) {
      this.kept.set(page, this.page(page));
      this.dropped.delete(page);
    }
    this.dirty.clear();
    this.keptSize = this.size;
    for (const page of this.kept.keys()) if (page * PAGE >= this.size) this.kept.delete(page);
  }

  failSync(): void {
    for (const page of this.dirty) this.dropped.set(page, this.page(page));
    this.dirty.clear();
  }

  private page(page: number): Buffer {
    const bytes = Buffer.alloc(PAGE);
    this.content.copy(bytes, 0, page * PAGE, (page + 1) * PAGE);
    return bytes;
  }

  /** The content of the disk after a power cut. */
  cut(random: Random): Buffer {
    const pages = new Map(this.kept);
    const change = (page: number, fresh: Buffer): void => {
      const chance = random();
      if (chance < 0.4) pages.set(page, fresh);
      if (chance < 0.8) return;
      const torn = Buffer.from(pages.get(page) ?? Buffer.alloc(PAGE));
      for (let at = 0; at < PAGE; at += SECTOR) if (random() < 0.5) fresh.copy(torn, at, at, at + SECTOR);
      pages.set(page, torn);
    };
    for (const [page, bytes] of this.dropped) change(page, bytes);
    for (const page of this.dirty) change(page, this.page(page));
    let size = this.keptSize;
    if (this.size < this.keptSize && random() < 0.5) size = this.size;
    for (const page of pages.keys())
      if (page * PAGE >= size && page * PAGE < this.size) size = Math.min(this.size, (page + 1) * PAGE);
    const image = Buffer.alloc(size);
    for (const [page, bytes] of pages) bytes.copy(image, page * PAGE);
    return image;
  }
}

/** The names of files and folders in two states: as the operating system sees them, and as the disk has them. */
class RecordedNames {
  private readonly names = new Map<string, { now?: Named; kept?: Named; change: object }>();

  find(path: string): Named | undefined {
    return this.names.get(path)?.now;
  }

  /** Changes a name. The disk keeps all names with the same `change`, or none of them. */
  set(path: string, now: Named | undefined, change: object = {}): void {
    const kept = this.names.get(path)?.kept;
    this.names.set(path, { ...(now && { now }), ...(kept && { kept }), change });
  }

  sync(folder: string): void {
    for (const [path, { now, change }] of this.names)
      if (dirname(path) === folder) this.names.set(path, { ...(now && { now, kept: now }), change });
  }

  /** The files of the disk after a power cut. */
  cut(random: Random): Map<string, RecordedFile> {
    const isKept = new Map<object, boolean>();
    const chosen = new Map<string, Named>();
    for (const [path, { now, kept, change }] of this.names) {
      if (now !== kept && !isKept.has(change)) isKept.set(change, random() < 0.5);
      const named = isKept.get(change) === false ? kept : now;
      const folder = dirname(path);
      // A name is set after its folder, so its folder is chosen before it.
      if (named !== undefined && (!this.names.has(folder) || chosen.has(folder))) chosen.set(path, named);
    }
    return new Map([...chosen].flatMap(([path, named]) => (named === FOLDER ? [] : [[path, named]])));
  }
}

const FOLDER = Symbol('folder');
type Named = RecordedFile | typeof FOLDER;

export interface Cut {
  /** The content of each file, by path. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The lines of the file `told` that were written before the cut. Each line is an acknowledged sale. */
  readonly lines: readonly string[];
}

/** A text that is equal for cuts with equal files and lines only. A second judgement of such a cut would show nothing new. */
export function digestOf({ files, lines }: Cut): string {
  const digest = createHash('sha256').update(JSON.stringify(lines));
  for (const [path, bytes] of files) digest.update(`${path}\n${bytes.byteLength}\n`).update(bytes);
  return digest.digest('base64');
}

/** Yields `count` power cuts in order of time, at random moments after the entry `from`. */
export function* cutPower(
  entries: readonly Entry[],
  told: string,
  { count, from, random }: { readonly count: number; readonly from: number; readonly random: Random },
): Generator<Cut> {
  const moments = Array.from({ length: count }, () => from + Math.floor(random() * (entries.length - from))).toSorted(
    (a, b) => a - b,
  );
  const names = new RecordedNames();
  const fileAt = (path: string): RecordedFile => {
    const found = names.find(path);
    if (found instanceof RecordedFile) return found;
    const file = new RecordedFile();
    names.set(path, file);
    return file;
  };
  let text = '';
  for (const [at, { operation, path, offset, bytes }] of entries.entries()) {
    while (moments[0] === at) {
      moments.shift();
      const images = new Map([...names.cut(random)].map(([name, file]) => [name, file.cut(random)]));
      yield { files: images, lines: text.split('\n').filter((line) => line !== '') };
    }
    if (path === told) text += operation === 'write' ? bytes.toString() : '';
    else if (operation === 'create') fileAt(path);
    else if (operation === 'mkdir') names.set(path, FOLDER);
    else if (operation === 'write') fileAt(path).write(offset, bytes);
    else if (operation === 'truncate') fileAt(path).truncate(offset);
    else if (operation === 'syncfails' && names.find(path) instanceof RecordedFile) fileAt(path).failSync();
    else if (operation === 'unlink') names.set(path, undefined);
    else if (operation === 'rename') {
      const change = {};
      names.set(bytes.toString(), names.find(path), change);
      names.set(path, undefined, change);
    } else if (operation === 'sync') {
      if (names.find(path) instanceof RecordedFile) fileAt(path).sync();
      names.sync(path);
    }
  }
}
