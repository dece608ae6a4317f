// Reads an amount that a person types in the user's locale. Pure.

/** The decimal sign of a locale. */
export function decimalSignOf(locale: string): string {
  return new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
}

/**
 * A decimal with a point, or undefined for anything unclear. Without groups of thousands, a comma and a point both are the
 * decimal sign. With groups, the locale says which is which; 1,234 has a group where the comma is not the decimal sign.
 */
export function readTypedAmount(text: string, locale: string): string | undefined {
  const typed = text.trim().replace(/[\s'’]/g, '');
  const sign = decimalSignOf(locale);
  const group = sign === ',' ? '.' : ',';
  const hasGroups = new RegExp(`^-?[1-9]\\d{0,2}(?:\\${group}\\d{3})+(?:\\${sign}\\d{1,18})?$`).test(typed);
  const plain = hasGroups ? typed.replaceAll(group, '') : typed;
  return /^-?\d{1,18}(?:[.,]\d{1,18})?$/.test(plain) ? plain.replace(',', '.') : undefined;
}
