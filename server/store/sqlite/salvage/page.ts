// Parses one page of a b-tree without SQLite, because SQLite stops at the first damaged page. Format:
// https://sqlite.org/fileformat2.html#b_tree_pages

export const PAGE_BYTES = 4096;
/** Length of the file header, which comes before the b-tree page on page 1. */
const FILE_HEADER_BYTES = 100;
/** Maximum bytes of a row. Our rows are much shorter. A damaged or hostile file may state any length. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;
/** Maximum rows with overflow pages that fit on a page. In a damaged page, many pointers may lead to the same row. */
const MAX_LONG_ROWS = 8;

export type Value = null | number | bigint | string | Buffer;

export interface Row {
  /** The rowid; null in an index and in a table without rowids. */
  readonly rowId: number | null;
  readonly values: readonly Value[];
}

export interface Page {
  /** `table` has rowids; `index` is an index, or a table without rowids. */
  readonly kind: 'table' | 'index';
  /** The child pages of an interior page, in order. `last` is the largest rowid of a child; null for the rightmost child. */
  readonly children: readonly { readonly page: number; readonly last: number | null }[];
  /** The rows of the page that can be read. Interior pages of a table have none. */
  readonly rows: readonly Row[];
  /** Whether a part of the page cannot be read. */
  readonly isDamaged: boolean;
}

/** Reads a page by its number. Undefined if the file does not have it. */
export type ReadPage = (page: number) => Buffer | undefined;

/** The number of bytes of a row that stay on its page; the other bytes are on overflow pages. */
function localBytes(total: number, kind: Page['kind']): number {
  const max = kind === 'table' ? PAGE_BYTES - 35 : Math.floor(((PAGE_BYTES - 12) * 64) / 255) - 23;
  if (total <= max) return total;
  const min = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23;
  const local = min + ((total - min) % (PAGE_BYTES - 4));
  return local <= max ? local : min;
}

/** Parses a page. Undefined if the bytes are not a page of a b-tree. */
export function parsePage(number: number, bytes: Buffer, readPage: ReadPage): Page | undefined {
  const start = number === 1 ? FILE_HEADER_BYTES : 0;
  const type = bytes[start];
  if (type !== 2 && type !== 5 && type !== 10 && type !== 13) return undefined;
  const kind = type === 5 || type === 13 ? 'table' : 'index';
  const isLeaf = type === 10 || type === 13;
  const count = bytes.readUInt16BE(start + 3);
  const firstPointer = start + (isLeaf ? 8 : 12);
  const cellsFrom = firstPointer + 2 * count;
  if (cellsFrom > PAGE_BYTES) return undefined;
  const rows: Row[] = [];
  const children: { page: number; last: number | null }[] = [];
  let isDamaged = false;
  let before = -Infinity;
  let longRows = 0;
  const readLong = (first: number, length: number): Buffer[] | undefined => {
    const parts = longRows < MAX_LONG_ROWS ? readOverflow(first, length, readPage) : undefined;
    if (parts !== undefined) longRows += 1;
    return parts;
  };
  for (let i = 0; i < count; i++) {
    const at = bytes.readUInt16BE(firstPointer + 2 * i);
    const cell = at < cellsFrom ? undefined : parseCell(bytes, at, { kind, isLeaf, readLong });
    // The rowids of a page grow. A row with another rowid would be stored as a wrong row.
    if (cell === undefined || (cell.rowId !== null && cell.rowId <= before)) {
      isDamaged = true;
      continue;
    }
    before = cell.rowId ?? before;
    if (cell.child !== undefined) children.push({ page: cell.child, last: cell.rowId });
    if (cell.values !== undefined) rows.push({ rowId: cell.rowId, values: cell.values });
  }
  if (!isLeaf) children.push({ page: bytes.readUInt32BE(start + 8), last: null });
  return { kind, children, rows, isDamaged };
}

interface Cell {
  readonly rowId: number | null;
  readonly child: number | undefined;
  /** Undefined in an interior page of a table, which has no rows. */
  readonly values: readonly Value[] | undefined;
}

interface CellContext extends Pick<Page, 'kind'> {
  readonly isLeaf: boolean;
  /** Reads the part of a row that is on overflow pages. */
  readonly readLong: (first: number, length: number) => Buffer[] | undefined;
}

/** Parses a cell. Undefined if it cannot be right. */
function parseCell(bytes: Buffer, start: number, { kind, isLeaf, readLong }: CellContext): Cell | undefined {
  let at = start;
  if (!isLeaf && at + 4 > PAGE_BYTES) return undefined;
  const child = isLeaf ? undefined : bytes.readUInt32BE(at);
  if (!isLeaf) at += 4;
  const first = readVarint(bytes, at);
  if (first === undefined) return undefined;
  at = first.next;
  if (kind === 'table' && !isLeaf) return { rowId: first.value, child, values: undefined };
  const rowId = kind === 'table' ? readVarint(bytes, at) : undefined;
  if (kind === 'table' && rowId === undefined) return undefined;
  at = rowId?.next ?? at;
  const total = first.value;
  if (total > MAX_ROW_BYTES) return undefined;
  const local = localBytes(total, kind);
  if (at + local + (local < total ? 4 : 0) > PAGE_BYTES) return undefined;
  const head = bytes.subarray(at, at + local);
  const more = local < total ? readLong(bytes.readUInt32BE(at + local), total - local) : undefined;
  if (local < total && more === undefined) return undefined;
  const values = parseRow(more === undefined ? head : Buffer.concat([head, ...more]));
  return values && { rowId: rowId?.value ?? null, child, values };
}

/** Reads the part of a row that is not on its page. Undefined if the chain of pages is broken. */
function readOverflow(first: number, bytes: number, readPage: ReadPage): Buffer[] | undefined {
  const parts: Buffer[] = [];
  const seen = new Set<number>();
  let page = first;
  for (let left = bytes; left > 0; left -= PAGE_BYTES - 4) {
    const content = page === 0 || seen.has(page) ? undefined : readPage(page);
    if (content === undefined) return undefined;
    seen.add(page);
    page = content.readUInt32BE(0);
    parts.push(content.subarray(4, 4 + Math.min(left, PAGE_BYTES - 4)));
  }
  return page === 0 ? parts : undefined;
}

/** Parses the values of a row. Undefined if the lengths do not fit exactly. */
function parseRow(bytes: Buffer): readonly Value[] | undefined {
  const header = readVarint(bytes, 0);
  if (header === undefined || header.value > bytes.length || header.value < header.next) return undefined;
  const values: Value[] = [];
  let at = header.value;
  let typeAt = header.next;
  while (typeAt < header.value) {
    const type = readVarint(bytes, typeAt);
    if (type === undefined || type.next > header.value) return undefined;
    const length = lengthOf(type.value);
    if (length === undefined || at + length > bytes.length) return undefined;
    values.push(readValue(type.value, bytes.subarray(at, at + length)));
    at += length;
    typeAt = type.next;
  }
  return at === bytes.length ? values : undefined;
}

const NUMBER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0] as const;
/** Types from this one are blobs if they are even, and texts if they are odd. */
const FIRST_BLOB = 12;

function lengthOf(type: number): number | undefined {
  return type >= FIRST_BLOB ? Math.floor((type - FIRST_BLOB) / 2) : NUMBER_BYTES[type];
}

function readValue(type: number, bytes: Buffer): Value {
  if (type >= FIRST_BLOB) return type % 2 === 0 ? Buffer.from(bytes) : bytes.toString('utf8');
  switch (type) {
    case 0:
      return null;
    case 6: {
      const value = bytes.readBigInt64BE(0);
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    }
    case 7:
      return bytes.readDoubleBE(0);
    case 8:
      return 0;
    case 9:
      return 1;
    default:
      return bytes.readIntBE(0, bytes.length);
  }
}

/** Reads a number of one to nine bytes. Undefined if it is cut off, or larger than any id or length. */
function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly next: number } | undefined {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value = value * 128 + (byte & 127);
    if (byte < 128) return value <= Number.MAX_SAFE_INTEGER ? { value, next: at + i + 1 } : undefined;
  }
  return undefined;
}
