// Reads the amount of one record from the bytes that the till sent. If the amount cannot be read exactly, the record has no
// amount. A missing amount never counts as zero.

import type { AmountRule } from '../../contract/amounts.ts';
import { parseDecimal } from '../../lib/decimal.ts';
import type { KeptCall } from '../records/content.ts';
import { openTextFinder } from '../records/text-at-pointer.ts';
import { readCurrencyCode } from './currency.ts';

export interface ReadAmount {
  /** A code of three capital letters; null if the rule names no currency. */
  readonly currency: string | null;
  /** An exact decimal (lib/decimal.ts). */
  readonly value: bigint;
}

/** Where to read an amount: a rule without its type. */
export type AmountPlace = Omit<AmountRule, 'type'>;

/**
 * Amounts that a reader remembers. A longer text is not remembered: V8 stores it as a part of the whole call, and would keep the
 * call in memory.
 */
const MAX_KNOWN = { amounts: 1000, length: 12 };
/** Maximum characters of a JSON value that is read as an amount, a currency or a payment method. */
const MAX_LENGTH = 200;

/**
 * Lists the JSON pointers to try, in this order. On the current interface, the content of a record is in `object`, so a person
 * may leave out `/object`. On the earlier interface, the total may also be in the parameter `amount`.
 */
function placesOf(pointer: string, isEarlier: boolean, isTotal: boolean): readonly string[] {
  if (!isEarlier) return [pointer, `/object${pointer}`];
  return isTotal ? [pointer, '/amount'] : [pointer];
}

/**
 * Returns a function that finds the JSON texts for the pointers in a call, in the order of the pointers. A text is empty if the
 * call has no value there, or there is no pointer.
 */
function openTexts(total: string | null, other: string | null): (call: KeptCall) => readonly [string, string] {
  const prepare = (isEarlier: boolean): ((call: KeptCall) => readonly [string, string]) => {
    const totals = total === null ? [] : placesOf(total, isEarlier, true);
    const others = other === null ? [] : placesOf(other, isEarlier, false);
    const find = openTextFinder([...totals, ...others]);
    return (call) => {
      const texts = find(call);
      return [textAt(texts, totals), textAt(texts, others)];
    };
  };
  const [findNow, findEarlier] = [prepare(false), prepare(true)];
  return (call) => (call.method === null ? findNow : findEarlier)(call);
}

function textAt(texts: ReadonlyMap<string, string>, places: readonly string[]): string {
  const place = places.find((each) => texts.has(each));
  const text = place === undefined ? '' : (texts.get(place) ?? '');
  return text.length > MAX_LENGTH ? '' : text;
}

const isPointer = (currency: string): boolean => currency.startsWith('/');

/** Reads the amount of one call; see `openAmountReader`. */
export function readAmount(place: AmountPlace, call: KeptCall): ReadAmount | undefined {
  return openAmountReader(place)(call);
}

/**
 * Returns a function that reads the amounts of calls. It returns undefined if the total cannot be read. It also returns undefined
 * if the rule has a pointer to the currency and the currency cannot be read. It returns the same object for the same short
 * texts, because many sales have the same amount.
 */
export function openAmountReader({ total, currency, sign }: AmountPlace): (call: KeptCall) => ReadAmount | undefined {
  const pointer = currency !== null && isPointer(currency) ? currency : null;
  const readTexts = openTexts(total, pointer);
  const known = new Map<string, ReadAmount | undefined>();

  function parse(totalText: string, currencyText: string): ReadAmount | undefined {
    const value = decimalOf(totalText);
    const code = pointer === null ? currency : currencyOf(currencyText);
    if (value === undefined || code === undefined) return undefined;
    return { currency: code, value: sign === 'negative' && value > 0n ? -value : value };
  }

  return (call) => {
    const [totalText, currencyText] = readTexts(call);
    const key = pointer === null ? totalText : `${totalText} ${currencyText}`;
    const amount = known.get(key);
    if (amount !== undefined || known.has(key)) return amount;
    const parsed = parse(totalText, currencyText);
    if (key.length > MAX_KNOWN.length) return parsed;
    if (known.size === MAX_KNOWN.amounts) known.clear();
    known.set(key, parsed);
    return parsed;
  };
}

/** Returns the payment method as the till wrote it; null if the record has none, or the rule has no pointer to it. */
export function readPayment({ payment }: AmountPlace, call: KeptCall): string | null {
  if (payment === null) return null;
  const [, text] = openTexts(null, payment)(call);
  const written = stringOf(text)?.trim() ?? (/^-?\d/.test(text) ? text : '');
  return written === '' ? null : written;
}

/**
 * Reads a JSON number, or a string with a number. A comma is the decimal sign only before one or two digits, because 1,234 may
 * mean 1234.
 */
function decimalOf(json: string): bigint | undefined {
  const text = stringOf(json)
    ?.trim()
    .replace(/^([+-]?\d+),(\d{1,2})$/, '$1.$2');
  return parseDecimal(text ?? json);
}

function currencyOf(json: string): string | undefined {
  return readCurrencyCode(stringOf(json)?.trim() ?? '');
}

function stringOf(json: string): string | undefined {
  return json.startsWith('"') ? (JSON.parse(json) as string) : undefined;
}
