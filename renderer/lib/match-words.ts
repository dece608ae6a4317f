// The filter of a search field. Pure.

/** Whether the texts contain every typed word. */
export function matchesWords(texts: readonly string[], wanted: string): boolean {
  const all = texts.join(' ').toLocaleLowerCase();
  return wanted
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
