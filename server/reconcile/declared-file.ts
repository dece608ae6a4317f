// Reads a CSV file of declared totals. Each row is either a total of a day or one sale with its id. A total has a count and may
// have a type, a till, a currency and an amount. A person chooses the columns; otherwise this module suggests them. A file with
// faults has no totals, only a list of faults with their lines.

import type { Amount } from '../contract/amounts.ts';
import { MAX_LISTED } from '../contract/days.ts';
import {
  DECLARED_ROLES,
  type DeclaredChoice,
  type DeclaredColumns,
  type DeclaredFaultCode,
  type DeclaredImport,
  type DeclaredRole,
} from '../contract/declared-totals.ts';
import { formatAmount, readCurrencyCode } from '../store/amounts/currency.ts';
import type { NewDeclaredTotal } from '../store/declared/ledger.ts';
import { foldName, isExternalId, isRecordType } from '../store/setup/input-rules.ts';
import { openAmountReader } from './amount-cell.ts';
import { type CsvRow, readRows } from './csv.ts';
import { type DayFinder, openCountReader, openDayReader } from './declared-cell.ts';
import { type Columns, isHeading, MAX_COLUMNS, suggestColumns, type Suggestion } from './declared-column.ts';

/** The store (shop) of a file: its tills, and the store day of a time. */
export interface FileStore extends DayFinder {
  readonly tills: readonly { readonly id: number; readonly label: string }[];
}

export interface DeclaredFile extends Pick<DeclaredImport, 'headings' | 'sample' | 'columns'> {
  /** Sorted by day. */
  readonly totals: readonly NewDeclaredTotal[];
  /** Sorted by line, at most `MAX_LISTED`. */
  readonly faults: DeclaredImport['faults'];
}

const DELIMITERS = [',', ';', '\t', '|'];
/** A first line such as `sep=;`, which spreadsheets write. */
const NAMED_DELIMITER = /^\uFEFF?sep=([,;\t|])(?=[\r\n]|$)/;
/** Number of rows that are examined to find the delimiter and the columns of a file. */
const SAMPLE_SIZE = 50;
/** Maximum characters of a cell's value that a fault repeats. */
const MAX_VALUE_LENGTH = 100;

/** Number of rows that the console shows to a person who chooses the columns. */
const SHOWN_ROWS = 3;

/** Reads a file in linear time. Without `choice`, uses the suggested columns. */
export function readDeclaredFile(text: string, store: FileStore, choice?: DeclaredChoice): DeclaredFile {
  const findTill = openTillFinder(store.tills);
  const layout = findLayout(text, (cell) => findTill(cell) !== undefined);
  const [first, ...rest] = readFilled(text, layout.delimiter);
  const rows = first === undefined || layout.hasHeading ? rest : [first, ...rest];
  const seen = {
    headings: first !== undefined && layout.hasHeading ? first.cells.slice(0, MAX_COLUMNS).map(shownCell) : null,
    sample: rows.slice(0, SHOWN_ROWS).map(({ cells }) => cells.slice(0, MAX_COLUMNS).map(shownCell)),
  };
  const fail = (line: number, code: DeclaredFaultCode, columns: Columns): DeclaredFile => ({
    ...seen,
    columns: viewColumns(columns),
    totals: [],
    faults: [{ line, code, value: first === undefined ? '' : shown(rowText(first)) }],
  });
  if (first === undefined || rows.length === 0) return fail(first?.line ?? 1, 'nothing_there', {});

  const { columns: suggested, isComplete } =
    choice === undefined ? layout.suggestion : { columns: columnsOf(choice.columns), isComplete: true };
  const { day } = suggested;
  const readDay = openDayReader(day === undefined ? [] : cellsOf(rows, day), store, choice?.dateOrder);
  const columns = hasIds(suggested, rows, readDay) ? without(suggested, 'count') : without(suggested, 'id');
  if (!isComplete || day === undefined) return fail(first.line, 'columns_unknown', suggested);
  const { totals, faults } = readTotals({ rows, width: first.cells.length, columns, readDay, findTill, choice });
  return {
    ...seen,
    columns: viewColumns(columns),
    totals: faults.length > 0 ? [] : totals.toSorted((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date))),
    faults,
  };
}

function cellsOf(rows: readonly CsvRow[], column: number): string[] {
  return rows.map(({ cells }) => cells[column] ?? '');
}

function viewColumns(columns: Columns): DeclaredColumns {
  const pairs = DECLARED_ROLES.map((role) => [role, columns[role] ?? null] as const);
  return Object.fromEntries(pairs) as Record<DeclaredRole, number | null>;
}

function columnsOf(columns: DeclaredColumns): Columns {
  return Object.fromEntries(Object.entries(columns).filter(([, column]) => column !== null));
}

type Fault = DeclaredFile['faults'][number];

interface Layout {
  readonly delimiter: string;
  readonly hasHeading: boolean;
  readonly suggestion: Suggestion;
}

/**
 * Finds the delimiter and the columns of a file. Prefers a delimiter with which all needed columns are found, then rows of
 * equal length, then the most columns.
 */
function findLayout(text: string, isTill: (cell: string) => boolean): Layout {
  const named = NAMED_DELIMITER.exec(text)?.[1];
  const layouts = (named === undefined ? DELIMITERS : [named]).map((delimiter) => {
    const sample: CsvRow[] = [];
    for (const row of readFilled(text, delimiter)) if (sample.push(row) > SAMPLE_SIZE) break;
    const [first, ...rest] = sample.map(({ cells }) => cells);
    const width = first?.length ?? 0;
    const hasHeading = first !== undefined && isHeading(first);
    const rows = hasHeading ? rest : [...(first === undefined ? [] : [first]), ...rest];
    const suggestion = suggestColumns({ headings: hasHeading ? first : undefined, sample: rows, isTill });
    const even = rows.filter((cells) => cells.length === width).length / Math.max(1, rows.length);
    return { delimiter, hasHeading, suggestion, rank: [Number(suggestion.isComplete), even, width] };
  });
  const [best] = layouts.toSorted((a, b) => compareRanks(b.rank, a.rank));
  return best ?? { delimiter: ',', hasHeading: false, suggestion: { columns: {}, isComplete: false } };
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
 * Finds a till by its exact label. If no label is equal, ignores upper and lower case. If two labels differ only in case, each
 * is found only by its exact label.
 */
function openTillFinder(tills: FileStore['tills']): (cell: string) => number | undefined {
  const exact = new Map(tills.map(({ id, label }) => [label, id]));
  const folded = Map.groupBy(tills, ({ label }) => foldName(label));
  const find = (name: string): number | undefined => {
    const alike = folded.get(foldName(name));
    return exact.get(name.trim()) ?? (alike?.length === 1 ? alike[0]?.id : undefined);
  };
  return (cell) => {
    if (cell.length > 2 * MAX_VALUE_LENGTH) return undefined;
    // The template has an apostrophe before a label that a spreadsheet could run as a formula.
    return find(cell) ?? (cell.startsWith("'") ? find(cell.slice(1)) : undefined);
  };
}

/**
 * Whether each row is one sale with its id. If the file also has a count column, two rows with the same day, type and till
 * prove this.
 */
function hasIds(columns: Columns, rows: readonly CsvRow[], readDay: (cell: string) => string | undefined): boolean {
  if (columns.count === undefined || columns.id === undefined) return columns.id !== undefined;
  const { day = 0, type, till } = columns;
  const scopes = new Set<string>();
  for (const { cells } of rows)
    scopes.add(JSON.stringify([readDay(cells[day] ?? ''), cells[type ?? -1], cells[till ?? -1]]));
  return scopes.size < rows.length;
}

function without(columns: Columns, role: DeclaredRole): Columns {
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
  readonly choice: DeclaredChoice | undefined;
}

/** A total whose rows are being added up. */
interface Sum {
  readonly scope: Pick<NewDeclaredTotal, 'date' | 'type' | 'tillId'>;
  records: number;
  readonly ids: string[];
  readonly amounts: Map<string | null, bigint>;
}

function readTotals({ rows, width, columns, readDay, findTill, choice }: Content): {
  readonly totals: readonly NewDeclaredTotal[];
  readonly faults: readonly Fault[];
} {
  const { day = 0, count, id, amount, currency, type, till } = columns;
  const lastColumn = Math.max(...Object.values(columns));
  const readCount = openCountReader(count === undefined ? [] : cellsOf(rows, count));
  const readAmount = openAmountReader(amount === undefined ? [] : cellsOf(rows, amount), choice?.decimalSign);
  const faults: Fault[] = [];
  const totals = new Map<string, Sum>();
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
    const externalId = cellAt(id);
    if (id !== undefined && !isExternalId(externalId)) fault('id_unreadable', externalId);
    const currencyText = cellAt(currency).trim();
    const code = readCurrencyCode(currencyText) ?? '';
    if (currencyText !== '' && code === '') fault('currency_unreadable', currencyText);

    const known = totals.get(`${date} ${tillId ?? ''} ${typeName}`);
    // In the row of a total, an empty amount means that no amount is declared. The row of a sale needs an amount, because
    // otherwise the sum would be too low.
    const hasAmount = amount !== undefined && (id !== undefined || cellAt(amount).trim() !== '');
    const money = hasAmount ? readAmount(cellAt(amount)) : undefined;
    const [given, own] = [code === '' ? (choice?.currency ?? null) : code, money?.currency ?? null];
    const isOther = given !== null && own !== null && given !== own;
    if (hasAmount && (money === undefined || isOther)) fault('amount_unreadable', cellAt(amount));
    const unit = own ?? given;
    // Another row of the same total must have another currency. That row need not repeat the number of sales.
    const isFurther = id === undefined && known !== undefined && hasAmount && !known.amounts.has(unit);
    const isEmptyCount = isFurther && cellAt(count).trim() === '';
    const records = id !== undefined ? 1 : isEmptyCount ? 0 : readCount(cellAt(count));
    if (records === undefined) fault('count_unreadable', cellAt(count));
    if (faults.length > before || date === undefined || tillId === undefined || records === undefined) continue;

    if (id === undefined && known !== undefined && (!isFurther || known.amounts.size === 0))
      fault('repeated', [cellAt(day), typeName, tillName].filter((cell) => cell !== '').join(' '));
    else if (id !== undefined && ids.has(externalId)) fault('repeated', externalId);
    ids.add(externalId);
    const scope = { date, type: typeName === '' ? null : typeName, tillId };
    const sum = known ?? { scope, records: 0, ids: [], amounts: new Map<string | null, bigint>() };
    totals.set(`${date} ${tillId ?? ''} ${typeName}`, sum);
    sum.records += records;
    sum.ids.push(externalId);
    if (money !== undefined) sum.amounts.set(unit, (sum.amounts.get(unit) ?? 0n) + money.value);
  }
  return {
    totals: [...totals.values()].map(({ scope, records, ids: own, amounts }) => ({
      ...scope,
      records,
      ...(id !== undefined && { ids: own }),
      ...(amounts.size > 0 && { amounts: listAmounts(amounts) }),
    })),
    faults: faults.slice(0, MAX_LISTED),
  };
}

function listAmounts(amounts: ReadonlyMap<string | null, bigint>): Amount[] {
  return [...amounts].map(([currency, value]) => ({ currency, value: formatAmount(value, currency) }));
}

function rowText({ cells }: CsvRow): string {
  return cells.slice(0, MAX_VALUE_LENGTH).join(' ').trim();
}

function shownCell(cell: string): string {
  return shown(cell.trim());
}

/** Shortens a text for display, without cutting a character in two. */
function shown(text: string): string {
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
