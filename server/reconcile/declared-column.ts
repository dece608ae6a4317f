// Finds the columns of a file of declared totals: by heading, in English, Dutch or German, otherwise by content. If two columns fit
// one role, the file is refused.

import type { DeclaredImport } from '../contract/declared-totals.ts';
import { isLikeDay, isLikeNumber } from './declared-cell.ts';

export type Role = keyof DeclaredImport['columns'];
/** Position of each column, from 0. */
export type Columns = Readonly<Partial<Record<Role, number>>>;

/**
 * The words in a heading that show the role of its column, with a weight for certainty. Of two roles with the same weight, the
 * first in this list wins.
 */
const WORDS: readonly (readonly [role: Role, weight: number, words: readonly string[]])[] = [
  ['id', 3, ['externalid']],
  ['day', 2, ['date', 'day', 'timestamp', 'tijdstip', 'zeitstempel', 'zeitpunkt']],
  ['till', 2, ['till', 'kassa', 'kasse', 'register', 'kassanummer', 'kassennummer', 'kassanr', 'kassennr']],
  ['type', 2, ['type', 'typ', 'soort', 'art', 'kind', 'bontype', 'belegart']],
  ['count', 2, ['count', 'aantal', 'anzahl', 'quantity', 'qty', 'numberof']],
  [
    'id',
    2,
    ['id', 'ids', 'receipt', 'bon', 'kassabon', 'kassenbon', 'beleg', 'ticket', 'reference', 'referentie', 'referenz'],
  ],
  ['id', 2, ['bonnummer', 'bonnr', 'belegnummer', 'belegnr', 'transactionid', 'transactieid', 'transaktionsid']],
  ['id', 2, ['transactionnumber', 'transactienummer', 'transaktionsnummer']],
  ['day', 1, ['time', 'tijd', 'zeit']],
  ['till', 1, ['terminal', 'pos']],
  ['count', 1, ['total', 'totaal', 'gesamt', 'summe', 'dagtotaal', 'tagessumme', 'number', 'sales', 'records']],
  [
    'count',
    1,
    ['receipts', 'bonnen', 'belege', 'tickets', 'transactions', 'transacties', 'transaktionen', 'verkopen', 'verkaufe'],
  ],
];
/** Endings of headings for a day, such as Verkoopdatum, Geschäftstag and boekdag. */
const DAY_ENDINGS = ['datum', 'dag', 'tag'];
/** Maximum columns of a valid file. */
const MAX_COLUMNS = 200;

interface Surroundings {
  /** The cells of the first row, if it is a heading. */
  readonly headings: readonly string[] | undefined;
  /** Some of the following rows. */
  readonly sample: readonly (readonly string[])[];
  readonly isTill: (cell: string) => boolean;
}

/** Whether a row is the heading: no cell of it is a day. */
export function isHeading(cells: readonly string[]): boolean {
  return !cells.some(isLikeDay);
}

/** Finds the columns. Undefined if no day column, or neither a count nor an id column is found, or a role has two columns. */
export function findColumns({ headings, sample, isTill }: Surroundings): Columns | undefined {
  const width = headings?.length ?? sample[0]?.length ?? 0;
  if (width < 2 || width > MAX_COLUMNS) return undefined;
  const cellsOf = (column: number): string[] =>
    sample.map((row) => row[column] ?? '').filter((cell) => cell.trim() !== '');
  const isMostly = (column: number, is: (cell: string) => boolean): boolean => {
    const cells = cellsOf(column);
    return cells.filter(is).length * 2 > cells.length;
  };
  const fits: Record<Role, (column: number) => boolean> = {
    day: (column) => isMostly(column, isLikeDay),
    count: (column) => isMostly(column, isLikeNumber),
    till: (column) => isMostly(column, isTill),
    id: () => true,
    type: () => true,
  };
  const all = Array.from({ length: width }, (_, column) => column);
  const found = byHeading(headings ?? [], fits);
  if (found === undefined) return undefined;

  const free = (fitting: (column: number) => boolean): number[] => {
    const taken = Object.values(found);
    return all.filter((column) => !taken.includes(column) && fitting(column));
  };
  /** Assigns a column to a role; returns false if there is more than one. */
  const take = (role: Role, columns: readonly number[]): boolean => {
    if (columns.length === 1 && columns[0] !== undefined) found[role] = columns[0];
    return columns.length <= 1;
  };
  const isText = (column: number): boolean => !isMostly(column, isLikeNumber) && !isMostly(column, isLikeDay);
  if (found.day === undefined && !take('day', free(fits.day))) return undefined;
  if (
    found.till === undefined &&
    !take(
      'till',
      free((column) => isText(column) && fits.till(column)),
    )
  )
    return undefined;
  if (found.count === undefined && found.id === undefined) {
    if (!take('count', free(fits.count))) return undefined;
    const isDistinct = (column: number): boolean => new Set(cellsOf(column)).size === sample.length;
    if (
      found.count === undefined &&
      !take(
        'id',
        free((column) => isText(column) && isDistinct(column)),
      )
    )
      return undefined;
  }
  // Without headings, a column of texts can only be the type. With headings, a type column would have been found by its heading.
  if (headings === undefined && !take('type', free(isText))) return undefined;
  return found.day === undefined || (found.count ?? found.id) === undefined ? undefined : found;
}

/** Finds each role's column by the weight of its heading, then by fitting content. Undefined if two columns of a role remain. */
function byHeading(
  headings: readonly string[],
  fits: Record<Role, (column: number) => boolean>,
): Partial<Record<Role, number>> | undefined {
  const meanings = headings.map(meaningOf);
  const found: Partial<Record<Role, number>> = {};
  for (const role of ['day', 'till', 'type', 'count', 'id'] as const) {
    const weights = meanings.map((meaning) => (meaning?.role === role ? meaning.weight : 0));
    const most = Math.max(...weights);
    if (most <= 0) continue;
    const columns = weights.flatMap((weight, column) => (weight === most ? [column] : []));
    const left = columns.length > 1 ? columns.filter(fits[role]) : columns;
    if (left.length > 1) return undefined;
    if (left[0] !== undefined) found[role] = left[0];
  }
  return found;
}

function meaningOf(heading: string): { readonly role: Role; readonly weight: number } | undefined {
  const words = wordsOf(heading);
  const whole = words.join('');
  for (const [role, weight, known] of WORDS) {
    if (words.some((word) => known.includes(word)) || known.includes(whole)) return { role, weight };
    if (role === 'day' && weight === 2 && words.some((word) => DAY_ENDINGS.some((ending) => word.endsWith(ending))))
      return { role, weight };
    if (known.includes('numberof') && whole.startsWith('numberof')) return { role, weight };
  }
  return undefined;
}

/** The words in lower case, without accents. A capital inside a word begins a new one. */
function wordsOf(heading: string): string[] {
  return heading
    .slice(0, 100)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
