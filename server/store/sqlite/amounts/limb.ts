// Exact decimals in SQLite, whose integers have 64 bits: a decimal is four limbs of nine digits each. SQL adds each limb by
// itself. A sum of limbs is right even if a limb has more than nine digits, and overflows only after nine billion records.

const BASE = 1_000_000_000n;

/** The columns of a decimal, highest digits first. */
export const LIMBS = ['giga', 'unit', 'nano', 'atto'] as const;
export type Limbs = Readonly<Record<(typeof LIMBS)[number], number>>;
/** As read by a statement with safe integers, because a sum may have more digits than a float holds. */
export type LimbSums = Readonly<Record<(typeof LIMBS)[number], bigint>>;

export const LIMB_COLUMNS = LIMBS.join(', ');
export const LIMB_SUMS = LIMBS.map((limb) => `sum(${limb}) AS ${limb}`).join(', ');

/** All limbs have the sign of the value. */
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
