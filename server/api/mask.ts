// Masks parts of a call for logs and pages. A person can still recognise the form of the text, but not read its content.

import { KEY_PREFIXES } from '../contract/codes.ts';

/** Maximum characters of an excerpt. */
export const EXCERPT_LENGTH = 200;

/** Masks every letter and digit. */
export function maskText(text: string): string {
  return text.replace(/\p{L}/gu, 'x').replace(/\p{N}/gu, '0');
}

/**
 * Returns a pattern for one character in all its forms: the plain character, its percent-encoding (once or twice), and its JSON
 * escape.
 */
function formsOf(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  const capital = character.toUpperCase().charCodeAt(0).toString(16);
  return String.raw`(?:${character}|%(?:25)*(?:${code}|${capital})|\\u00(?:${code}|${capital}))`;
}

const PREFIXES = Object.values(KEY_PREFIXES).map((prefix) => [...prefix].map(formsOf).join(''));
const KEY = new RegExp(String.raw`(${PREFIXES.join('|')})[\w.~+/=%\\-]+`, 'gi');

/** Removes keys that a caller sent in a wrong place. Also finds keys that are percent-encoded or JSON-escaped. */
export function withoutKeys(text: string): string {
  return text.slice(0, EXCERPT_LENGTH).replace(KEY, '$1…').slice(0, EXCERPT_LENGTH);
}
