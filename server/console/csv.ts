// Cells and file names of CSV exports. Text from a till must not run as a formula, nor name a path outside a folder.

import type { Options } from 'csv-stringify';
import { stringify } from 'csv-stringify/sync';
import type { Response } from 'express';

/** Maximum characters of a cell: a spreadsheet splits a cell of 32,768 or more characters. */
export const MAX_CELL_LENGTH = 32_000;

/** The format of every export: a UTF-8 byte order mark, headings, and no cell that starts a formula. */
export function csvOptions(columns: readonly string[]): Options {
  return { bom: true, header: true, columns: [...columns], escape_formulas: true };
}

/** Sets the headers of a CSV download; `parts` make its file name. */
export function headFile(res: Response, parts: readonly (string | undefined)[]): void {
  res.attachment(fileNameOf(parts)).type('text/csv; charset=utf-8');
}

/** Sends a small file at once. Makes every cell inert. */
export function sendRows(
  res: Response,
  parts: readonly (string | undefined)[],
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  headFile(res, parts);
  res.send(
    stringify(
      rows.map((row) => row.map(cellOf)),
      csvOptions(columns),
    ),
  );
}

/** Makes a text inert and cuts it at the maximum length of a cell. */
export function cellOf(text: string): string {
  const cell = inert(text);
  if (cell.length <= MAX_CELL_LENGTH) return cell;
  return `${cell.slice(0, MAX_CELL_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * Prevents formulas inside a cell. The CSV writer guards its first character. But a spreadsheet with another separator, such as
 * the semicolon, would split the cell, and each part could start a formula. Linear time, because a till may send a megabyte.
 */
export function inert(cell: string): string {
  return cell
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/([;,|][\s"']*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1'")
    .replace(/^(?=[\s"']+[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/, "'");
}

/** Such as `Bakery 2026-11-20 ERROR.csv`. */
function fileNameOf(parts: readonly (string | undefined)[]): string {
  const name = parts.filter((part) => part !== undefined).join(' ');
  return `${name.replace(/[^\p{L}\p{N} ._-]+/gu, '-').replace(/^[.\s-]+/, '')}.csv`;
}
