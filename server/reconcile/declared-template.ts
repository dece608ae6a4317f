// Makes the template for declared totals, which a person fills in and imports. The import recognises its headings. The template
// has one row per till for the last store day.

export const TEMPLATE_LANGUAGES = ['en', 'nl', 'de'] as const;

type Language = (typeof TEMPLATE_LANGUAGES)[number];

const HEADINGS: Record<Language, readonly string[]> = {
  en: ['Day', 'Till', 'Number of sales', 'Amount', 'Currency'],
  nl: ['Dag', 'Kassa', 'Aantal verkopen', 'Bedrag', 'Valuta'],
  de: ['Tag', 'Kasse', 'Anzahl Verkäufe', 'Betrag', 'Währung'],
};

/** Makes one row per till; in a store without tills, one row for the whole store. */
export function makeTemplate(
  tills: readonly string[],
  day: string,
  language: Language,
): { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const lines = tills.length === 0 ? [''] : tills;
  return { columns: HEADINGS[language], rows: lines.map((till) => [day, till, '', '', '']) };
}
