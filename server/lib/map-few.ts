// Works on many items, a few at a time.

/** Resolves to the results in the order of the items. At most `most` calls of `work` run at the same time. Rejects if one does. */
export async function mapFew<T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  async function workOnNext(): Promise<void> {
    for (const [index, item] of left) results[index] = await work(item);
  }
  await Promise.all(Array.from({ length: most }, workOnNext));
  return results;
}
