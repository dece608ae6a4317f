// Text from elsewhere may turn its direction around, also that of what stands beside it: U+202E makes "exe.txt" of "txt.exe".
// Isolated, it turns itself alone.

const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';
/** What sets a direction, and letters that are written from right to left. */
const TURNS =
  /[\u061c\u200f\u202a-\u202e\u2066-\u2069\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const ISOLATES = /[\u2066-\u2069]/g;

/** The text, in which each isolate ends and none ends that did not begin here: nothing in it ends one around it. */
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

/** The text for use within a sentence. Isolating it again is safe. */
export function isolated(text: string): string {
  return TURNS.test(text) ? FIRST_STRONG_ISOLATE + balanced(text) + POP_ISOLATE : text;
}
