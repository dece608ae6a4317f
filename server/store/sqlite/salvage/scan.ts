// Finds the pages of every table and index in a damaged file. First it follows each b-tree from its root. Then it looks at the
// pages that no tree leads to, because a damaged page above them hides them: their rows show to which table they belong.

import type { PageFile } from './page-file.ts';
import { type Page, PAGE_BYTES, parsePage, type Row } from './page.ts';

/** A table or index of the file. */
export interface Tree {
  readonly name: string;
  readonly root: number;
  readonly kind: Page['kind'];
  /** Whether a row may belong to it. */
  readonly fits: (row: Row) => boolean;
}

/** A page with rows. */
export interface FoundPage {
  readonly kind: Page['kind'];
  readonly rows: readonly Row[];
}

/** Maximum levels of a b-tree in SQLite. */
const MAX_DEPTH = 20;

interface Walked {
  readonly tree: Tree;
  readonly owner: number;
  /** The pages that this walk has seen. */
  readonly seen: Uint8Array;
}

/** Where a walk is. Rows with a rowid outside `after` and `upTo` are wrong, because the pages above state these limits. */
interface Position {
  readonly depth: number;
  readonly after: number;
  readonly upTo: number;
}

export interface Scan {
  /** Yields the pages of a b-tree that have rows. A second call yields them again. */
  pagesOf(tree: Tree): Generator<FoundPage>;
  /** Yields the pages with rows that no b-tree led to. Call it after all b-trees were read. */
  hiddenPages(): Generator<FoundPage>;
  /** The damaged pages that were found so far. */
  damagedPages(): number[];
  /** Whether a page of this b-tree is damaged. */
  isDamaged(name: string): boolean;
}

export function openScan(file: PageFile): Scan {
  /** For each page, the number of the b-tree that has it; 0 without one. */
  const owners = new Uint16Array(file.pageCount + 1);
  const numbers = new Map<string, number>();
  const damaged = new Set<number>();
  const damagedTrees = new Set<string>();

  function parse(number: number): Page | undefined {
    const bytes = file.read(number);
    return bytes && parsePage(number, bytes, file.read);
  }

  function* walk(walked: Walked, number: number, { depth, after, upTo }: Position): Generator<FoundPage> {
    const { tree, owner, seen } = walked;
    const isOurs = depth <= MAX_DEPTH && (owners[number] === 0 || owners[number] === owner) && seen[number] === 0;
    const page = isOurs ? parse(number) : undefined;
    const rows = page?.rows.filter(
      (row) => (row.rowId === null || (row.rowId > after && row.rowId <= upTo)) && tree.fits(row),
    );
    // A damaged page above may lead to a page of another b-tree.
    if (page?.kind !== tree.kind || rows === undefined || (rows.length === 0 && page.rows.length > 0)) {
      damagedTrees.add(tree.name);
      if (isOurs) damaged.add(number);
      return;
    }
    owners[number] = owner;
    seen[number] = 1;
    if (page.isDamaged || rows.length < page.rows.length) {
      damagedTrees.add(tree.name);
      damaged.add(number);
    }
    if (rows.length > 0) yield { kind: page.kind, rows };
    let from = after;
    for (const { page: child, last } of page.children) {
      yield* walk(walked, child, { depth: depth + 1, after: from, upTo: Math.min(last ?? upTo, upTo) });
      from = last ?? from;
    }
  }

  return {
    pagesOf(tree) {
      const owner = numbers.get(tree.name) ?? numbers.size + 1;
      numbers.set(tree.name, owner);
      const seen = new Uint8Array(file.pageCount + 1);
      return walk({ tree, owner, seen }, tree.root, { depth: 1, after: -Infinity, upTo: Infinity });
    },
    *hiddenPages() {
      const free = listFreePages(file);
      for (let number = 1; number <= file.pageCount; number++) {
        const page = owners[number] === 0 && !free.has(number) ? parse(number) : undefined;
        if (page !== undefined && page.rows.length > 0) yield page;
      }
      for (const bytes of file.loosePages()) {
        const page = bytes.length < PAGE_BYTES ? undefined : parsePage(2, bytes, file.read);
        if (page !== undefined && page.rows.length > 0) yield page;
      }
    },
    damagedPages: () => [...damaged].toSorted((a, b) => a - b),
    isDamaged: (name) => damagedTrees.has(name),
  };
}

/** Lists the free pages, whose rows were deleted. Ends at the first damaged page of the list. */
function listFreePages({ firstFreePage, pageCount, read }: PageFile): Set<number> {
  const free = new Set<number>();
  for (let trunk = firstFreePage; trunk >= 1 && trunk <= pageCount && !free.has(trunk);) {
    const bytes = read(trunk);
    if (bytes === undefined) break;
    const count = bytes.readUInt32BE(4);
    const leaves = Array.from({ length: Math.min(count, bytes.length / 4 - 2) }, (_, i) =>
      bytes.readUInt32BE(8 + 4 * i),
    );
    if (count > bytes.length / 4 - 2 || leaves.some((page) => page < 1 || page > pageCount)) break;
    free.add(trunk);
    for (const page of leaves) free.add(page);
    trunk = bytes.readUInt32BE(0);
  }
  return free;
}

/** A row of the schema in the file. */
export interface SchemaRow {
  readonly name: string;
  readonly root: number;
  readonly sql: string | null;
}

/** Lists the rows of the schema that can be read. */
export function listSchemaRows(file: PageFile, scan: Scan): SchemaRow[] {
  const found: SchemaRow[] = [];
  const add = (rows: readonly Row[]): void => {
    for (const row of rows) {
      const [, name, , root, sql] = row.values;
      if (isSchemaRow(row))
        found.push({ name: String(name), root: Number(root), sql: sql === null ? null : String(sql) });
    }
  };
  for (const page of scan.pagesOf({ name: SCHEMA, root: 1, kind: 'table', fits: isSchemaRow })) add(page.rows);
  if (!scan.isDamaged(SCHEMA)) return found;
  for (let number = 1; number <= file.pageCount; number++) {
    const bytes = file.read(number);
    const page = bytes && parsePage(number, bytes, file.read);
    if (page?.kind === 'table') add(page.rows);
  }
  return found;
}

/** Name of the b-tree with the schema. */
const SCHEMA = 'sqlite_schema';

function isSchemaRow({ values: [type, name, table, root, sql], values }: Row): boolean {
  const isText = [type, name, table].every((value) => typeof value === 'string');
  return values.length === 5 && isText && typeof root === 'number' && (sql === null || typeof sql === 'string');
}
