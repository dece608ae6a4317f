// Validates the rule for amounts that a person enters for a type of record.

import type { AmountRule, AmountSign } from '../../contract/amounts.ts';
import { readCurrencyCode } from './currency.ts';

/** Maximum length of a pointer, in characters. */
const MAX_POINTER = 500;

export const POINTER_FORM = 'must be a JSON pointer such as /object/total, or the name of a parameter';
export const CURRENCY_FORM = 'must be a code such as EUR, or a JSON pointer such as /object/currency';

/** Reads a JSON pointer (RFC 6901); undefined if invalid. A name without a slash is a parameter of the earlier interface. */
function readPointer(text: string): string | undefined {
  const pointer = text.startsWith('/') ? text : `/${text}`;
  const isValid = text !== '' && text.length <= MAX_POINTER && text.isWellFormed() && !/~(?![01])/.test(pointer);
  return isValid ? pointer : undefined;
}

/** Reads a currency code, or a JSON pointer to the currency; undefined if invalid. Returns a code in capital letters. */
function readCurrency(text: string): string | undefined {
  if (text.startsWith('/')) return readPointer(text);
  return readCurrencyCode(text);
}

export interface RuleInput {
  readonly type: string;
  readonly total: string;
  readonly currency?: string | null | undefined;
  readonly payment?: string | null | undefined;
  readonly sign?: AmountSign | undefined;
}

/** Returns the valid rule. If a field is invalid, returns the name of the first invalid field instead. */
export function readRule({
  type,
  total,
  currency = null,
  payment = null,
  sign = 'as sent',
}: RuleInput): AmountRule | keyof RuleInput {
  const read = {
    total: readPointer(total),
    currency: currency === null ? null : readCurrency(currency),
    payment: payment === null ? null : readPointer(payment),
  };
  if (type === '' || !type.isWellFormed()) return 'type';
  if (read.total === undefined) return 'total';
  if (read.currency === undefined) return 'currency';
  if (read.payment === undefined) return 'payment';
  return { type, total: read.total, currency: read.currency, payment: read.payment, sign };
}
