// Reads the amount of one record from the bytes that the till sent. If the amount cannot be read exactly, the record has no
// amount. A missing amount never counts as zero.

import type { AmountRule } from '../../contract/amounts.ts';
import { parseDecimal } from '../../lib/decimal.ts';
import type { KeptCall } from '../records/content.ts';
import { textsAt } from '../records/text-at-pointer.ts';

export interface ReadAmount {
  /** A code of three capital letters; null if the rule names no currency. */
  readonly currency: string | null;
  /** An exact decimal (lib/decimal.ts). */
  readonly value: bigint;
}

/** Where to read an amount: a rule without its type. */
export type AmountPlace = Omit<AmountRule, 'type'>;

/** Maximum characters of a JSON value that is read as an amount, a currency or a payment method. */
const MAX_LENGTH = 200;

/**
 * Lists the JSON pointers to try, in this order. On the current interface, the content of a record is in `object`, so a person
 * may leave out `/object`. On the earlier interface, the total may also be in the parameter `amount`.
 */
function placesOf(pointer: string, { method }: KeptCall, isTotal: boolean): readonly string[] {
  if (method === null) return [pointer, `/object${pointer}`];
  return isTotal ? [pointer, '/amount'] : [pointer];
}

/** Returns a function that finds the JSON text for a pointer. The text is empty if the record has no value there. */
function openTexts(
  call: KeptCall,
  pointers: readonly (string | null)[],
): (pointer: string, isTotal?: boolean) => string {
  const wanted = pointers.filter((pointer) => pointer !== null).flatMap((pointer) => placesOf(pointer, call, true));
  const texts = textsAt(call, wanted);
  return (pointer, isTotal = false) => {
    const place = placesOf(pointer, call, isTotal).find((each) => texts.has(each));
    const text = place === undefined ? '' : (texts.get(place) ?? '');
    return text.length > MAX_LENGTH ? '' : text;
  };
}

const isPointer = (currency: string): boolean => currency.startsWith('/');

/**
 * Reads the amount of a call. Undefined if the total cannot be read. Also undefined if the rule has a pointer to the currency
 * and the currency cannot be read.
 */
export function readAmount({ total, currency, sign }: AmountPlace, call: KeptCall): ReadAmount | undefined {
  const pointer = currency !== null && isPointer(currency) ? currency : null;
  const textAt = openTexts(call, [total, pointer]);
  const value = decimalOf(textAt(total, true));
  const code = pointer === null ? currency : currencyOf(textAt(pointer));
  if (value === undefined || code === undefined) return undefined;
  return { currency: code, value: sign === 'negative' && value > 0n ? -value : value };
}

/** Returns the payment method as the till wrote it; null if the record has none, or the rule has no pointer to it. */
export function readPayment({ payment }: AmountPlace, call: KeptCall): string | null {
  if (payment === null) return null;
  const text = openTexts(call, [payment])(payment);
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
  const text = stringOf(json)?.trim().toUpperCase() ?? '';
  return /^[A-Z]{3}$/.test(text) ? text : undefined;
}

function stringOf(json: string): string | undefined {
  return json.startsWith('"') ? (JSON.parse(json) as string) : undefined;
}
