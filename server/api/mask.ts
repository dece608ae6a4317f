// What may be shown of a call in logs and on pages: enough to recognise it, and nothing that it says.

/** Characters of an excerpt. */
export const EXCERPT_LENGTH = 200;

/** A text with every letter and digit masked. */
export function maskText(text: string): string {
  return text.replace(/\p{L}/gu, 'x').replace(/\p{N}/gu, '0');
}

/** A key that was sent in the wrong place is not kept in the log. */
export function withoutKeys(text: string): string {
  return text.slice(0, EXCERPT_LENGTH).replace(/((?:prod|test)(?:_|%5f))[\w.~+/=%-]+/gi, '$1…');
}
