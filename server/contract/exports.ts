// The CSV formats of exports.

/**
 * The separator and the decimal sign: `comma` is `,` and `12.50`; `semicolon` is `;` and `12,50`; `semicolonPoint` is `;` and
 * `12.50`, as in Switzerland. A spreadsheet opens only the format of its own region as columns.
 */
export const CSV_FORMATS = ['comma', 'semicolon', 'semicolonPoint'] as const;

export type CsvFormat = (typeof CSV_FORMATS)[number];
