// Reads amounts of money in the cells of a file of declared totals. 1.234 may be a thousand or less than two: such a cell is read
// by the decimal sign that the clear cells of the file show, or that a person chose. Otherwise it is unreadable.

import { DECIMAL_SIGNS, type DecimalSign } from '../contract/declared-totals.ts';
import { parseDecimal } from '../lib/decimal.ts';

export interface CellAmount {
  readonly value: bigint;
  /** The currency that the cell names; null if it names none. */
  readonly currency: string | null;
}

/** Maximum characters of an amount. */
const MAX_CELL_LENGTH = 40;
/** A sign before or after the digits, and a currency before or after them. */
const CELL = /^([-−]?) *([A-Z]{3}|[€£])? *([-−]?) *(\d[\d.,'’ \u00A0\u202F]*?) *([-−]?) *([A-Z]{3}|[€£])?$/u;
const SYMBOLS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' };

interface Parts {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly currency: string | null;
}

function partsOf(cell: string): Parts | undefined {
  if (cell.length > MAX_CELL_LENGTH) return undefined;
  const match = CELL.exec(cell.trim().replace(/[\u00A0\u202F]/g, ' '));
  if (match === null) return undefined;
  const [, first = '', before, second = '', digits = '', last = '', after] = match;
  const signs = first + second + last;
  const symbols = [before, after].filter((symbol) => symbol !== undefined);
  if (signs.length > 1 || symbols.length > 1) return undefined;
  const [symbol] = symbols;
  return { isNegative: signs !== '', digits, currency: symbol === undefined ? null : (SYMBOLS[symbol] ?? symbol) };
}

/** Whether a cell has the form of an amount, readable or not. */
export function isLikeAmount(cell: string): boolean {
  return partsOf(cell) !== undefined;
}

/** The decimal sign of a clear number; null if it has none; undefined if it may have one. */
function signOf(digits: string): DecimalSign | null | undefined {
  const marks = DECIMAL_SIGNS.filter((sign) => digits.includes(sign));
  const [mark] = marks;
  if (mark === undefined) return null;
  const last = digits.lastIndexOf('.') > digits.lastIndexOf(',') ? '.' : ',';
  if (marks.length === 2) return last;
  if (digits.indexOf(mark) !== digits.lastIndexOf(mark)) return mark === '.' ? ',' : '.';
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits.replace(/ /g, '')) ? undefined : mark;
}

/** The decimal sign of a file: the one that all clear cells have. */
function findDecimalSign(cells: Iterable<string>): DecimalSign | undefined {
  const signs = new Set<DecimalSign>();
  for (const cell of cells) {
    const parts = partsOf(cell);
    const sign = parts && signOf(parts.digits);
    if (sign != null) signs.add(sign);
  }
  return signs.size === 1 ? [...signs][0] : undefined;
}

/** Returns a reader of the amounts in a file's cells, which returns undefined for anything unreadable or ambiguous. */
export function openAmountReader(
  cells: Iterable<string>,
  chosen?: DecimalSign,
): (cell: string) => CellAmount | undefined {
  const ofFile = chosen ?? findDecimalSign(cells);
  return (cell) => {
    const parts = partsOf(cell);
    if (parts === undefined) return undefined;
    const { isNegative, digits, currency } = parts;
    const own = signOf(digits);
    const sign = chosen ?? (own === undefined ? ofFile : own);
    if (sign === undefined) return undefined;
    const value = readDigits(digits, sign);
    return value === undefined ? undefined : { value: isNegative ? -value : value, currency };
  };
}

/** Groups of three digits must all have the same mark, which is not the decimal sign. */
function readDigits(digits: string, sign: DecimalSign | null): bigint | undefined {
  const [whole = '', fraction, ...more] = sign === null ? [digits] : digits.split(sign);
  if (more.length > 0 || (fraction !== undefined && !/^\d+$/.test(fraction))) return undefined;
  if (!/^(?:\d+|\d{1,3}([.,'’ ])\d{3}(?:\1\d{3})*)$/.test(whole)) return undefined;
  return parseDecimal(`${whole.replace(/\D/g, '')}${fraction === undefined ? '' : `.${fraction}`}`);
}
