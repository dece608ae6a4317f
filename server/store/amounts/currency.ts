// Currency codes: reads them, and writes an amount with the decimal places of its currency.

import { formatDecimal } from '../../lib/decimal.ts';

/** Decimal places of an amount without a currency. */
const USUAL_PLACES = 2;
const known = new Map<string, number>();

/** The decimal places of a currency by ISO 4217, such as 2 for EUR and 0 for JPY; 2 for an unknown code. */
function placesOf(currency: string | null): number {
  if (currency === null) return USUAL_PLACES;
  const format = { style: 'currency', currency } as const;
  const places =
    known.get(currency) ?? new Intl.NumberFormat('en', format).resolvedOptions().maximumFractionDigits ?? USUAL_PLACES;
  known.set(currency, places);
  return places;
}

/** Formats a value with at least the decimal places of its currency, such as 12.50. Shows more places if the value has more. */
export function formatAmount(value: bigint, currency: string | null): string {
  return formatDecimal(value, placesOf(currency));
}

/**
 * Reads a currency code in capital or small letters, and returns it in capital letters; undefined if it is no code. Checks the
 * letters first, because `toUpperCase` turns ı into I.
 */
export function readCurrencyCode(text: string): string | undefined {
  return /^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined;
}
