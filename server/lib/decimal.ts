// Exact decimals for money. A decimal is a bigint that counts units of 10⁻¹⁸. So `+` and `<` work without rounding errors,
// because no floating-point number is involved.

/** Number of digits after the decimal point. */
const DECIMAL_PLACES = 18;
/** Maximum number of digits before the decimal point. */
const MAX_WHOLE_DIGITS = 18;
/** Maximum characters of a number. A longer text is rejected without parsing. */
const MAX_LENGTH = 100;

const ONE = 10n ** BigInt(DECIMAL_PLACES);
const LIMIT = 10n ** BigInt(MAX_WHOLE_DIGITS) * ONE;

const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads a number from its JSON source text. A plus sign and zeros at the start are also allowed. Returns undefined for any
 * other text, and for more than 18 digits before or after the point. Zeros at the end of the fraction do not count.
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

/**
 * Reads a decimal that this program has written. It may have any number of digits before the point, because a sum may have
 * more than the numbers that `parseDecimal` accepts.
 */
export function readDecimal(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMAL_PLACES, '0'));
}

/**
 * Writes a decimal with a point, such as -12.50. The text has at least `minPlaces` digits after the point. Beyond these, zeros
 * at the end are left out.
 */
export function formatDecimal(value: bigint, minPlaces = 0): string {
  const size = value < 0n ? -value : value;
  const fraction = String(size % ONE)
    .padStart(DECIMAL_PLACES, '0')
    .replace(/0+$/, '')
    .padEnd(minPlaces, '0');
  return `${value < 0n ? '-' : ''}${size / ONE}${fraction === '' ? '' : `.${fraction}`}`;
}
