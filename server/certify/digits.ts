// Finds the number of the step "20 digits" in a body. Pure.

import type { CertifySale } from '../contract/certify.ts';
import { MANY_DIGITS } from '../contract/certify.ts';

/** A number, alone or in a text, and the quotation mark before it. */
const TOKEN = /("?)(?<![\w.-])(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/g;

/** What a signed 64-bit integer makes of the number: its maximum, or the rest after an overflow. */
const OVERFLOWS = new Set([String(2n ** 63n - 1n), String(BigInt.asIntN(64, BigInt(MANY_DIGITS)))]);
/** Maximum relative error of a rounded number. A 32-bit float has seven digits. */
const MAX_ERROR = 1e-6;
/** Maximum characters of a number in the evidence. */
const MAX_SHOWN = 40;

/**
 * How the number arrived in a body or query string: as a number, as a text, or with lost digits. One number with lost digits decides,
 * even if the whole number is there too. Null if it is not there.
 */
export function findDigits(body: string): CertifySale['digits'] {
  let whole: 'number' | 'text' | null = null;
  for (const [, quote, value = ''] of body.matchAll(TOKEN)) {
    if (value === MANY_DIGITS) whole ??= quote === '' ? 'number' : 'text';
    else if (isRounded(value)) return { lost: value.slice(0, MAX_SHOWN) };
  }
  return whole;
}

function isRounded(value: string): boolean {
  return OVERFLOWS.has(value) || Math.abs(Number(value) / Number(MANY_DIGITS) - 1) < MAX_ERROR;
}
