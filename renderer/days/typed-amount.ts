// Reads an amount that the user types in the format of the user's locale. Pure.

/** The character before the decimals in this locale: a point or a comma. */
export function decimalSignOf(locale: string): string {
  return new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
}

/**
 * Returns a decimal with a point; undefined if the text is not clearly an amount. Example: 1,234 is read as 1.234 if the
 * locale's decimal sign is a comma, otherwise as 1234. 12,5 and 12.5 are both read as 12.5 in every locale.
 */
export function readTypedAmount(text: string, locale: string): string | undefined {
  const typed = text.trim().replace(/[\s'’]/g, '');
  const sign = decimalSignOf(locale);
  const group = sign === ',' ? '.' : ',';
  const hasGroups = new RegExp(`^-?[1-9]\\d{0,2}(?:\\${group}\\d{3})+(?:\\${sign}\\d{1,18})?$`).test(typed);
  const plain = hasGroups ? typed.replaceAll(group, '') : typed;
  return /^-?\d{1,18}(?:[.,]\d{1,18})?$/.test(plain) ? plain.replace(',', '.') : undefined;
}
