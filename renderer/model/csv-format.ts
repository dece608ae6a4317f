// The format of CSV files that this browser downloads: the user's choice, or else the usual format of the user's region.

import { CSV_FORMATS, type CsvFormat } from '../../server/contract/exports.ts';
import { keepStored, readStored } from '../lib/browser-storage.ts';
import { locale } from '../locales/words.ts';

const STORAGE_NAME = 'counterfoil.csv-format';
/** Regions whose spreadsheets use a point as decimal sign and a semicolon as separator. */
const POINT_AND_SEMICOLON = new Set(['CH', 'LI']);

/** Returns the CSV format that a spreadsheet in this region splits into columns. */
export function formatOfLocale(tag: string): CsvFormat {
  const { region } = new Intl.Locale(tag);
  if (region !== undefined && POINT_AND_SEMICOLON.has(region)) return 'semicolonPoint';
  const decimal = new Intl.NumberFormat(tag).formatToParts(0.5).find(({ type }) => type === 'decimal');
  return decimal?.value === ',' ? 'semicolon' : 'comma';
}

/** The format that the user chose. Undefined if the user chose none; then the region decides. */
export function chosenCsvFormat(): CsvFormat | undefined {
  const stored = readStored(STORAGE_NAME);
  return CSV_FORMATS.find((format) => format === stored);
}

export function csvFormat(): CsvFormat {
  return chosenCsvFormat() ?? formatOfLocale(locale);
}

/** Stores the user's choice. Undefined removes it; then the region decides. */
export function chooseCsvFormat(format: CsvFormat | undefined): void {
  keepStored(STORAGE_NAME, format ?? '');
}
