// Exact decimals, for money: whole numbers of 10⁻¹⁸. So `+` adds and `<` compares without rounding. No float is involved.

/** Digits after the point of a decimal. */
export const DECIMAL_PLACES = 18;
/** Digits before the point. */
const MAX_WHOLE_DIGITS = 18;
/** Characters of a number that is read. A longer text is refused unread. */
const MAX_LENGTH = 100;

const ONE = 10n ** BigInt(DECIMAL_PLACES);
const LIMIT = 10n ** BigInt(MAX_WHOLE_DIGITS) * ONE;

const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads the source text of a JSON number, also with a plus sign or zeros in front. Undefined for any other text, and for a value
 * with more digits than a decimal has: at most 18 before the point and 18 after it. Zeros at the end do not count.
 */
export function parseDecimal(text: string): bigint | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const power = DECIMAL_PLACES - fraction.length + Number(exponent);
  if (digits === 0n) return 0n;
  if (power > DECIMAL_PLACES + MAX_WHOLE_DIGITS) return undefined;
  const scale = 10n ** BigInt(Math.abs(power));
  if (power < 0 && digits % scale !== 0n) return undefined;
  const value = power < 0 ? digits / scale : digits * scale;
  if (value >= LIMIT) return undefined;
  return sign === '-' ? -value : value;
}

/** Writes a decimal with a point, with at least `minPlaces` digits after it and no further zeros at the end: -12.50 */
export function formatDecimal(value: bigint, minPlaces = 0): string {
  const size = value < 0n ? -value : value;
  const fraction = String(size % ONE)
    .padStart(DECIMAL_PLACES, '0')
    .replace(/0+$/, '')
    .padEnd(minPlaces, '0');
  return `${value < 0n ? '-' : ''}${size / ONE}${fraction === '' ? '' : `.${fraction}`}`;
}
