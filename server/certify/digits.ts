// Finds the number that a till sent in the step "20 digits". Pure.

import type { CertifySale } from '../contract/certify.ts';
import { MANY_DIGITS } from '../contract/certify.ts';

/** Matches a number in a body. Also captures a quotation mark before it, which shows that the number is a text. */
const TOKEN = /("?)(?<![\w.-])(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/g;

/** The wrong values that a signed 64-bit integer can give for the number: the maximum, or the remainder after an overflow. */
const OVERFLOWS = new Set([String(2n ** 63n - 1n), String(BigInt.asIntN(64, BigInt(MANY_DIGITS)))]);
/** Maximum relative error that counts as rounding. A 32-bit float has seven digits. */
const MAX_ERROR = 1e-6;
/** Maximum characters of a number in the evidence. */
const MAX_SHOWN = 40;

/**
 * Says how the number of this step arrived in a body or query string: as a number, as a text, or with lost digits. Null if the
 * number is absent. If the number occurs several times, and one of them lost digits, the result is `lost`.
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
