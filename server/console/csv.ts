// Cells and names of CSV files: what a till sent must not run in a spreadsheet, nor lead out of a folder.

import type { Options } from 'csv-stringify';
import { stringify } from 'csv-stringify/sync';
import type { Response } from 'express';

/** Characters; a spreadsheet breaks a cell of 32,768 or more in two. */
export const MAX_CELL_LENGTH = 32_000;

/** How every file is written: a mark that it is UTF-8, headings, and no cell that begins a formula. */
export function csvOptions(columns: readonly string[]): Options {
  return { bom: true, header: true, columns: [...columns], escape_formulas: true };
}

/** Names what follows; `parts` as `fileNameOf` has them. */
export function headFile(res: Response, parts: readonly (string | undefined)[]): void {
  res.attachment(fileNameOf(parts)).type('text/csv; charset=utf-8');
}

/** A file of few rows, whole. Each cell is made inert here. */
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

/** A text as a cell, inert and as long as a cell may be. */
export function cellOf(text: string): string {
  const cell = inert(text);
  if (cell.length <= MAX_CELL_LENGTH) return cell;
  return `${cell.slice(0, MAX_CELL_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/**
 * A cell that is no formula however the file is read. The writer sees to its beginning; here is what a spreadsheet makes of
 * it that takes other separators than commas, as most do outside of English: each part could be a cell of its own. A till
 * may send a megabyte of anything, so it looks at each character once.
 */
export function inert(cell: string): string {
  return cell
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/([;,|][\s"']*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, "$1'")
    .replace(/^(?=[\s"']+[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/, "'");
}

/** `Bakery 2026-11-20 ERROR.csv`; a test journal's name says so on the screen it is asked for. */
function fileNameOf(parts: readonly (string | undefined)[]): string {
  const name = parts.filter((part) => part !== undefined).join(' ');
  return `${name.replace(/[^\p{L}\p{N} ._-]+/gu, '-').replace(/^[.\s-]+/, '')}.csv`;
}
