// Text from outside may contain characters that reverse its own direction and the direction of the text around it. Example:
// after U+202E, "txt.exe" is shown as "exe.txt". A Unicode isolate protects the surrounding text.

const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';
/** Matches characters that set the direction, and letters of right-to-left scripts. */
const TURNS =
  /[\u061c\u200f\u202a-\u202e\u2066-\u2069\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const ISOLATES = /[\u2066-\u2069]/g;

/**
 * Keeps a text from leaving its isolate: closes every isolate that the text opens, and shows surplus closing characters
 * as plain text.
 */
export function balanced(text: string): string {
  let depth = 0;
  const closed = text.replaceAll(ISOLATES, (mark) => {
    if (mark !== POP_ISOLATE) depth += 1;
    else if (depth === 0) return '⟨U+2069⟩';
    else depth -= 1;
    return mark;
  });
  return closed + POP_ISOLATE.repeat(depth);
}

/**
 * Wraps a text for use within a sentence, so that it cannot change the direction of the sentence. Isolating a text twice is
 * safe.
 */
export function isolated(text: string): string {
  return TURNS.test(text) ? FIRST_STRONG_ISOLATE + balanced(text) + POP_ISOLATE : text;
}
