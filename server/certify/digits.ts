// Finds the number of the step "20 digits" in a body. Pure.

import type { CertifySale } from '../contract/certify.ts';
import { MANY_DIGITS } from '../contract/certify.ts';

/** A text or a number of JSON, or a value of a query string. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * How the number arrived in a body or query string: as a number, as a text, or with lost digits. A number has lost digits if it
 * equals the wanted one as a 64-bit float. Null if it is not there.
 */
export function findDigits(body: string): CertifySale['digits'] {
  let lost: string | undefined;
  for (const [token] of body.matchAll(TOKEN)) {
    const isText = token.startsWith('"');
    const value = isText ? token.slice(1, -1) : token;
    if (value === MANY_DIGITS) return isText ? 'text' : 'number';
    if (/^[\d.eE+]{15,40}$/.test(value) && Number(value) === Number(MANY_DIGITS)) lost ??= value;
  }
  return lost === undefined ? null : { lost };
}
