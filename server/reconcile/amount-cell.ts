// Reads amounts of money in the cells of an imported file of declared totals. A cell such as 1.234 is ambiguous: it may be
// 1234, or a little more than 1. A person, or the unambiguous cells of the file, decide which character is the decimal sign.
// Otherwise the cell is unreadable.

import { DECIMAL_SIGNS, type DecimalSign } from '../contract/declared-totals.ts';
import { parseDecimal } from '../lib/decimal.ts';

export interface CellAmount {
  readonly value: bigint;
  /** The currency in the cell; null if the cell has none. */
  readonly currency: string | null;
}

/** Maximum length of a cell with an amount, in characters. */
const MAX_CELL_LENGTH = 40;
/** Matches digits with an optional sign and an optional currency, each before or after the digits. */
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

/** Whether a cell looks like an amount, even if its decimal sign is ambiguous. */
export function isLikeAmount(cell: string): boolean {
  return partsOf(cell) !== undefined;
}

/** Returns the decimal sign of a number: null if it has none, undefined if the number is ambiguous. */
function signOf(digits: string): DecimalSign | null | undefined {
  const marks = DECIMAL_SIGNS.filter((sign) => digits.includes(sign));
  const [mark] = marks;
  if (mark === undefined) return null;
  const last = digits.lastIndexOf('.') > digits.lastIndexOf(',') ? '.' : ',';
  if (marks.length === 2) return last;
  if (digits.indexOf(mark) !== digits.lastIndexOf(mark)) return mark === '.' ? ',' : '.';
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits.replace(/ /g, '')) ? undefined : mark;
}

/**
 * Finds the decimal sign that all unambiguous cells of a file share. Undefined if they have no decimal sign, or different
 * signs.
 */
function findDecimalSign(cells: Iterable<string>): DecimalSign | undefined {
  const signs = new Set<DecimalSign>();
  for (const cell of cells) {
    const parts = partsOf(cell);
    const sign = parts && signOf(parts.digits);
    if (sign != null) signs.add(sign);
  }
  return signs.size === 1 ? [...signs][0] : undefined;
}

/** Returns a function that reads the amount in a cell. It returns undefined for an unreadable or ambiguous cell. */
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

/**
 * Reads the digits of an amount. All thousands separators must be the same character, other than the decimal sign; otherwise
 * returns undefined.
 */
function readDigits(digits: string, sign: DecimalSign | null): bigint | undefined {
  const [whole = '', fraction, ...more] = sign === null ? [digits] : digits.split(sign);
  if (more.length > 0 || (fraction !== undefined && !/^\d+$/.test(fraction))) return undefined;
  if (!/^(?:\d+|\d{1,3}([.,'’ ])\d{3}(?:\1\d{3})*)$/.test(whole)) return undefined;
  return parseDecimal(`${whole.replace(/\D/g, '')}${fraction === undefined ? '' : `.${fraction}`}`);
}
