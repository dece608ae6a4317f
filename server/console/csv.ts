// Cells, formats and file names of CSV exports. A text from a till must never run as a formula. If it becomes part of a file
// name, it must never lead to another folder.

import type { Options } from 'csv-stringify';
import type { Response } from 'express';
import { z } from 'zod';

import { CSV_FORMATS, type CsvFormat } from '../contract/exports.ts';
import { formatMilliseconds } from '../lib/instant.ts';

/** Maximum characters of a cell: a spreadsheet splits a cell of 32,768 or more characters. */
export const MAX_CELL_LENGTH = 32_000;

/**
 * A text, or an amount as a decimal with a point. Only an amount may begin with a minus sign, because a text with a minus sign
 * could be a formula.
 */
export type Cell = string | { readonly amount: string };

/** The query parameter that every export has. */
export const formatParameter = { format: z.enum(CSV_FORMATS).default('comma') };

const DELIMITERS: Record<CsvFormat, string> = { comma: ',', semicolon: ';', semicolonPoint: ';' };

/** The csv-stringify options of every export. Adds headings, and a UTF-8 byte order mark, because Excel needs it. */
export function csvOptions(columns: readonly string[], format: CsvFormat): Options {
  return { bom: true, header: true, columns: columns.map(inert), delimiter: DELIMITERS[format] };
}

/** Sets the headers of a CSV download. The name of the file is made from `parts`. */
export function headFile(res: Response, parts: readonly (string | undefined)[]): void {
  res.attachment(fileNameOf(parts)).type('text/csv; charset=utf-8');
}

/**
 * Writes a cell. An amount gets the decimal sign of the format. A text is changed so that it cannot run as a formula, and is
 * cut to the maximum length.
 */
export function cellOf(value: Cell, format: CsvFormat): string {
  if (typeof value !== 'string') return format === 'semicolon' ? value.amount.replace('.', ',') : value.amount;
  const cell = inert(value);
  if (cell.length <= MAX_CELL_LENGTH) return cell;
  return `${cell.slice(0, MAX_CELL_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * Prevents formulas at the start of a cell and after a separator inside it. A spreadsheet with another separator could split
 * the cell there. Takes linear time, because a till may send a megabyte.
 */
export function inert(cell: string): string {
  return cell
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/([;,|][\s"']*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1'")
    .replace(/^(?=[\s"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/, "'");
}

/** Two columns for the same time: one in the store's time zone, one in UTC. Both are empty if the time is missing. */
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
