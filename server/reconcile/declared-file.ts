// Reads a CSV file of declared totals: one row per day (and type, and till) with a count, or one row per sale with its id. It detects
// the delimiter, the columns, and the forms of days and numbers. It lists every fault with its line; a file with faults has no totals.

import { MAX_LISTED } from '../contract/days.ts';
import type { DeclaredFaultCode, DeclaredImport } from '../contract/declared-totals.ts';
import type { NewDeclaredTotal } from '../store/declared/ledger.ts';
import { foldName, isExternalId, isRecordType } from '../store/setup/input-rules.ts';
import { type CsvRow, readRows } from './csv.ts';
import { type DayFinder, openCountReader, openDayReader } from './declared-cell.ts';
import { type Columns, findColumns, isHeading, type Role } from './declared-column.ts';

/** The store (shop) that a file is about: its tills, and the store day of a time. */
export interface FileStore extends DayFinder {
  readonly tills: readonly { readonly id: number; readonly label: string }[];
}

export interface DeclaredFile {
  /** The headings; without headings, the numbers of the columns. */
  readonly columns: DeclaredImport['columns'];
  /** Sorted by day. */
  readonly totals: readonly NewDeclaredTotal[];
  /** Sorted by line, at most `MAX_LISTED`. */
  readonly faults: DeclaredImport['faults'];
}

const DELIMITERS = [',', ';', '\t', '|'];
/** A first line such as `sep=;`, which spreadsheets write. */
const NAMED_DELIMITER = /^\uFEFF?sep=([,;\t|])(?=[\r\n]|$)/;
/** How many rows decide the layout of a file. */
const SAMPLE_SIZE = 50;
/** Maximum characters of a value in a fault. */
const MAX_VALUE_LENGTH = 100;

/** Reads a file, in linear time. */
export function readDeclaredFile(text: string, store: FileStore): DeclaredFile {
  const findTill = openTillFinder(store.tills);
  const layout = findLayout(text, (cell) => findTill(cell) !== undefined);
  const [first, ...rest] = readFilled(text, layout.delimiter);
  if (first === undefined) return failed({ line: 1, code: 'nothing_there', value: '' });
  const rows = layout.hasHeading ? rest : [first, ...rest];
  if (rows.length === 0) return failed({ line: first.line, code: 'nothing_there', value: shown(rowText(first)) });
  if (layout.columns === undefined) {
    return failed({ line: first.line, code: 'columns_unknown', value: shown(rowText(first)) });
  }

  const { day } = layout.columns;
  const dayCells = rows.map(({ cells }) => cells[day ?? 0] ?? '');
  const readDay = openDayReader(dayCells, store);
  const columns = hasIds(layout.columns, rows, readDay)
    ? without(layout.columns, 'count')
    : without(layout.columns, 'id');
  const { totals, faults } = readTotals({ rows, width: first.cells.length, columns, readDay, findTill });
  const nameOf = (role: Role): string | null => {
    const column = columns[role];
    if (column === undefined) return null;
    return layout.hasHeading ? shown((first.cells[column] ?? '').trim()) : String(column + 1);
  };
  return {
    columns: {
      day: nameOf('day'),
      count: nameOf('count'),
      id: nameOf('id'),
      type: nameOf('type'),
      till: nameOf('till'),
    },
    totals: faults.length > 0 ? [] : totals.toSorted((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date))),
    faults,
  };
}

type Fault = DeclaredFile['faults'][number];

function failed(fault: Fault): DeclaredFile {
  return { columns: { day: null, count: null, id: null, type: null, till: null }, totals: [], faults: [fault] };
}

interface Layout {
  readonly delimiter: string;
  readonly hasHeading: boolean;
  /** Undefined if the columns are not found. */
  readonly columns: Columns | undefined;
}

/** Prefers a delimiter with which the columns are found, then one with which rows have equal length, then the most columns. */
function findLayout(text: string, isTill: (cell: string) => boolean): Layout {
  const named = NAMED_DELIMITER.exec(text)?.[1];
  const layouts = (named === undefined ? DELIMITERS : [named]).map((delimiter) => {
    const sample: CsvRow[] = [];
    for (const row of readFilled(text, delimiter)) if (sample.push(row) > SAMPLE_SIZE) break;
    const [first, ...rest] = sample.map(({ cells }) => cells);
    const width = first?.length ?? 0;
    const hasHeading = first !== undefined && isHeading(first);
    const rows = hasHeading ? rest : [...(first === undefined ? [] : [first]), ...rest];
    const columns = findColumns({ headings: hasHeading ? first : undefined, sample: rows, isTill });
    const even = rows.filter((cells) => cells.length === width).length / Math.max(1, rows.length);
    return { delimiter, hasHeading, columns, rank: [columns === undefined ? 0 : 1, even, width] };
  });
  const [best] = layouts.toSorted((a, b) => compareRanks(b.rank, a.rank));
  return best ?? { delimiter: ',', hasHeading: false, columns: undefined };
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** Rows that are not empty. */
function* readFilled(text: string, delimiter: string): Generator<CsvRow, void> {
  let isFirst = NAMED_DELIMITER.test(text);
  for (const row of readRows(text, delimiter)) {
    if (!isFirst && row.cells.some((cell) => cell.trim() !== '')) yield row;
    isFirst = false;
  }
}

/**
 * Finds a till by its exact label, otherwise without regard to case. If two labels differ in case only, each is found by its exact
 * label alone.
 */
function openTillFinder(tills: FileStore['tills']): (cell: string) => number | undefined {
  const exact = new Map(tills.map(({ id, label }) => [label, id]));
  const folded = Map.groupBy(tills, ({ label }) => foldName(label));
  return (cell) => {
    if (cell.length > 2 * MAX_VALUE_LENGTH) return undefined;
    const alike = folded.get(foldName(cell));
    return exact.get(cell.trim()) ?? (alike?.length === 1 ? alike[0]?.id : undefined);
  };
}

/**
 * Whether each row is one sale with its id. In a file that also has a count column, this is so if two rows have the same day, type
 * and till.
 */
function hasIds(columns: Columns, rows: readonly CsvRow[], readDay: (cell: string) => string | undefined): boolean {
  if (columns.count === undefined || columns.id === undefined) return columns.id !== undefined;
  const { day = 0, type, till } = columns;
  const scopes = new Set<string>();
  for (const { cells } of rows)
    scopes.add(JSON.stringify([readDay(cells[day] ?? ''), cells[type ?? -1], cells[till ?? -1]]));
  return scopes.size < rows.length;
}

function without(columns: Columns, role: Role): Columns {
  const { [role]: _, ...rest } = columns;
  return rest;
}

interface Content {
  readonly rows: readonly CsvRow[];
  /** Number of cells in the first row. */
  readonly width: number;
  readonly columns: Columns;
  readonly readDay: (cell: string) => string | undefined;
  readonly findTill: (cell: string) => number | undefined;
}

function readTotals({ rows, width, columns, readDay, findTill }: Content): {
  readonly totals: readonly NewDeclaredTotal[];
  readonly faults: readonly Fault[];
} {
  const { day = 0, count, id, type, till } = columns;
  const lastColumn = Math.max(...Object.values(columns));
  const readCount = openCountReader(count === undefined ? [] : rows.map(({ cells }) => cells[count] ?? ''));
  const faults: Fault[] = [];
  const totals = new Map<string, { total: Omit<NewDeclaredTotal, 'records'>; records: number; ids: string[] }>();
  const ids = new Set<string>();

  for (const row of rows) {
    if (faults.length >= MAX_LISTED) break;
    const { line, cells } = row;
    const fault = (code: DeclaredFaultCode, value: string): void =>
      void faults.push({ line, code, value: shown(value) });
    const tooMany = cells.slice(width).find((cell) => cell.trim() !== '');
    if (row.isBroken || cells.length <= lastColumn || tooMany !== undefined) {
      fault('cells_wrong', tooMany ?? rowText(row));
      continue;
    }
    const cellAt = (column: number | undefined): string => (column === undefined ? '' : (cells[column] ?? ''));
    const before = faults.length;

    const date = readDay(cellAt(day));
    if (date === undefined) fault('day_unreadable', cellAt(day));
    const typeName = cellAt(type).trim();
    if (typeName !== '' && !isRecordType(typeName)) fault('type_unreadable', typeName);
    const tillName = cellAt(till);
    const tillId = tillName.trim() === '' ? null : findTill(tillName);
    if (tillId === undefined) fault('till_unknown', tillName);
    const records = id === undefined ? readCount(cellAt(count)) : 1;
    if (records === undefined) fault('count_unreadable', cellAt(count));
    const externalId = cellAt(id);
    if (id !== undefined && !isExternalId(externalId)) fault('id_unreadable', externalId);
    if (faults.length > before || date === undefined || tillId === undefined || records === undefined) continue;

    const scope = `${date} ${tillId ?? ''} ${typeName}`;
    const known = totals.get(scope);
    if (id === undefined) {
      if (known !== undefined)
        fault('repeated', [cellAt(day), typeName, tillName].filter((cell) => cell !== '').join(' '));
    } else if (ids.has(externalId)) {
      fault('repeated', externalId);
    }
    ids.add(externalId);
    const entry = known ?? { total: { date, type: typeName === '' ? null : typeName, tillId }, records: 0, ids: [] };
    totals.set(scope, entry);
    entry.records += records;
    entry.ids.push(externalId);
  }
  return {
    totals: [...totals.values()].map(({ total, records, ids: own }) =>
      id === undefined ? { ...total, records } : { ...total, records, ids: own },
    ),
    faults: faults.slice(0, MAX_LISTED),
  };
}

function rowText({ cells }: CsvRow): string {
  return cells.slice(0, MAX_VALUE_LENGTH).join(' ').trim();
}

/** Shortens a text for display, at a whole character. */
function shown(text: string): string {
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
