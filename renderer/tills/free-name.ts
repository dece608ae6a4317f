// The name that a new till gets if nobody enters another one. Pure.

/** The first name that no till has: Till 1, Till 2 and so on. Ignores upper and lower case. */
export function freeName(nameOf: (n: number) => string, taken: readonly string[]): string {
  const known = new Set(taken.map((name) => name.toLowerCase()));
  let n = 1;
  while (known.has(nameOf(n).toLowerCase())) n += 1;
  return nameOf(n);
}
