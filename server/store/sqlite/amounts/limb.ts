// Stores exact decimals in SQLite, whose integers have only 64 bits. A decimal is split into four integers of nine digits
// (limbs), and SQL sums each limb separately. A limb of a sum may have more than nine digits and is still right. It overflows
// only after nine billion records.

const BASE = 1_000_000_000n;

/** The columns of a decimal, highest digits first. */
export const LIMBS = ['giga', 'unit', 'nano', 'atto'] as const;
export type Limbs = Readonly<Record<(typeof LIMBS)[number], number>>;
/** The limbs of a sum as bigint, because a sum may have more digits than a JavaScript number can hold. */
export type LimbSums = Readonly<Record<(typeof LIMBS)[number], bigint>>;

export const LIMB_COLUMNS = LIMBS.join(', ');
export const LIMB_SUMS = LIMBS.map((limb) => `sum(${limb}) AS ${limb}`).join(', ');

/** Splits a decimal into limbs. The limbs of a negative value are all negative or zero. */
export function splitDecimal(value: bigint): Limbs {
  return {
    giga: Number(value / BASE ** 3n),
    unit: Number((value / BASE ** 2n) % BASE),
    nano: Number((value / BASE) % BASE),
    atto: Number(value % BASE),
  };
}

export function joinDecimal({ giga, unit, nano, atto }: LimbSums | Limbs): bigint {
  return ((BigInt(giga) * BASE + BigInt(unit)) * BASE + BigInt(nano)) * BASE + BigInt(atto);
}
