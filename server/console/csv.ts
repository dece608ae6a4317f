// Cells, formats and file names of CSV exports. Text from a till must not run as a formula, nor name a path outside a folder.

import type { Options } from 'csv-stringify';
import { stringify } from 'csv-stringify/sync';
import type { Response } from 'express';
import { z } from 'zod';

import { CSV_FORMATS, type CsvFormat } from '../contract/exports.ts';
import { formatMilliseconds } from '../lib/instant.ts';

/** Maximum characters of a cell: a spreadsheet splits a cell of 32,768 or more characters. */
export const MAX_CELL_LENGTH = 32_000;

/** A text, or an amount as a decimal string with a point. Only an amount may begin with a minus. */
export type Cell = string | { readonly amount: string };

/** The parameter of every export. */
export const formatParameter = { format: z.enum(CSV_FORMATS).default('comma') };

const DELIMITERS: Record<CsvFormat, string> = { comma: ',', semicolon: ';', semicolonPoint: ';' };

/** The options of every export: a UTF-8 byte order mark, because Excel needs it, and headings. */
export function csvOptions(columns: readonly string[], format: CsvFormat): Options {
  return { bom: true, header: true, columns: [...columns], delimiter: DELIMITERS[format] };
}

/** Sets the headers of a CSV download; `parts` make its file name. */
export function headFile(res: Response, parts: readonly (string | undefined)[]): void {
  res.attachment(fileNameOf(parts)).type('text/csv; charset=utf-8');
}

/** A small file: its name, its rows and its format. */
export interface SmallFile {
  readonly name: readonly (string | undefined)[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly format: CsvFormat;
}

/** Sends a small file in one piece. Makes every cell inert. */
export function sendRows(res: Response, { name, columns, rows, format }: SmallFile): void {
  headFile(res, name);
  const cells = rows.map((row) => row.map((cell) => cellOf(cell, format)));
  res.send(stringify(cells, csvOptions(columns.map(inert), format)));
}

/** Writes an amount with the decimal sign of the format. Makes a text inert and cuts it at the maximum length of a cell. */
export function cellOf(value: Cell, format: CsvFormat): string {
  if (typeof value !== 'string') return format === 'semicolon' ? value.amount.replace('.', ',') : value.amount;
  const cell = inert(value);
  if (cell.length <= MAX_CELL_LENGTH) return cell;
  return `${cell.slice(0, MAX_CELL_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * Prevents formulas at the start of a cell and inside it: a spreadsheet with another separator, such as the semicolon, would
 * split the cell, and each part could start a formula. Linear time, because a till may send a megabyte.
 */
export function inert(cell: string): string {
  return cell
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/([;,|][\s"']*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1'")
    .replace(/^(?=[\s"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/, "'");
}

/** An instant in the store's zone and in UTC: columns beside each other. A missing instant is empty. */
export function timeColumns<Row>(
  name: string,
  timeZone: string,
  atOf: (row: Row) => number | null | undefined,
): Readonly<Record<string, (row: Row) => string>> {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const told = (row: Row, format: (at: number) => string): string => {
    const at = atOf(row);
    return at == null ? '' : format(at);
  };
  return {
    [`${name} (${timeZone})`]: (row) => told(row, (at) => local.format(at)),
    [`${name} (UTC)`]: (row) => told(row, (at) => formatMilliseconds(at).replace('.000Z', 'Z')),
  };
}

/** Makes a file name such as `Bakery 2026-11-20 ERROR.csv`. */
function fileNameOf(parts: readonly (string | undefined)[]): string {
  const name = parts.filter((part) => part !== undefined).join(' ');
  return `${name.replace(/[^\p{L}\p{N} ._-]+/gu, '-').replace(/^[.\s-]+/, '')}.csv`;
}
