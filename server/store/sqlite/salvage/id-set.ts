// A set of record ids that takes one byte per id.

const CHUNK_IDS = 65_536;

export interface IdSet {
  add(id: number): void;
  remove(id: number): void;
  has(id: number): boolean;
  /** Lists the ids from 1 to `last` that are not in the set, as ranges. */
  missingUpTo(last: number): IdRange[];
}

export interface IdRange {
  readonly from: number;
  readonly to: number;
}

export function openIdSet(): IdSet {
  const chunks = new Map<number, Uint8Array>();
  const has = (id: number): boolean => chunks.get(Math.floor(id / CHUNK_IDS))?.[id % CHUNK_IDS] === 1;
  return {
    add(id) {
      const number = Math.floor(id / CHUNK_IDS);
      const chunk = chunks.get(number) ?? new Uint8Array(CHUNK_IDS);
      chunks.set(number, chunk);
      chunk[id % CHUNK_IDS] = 1;
    },
    remove(id) {
      const chunk = chunks.get(Math.floor(id / CHUNK_IDS));
      if (chunk !== undefined) chunk[id % CHUNK_IDS] = 0;
    },
    has,
    missingUpTo(last) {
      const ranges: IdRange[] = [];
      let from: number | undefined;
      for (let id = 1; id <= last + 1; id++) {
        const isMissing = id <= last && !has(id);
        if (isMissing) from ??= id;
        else if (from !== undefined) {
          ranges.push({ from, to: id - 1 });
          from = undefined;
        }
      }
      return ranges;
    },
  };
}
