// What a find field finds. Pure.

/** Whether every word that is looked for is somewhere in the texts. */
export function matchesWords(texts: readonly string[], wanted: string): boolean {
  const all = texts.join(' ').toLocaleLowerCase();
  return wanted
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
