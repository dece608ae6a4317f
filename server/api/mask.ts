// What may be shown of a call in logs and on pages: enough to recognise it, and nothing that it says.

import { KEY_PREFIXES } from '../contract/codes.ts';

/** Characters of an excerpt. */
export const EXCERPT_LENGTH = 200;

/** A text with every letter and digit masked. */
export function maskText(text: string): string {
  return text.replace(/\p{L}/gu, 'x').replace(/\p{N}/gu, '0');
}

/** A character as it is, percent-encoded (also twice), or as a JSON escape. */
function formsOf(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  const capital = character.toUpperCase().charCodeAt(0).toString(16);
  return String.raw`(?:${character}|%(?:25)*(?:${code}|${capital})|\\u00(?:${code}|${capital}))`;
}

const PREFIXES = Object.values(KEY_PREFIXES).map((prefix) => [...prefix].map(formsOf).join(''));
const KEY = new RegExp(String.raw`(${PREFIXES.join('|')})[\w.~+/=%\\-]+`, 'gi');

/** A key that was sent in the wrong place is not kept in the log, whatever form it has there. */
export function withoutKeys(text: string): string {
  return text.slice(0, EXCERPT_LENGTH).replace(KEY, '$1…').slice(0, EXCERPT_LENGTH);
}
