// Suggests which column of an imported file has which role, such as day, till or count. It uses the headings (English, Dutch or
// German), then the content. If two columns fit a role, a person must choose.

import { DECLARED_ROLES, type DeclaredRole } from '../contract/declared-totals.ts';
import { isLikeAmount } from './amount-cell.ts';
import { isLikeDay, isLikeNumber } from './declared-cell.ts';

/** Position of each column, from 0. */
export type Columns = Readonly<Partial<Record<DeclaredRole, number>>>;

/** Words that may mean a number of sales or an amount of money. */
const TOTALS = ['total', 'totaal', 'gesamt', 'summe', 'dagtotaal', 'tagessumme'];
/**
 * Words in a heading that show the role of its column, with a weight for certainty. The first entry that fits a heading
 * decides.
 */
const WORDS: readonly (readonly [role: DeclaredRole, weight: number, words: readonly string[]])[] = [
  ['id', 3, ['externalid']],
  ['day', 2, ['date', 'day', 'timestamp', 'tijdstip', 'zeitstempel', 'zeitpunkt']],
  ['till', 2, ['till', 'kassa', 'kasse', 'register', 'kassanummer', 'kassennummer', 'kassanr', 'kassennr']],
  ['type', 2, ['type', 'typ', 'soort', 'art', 'kind', 'bontype', 'belegart']],
  ['currency', 2, ['currency', 'currencycode', 'valuta', 'munt', 'muntsoort', 'wahrung']],
  ['count', 2, ['count', 'aantal', 'anzahl', 'quantity', 'qty', 'numberof']],
  [
    'amount',
    2,
    ['amount', 'totalamount', 'bedrag', 'totaalbedrag', 'betrag', 'gesamtbetrag', 'revenue', 'turnover', 'takings'],
  ],
  ['amount', 2, ['omzet', 'dagomzet', 'umsatz', 'tagesumsatz', 'gross', 'bruto', 'brutto']],
  [
    'id',
    2,
    ['id', 'ids', 'receipt', 'bon', 'kassabon', 'kassenbon', 'beleg', 'ticket', 'reference', 'referentie', 'referenz'],
  ],
  ['id', 2, ['bonnummer', 'bonnr', 'belegnummer', 'belegnr', 'transactionid', 'transactieid', 'transaktionsid']],
  ['id', 2, ['transactionnumber', 'transactienummer', 'transaktionsnummer']],
  ['day', 1, ['time', 'tijd', 'zeit']],
  ['till', 1, ['terminal', 'pos']],
  ['count', 1, [...TOTALS, 'number', 'sales', 'records']],
  [
    'count',
    1,
    ['receipts', 'bonnen', 'belege', 'tickets', 'transactions', 'transacties', 'transaktionen', 'verkopen', 'verkaufe'],
  ],
];
/** Endings of headings for a day, such as Verkoopdatum, Geschäftstag and boekdag. */
const DAY_ENDINGS = ['datum', 'dag', 'tag'];
/** Maximum columns of a valid file. */
export const MAX_COLUMNS = 200;

interface Surroundings {
  /** The cells of the first row; undefined if the first row is no heading. */
  readonly headings: readonly string[] | undefined;
  /** Some of the rows after the heading. */
  readonly sample: readonly (readonly string[])[];
  readonly isTill: (cell: string) => boolean;
}

/** Whether a row is the heading: no cell of it is a day. */
export function isHeading(cells: readonly string[]): boolean {
  return !cells.some(isLikeDay);
}

export interface Suggestion {
  readonly columns: Columns;
  /** True if the columns for the day and for counts (or ids) are known, and no role fits two columns. */
  readonly isComplete: boolean;
}

export function suggestColumns({ headings, sample, isTill }: Surroundings): Suggestion {
  const width = headings?.length ?? sample[0]?.length ?? 0;
  if (width < 2 || width > MAX_COLUMNS) return { columns: {}, isComplete: false };
  const cellsOf = (column: number): string[] =>
    sample.map((row) => row[column] ?? '').filter((cell) => cell.trim() !== '');
  const isMostly = (column: number, is: (cell: string) => boolean): boolean => {
    const cells = cellsOf(column);
    return cells.filter(is).length * 2 > cells.length;
  };
  const isText = (column: number): boolean => !isMostly(column, isLikeNumber) && !isMostly(column, isLikeDay);
  const isDistinct = (column: number): boolean => new Set(cellsOf(column)).size === sample.length;
  const fits: Record<DeclaredRole, (column: number) => boolean> = {
    day: (column) => isMostly(column, isLikeDay),
    count: (column) => isMostly(column, isLikeNumber),
    amount: (column) => isMostly(column, isLikeAmount),
    currency: (column) => isMostly(column, isCurrency),
    till: (column) => isMostly(column, isTill),
    id: () => true,
    type: () => true,
  };
  const { found, open } = byHeading(headings ?? [], fits);
  const all = Array.from({ length: width }, (_, column) => column);
  /** If a role has no column yet, assigns the only free column that fits. If several columns fit, the role stays open. */
  const take = (role: DeclaredRole, fitting: (column: number) => boolean): void => {
    if (found[role] !== undefined || open.has(role)) return;
    const taken = Object.values(found);
    const [only, ...more] = all.filter((column) => !taken.includes(column) && fitting(column));
    if (more.length > 0) open.add(role);
    else if (only !== undefined) found[role] = only;
  };
  take('day', fits.day);
  take('till', (column) => isText(column) && fits.till(column));
  if (found.id === undefined) take('count', fits.count);
  if (found.count === undefined && !open.has('count')) take('id', (column) => isText(column) && isDistinct(column));
  const isTotal = (column: number): boolean => wordsOf(headings?.[column] ?? '').some((word) => TOTALS.includes(word));
  take('amount', (column) => isTotal(column) && fits.amount(column));
  // Without headings, a remaining column of texts must be the type. With headings, `byHeading` has already looked for the
  // type.
  if (headings === undefined) {
    take('currency', fits.currency);
    take('type', isText);
  }
  return {
    columns: found,
    isComplete: open.size === 0 && found.day !== undefined && (found.count ?? found.id) !== undefined,
  };
}

/** Whether a cell is a currency: a code of three capital letters. */
function isCurrency(cell: string): boolean {
  return /^[A-Z]{3}$/.test(cell.trim());
}

/**
 * Gives each role the column whose heading has the highest weight. If several columns have this weight, the content decides. If
 * several columns remain, the role stays open.
 */
function byHeading(
  headings: readonly string[],
  fits: Record<DeclaredRole, (column: number) => boolean>,
): { readonly found: Partial<Record<DeclaredRole, number>>; readonly open: Set<DeclaredRole> } {
  const meanings = headings.map(meaningOf);
  const found: Partial<Record<DeclaredRole, number>> = {};
  const open = new Set<DeclaredRole>();
  for (const role of DECLARED_ROLES) {
    const weights = meanings.map((meaning) => (meaning?.role === role ? meaning.weight : 0));
    const most = Math.max(...weights);
    if (most <= 0) continue;
    const columns = weights.flatMap((weight, column) => (weight === most ? [column] : []));
    const left = columns.length > 1 ? columns.filter(fits[role]) : columns;
    if (left.length > 1) open.add(role);
    else if (left[0] !== undefined) found[role] = left[0];
  }
  return { found, open };
}

function meaningOf(heading: string): { readonly role: DeclaredRole; readonly weight: number } | undefined {
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

/** The words of a heading in lower case, without accents. A capital letter after a small letter begins a new word. */
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
