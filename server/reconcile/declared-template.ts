// The file to fill in and import: headings that the import recognises, and a line per till for the last store day.

export const TEMPLATE_LANGUAGES = ['en', 'nl', 'de'] as const;

type Language = (typeof TEMPLATE_LANGUAGES)[number];

/** Day, till, number of sales, amount, currency. */
const HEADINGS: Record<Language, readonly string[]> = {
  en: ['Day', 'Till', 'Number of sales', 'Amount', 'Currency'],
  nl: ['Dag', 'Kassa', 'Aantal verkopen', 'Bedrag', 'Valuta'],
  de: ['Tag', 'Kasse', 'Anzahl Verkäufe', 'Betrag', 'Währung'],
};

/** Without a till, one line for the whole store. */
export function makeTemplate(
  tills: readonly string[],
  day: string,
  language: Language,
): { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const lines = tills.length === 0 ? [''] : tills;
  return { columns: HEADINGS[language], rows: lines.map((till) => [day, till, '', '', '']) };
}
