// Repeatable random numbers: the same seed gives the same numbers on every machine.

/** A source of numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** The generator mulberry32, with 32 bits of state. Its numbers are distributed evenly enough to spread load and to choose moments. */
export function openRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
