// The CSV formats of exports.

/**
 * The separator of columns and the decimal sign. `comma` uses , and 12.50. `semicolon` uses ; and 12,50. `semicolonPoint` uses
 * ; and 12.50, as in Switzerland. A spreadsheet splits a file into columns only if the format fits its region.
 */
export const CSV_FORMATS = ['comma', 'semicolon', 'semicolonPoint'] as const;

export type CsvFormat = (typeof CSV_FORMATS)[number];
