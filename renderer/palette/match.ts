// How well the typed words match a command. Each typed word must match a word of the command, in any order. A match is the
// start or a later part of that word, or its first letter and some later letters (“rcd” for Records). Pure.

const COST = { whole: 0, beginning: 1, within: 3, letters: 5 };

/** The words of a text, in lower case and without accents. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLocaleLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Whether the text is probably an id: one word with a digit that is not a date. */
export function isProbablyId(typed: string): boolean {
  return /^\S*\d\S*$/.test(typed) && !/^(\d{1,2}|\d{4}(-\d{1,2}){1,2}-?)$/.test(typed);
}

/** The cost of a match; smaller is better. Undefined if a typed word does not match. */
export function matchCost(typed: readonly string[], words: readonly string[]): number | undefined {
  let sum = 0;
  for (const each of typed) {
    const costs = words.map((word, index) => costOf(each, word) + Math.min(index, 9) / 100);
    const least = Math.min(...costs);
    if (!Number.isFinite(least)) return undefined;
    sum += least;
  }
  return sum;
}

function costOf(typed: string, word: string): number {
  if (word === typed) return COST.whole;
  if (word.startsWith(typed)) return COST.beginning;
  // A single letter, or a text with a digit, counts only at the start of a word. Inside words, it would match too often.
  if (typed.length < 2 || /\d/.test(typed)) return Infinity;
  if (word.includes(typed)) return COST.within;
  return typed.length > 2 && hasInOrder(word, typed) ? COST.letters : Infinity;
}

function hasInOrder(word: string, letters: string): boolean {
  if (word[0] !== letters[0]) return false;
  let at = 0;
  for (const letter of letters) {
    at = word.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
