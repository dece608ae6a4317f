// The CSV format of this browser's exports: that of the user's region, or the one that the user chose.

import { CSV_FORMATS, type CsvFormat } from '../../server/contract/exports.ts';
import { keepStored, readStored } from '../lib/browser-storage.ts';
import { locale } from '../locales/words.ts';

const STORAGE_NAME = 'counterfoil.csv-format';
/** Regions whose spreadsheets separate columns by a semicolon although their decimal sign is a point. */
const POINT_AND_SEMICOLON = new Set(['CH', 'LI']);

/** The format that a spreadsheet of this region opens as columns. */
export function formatOfLocale(tag: string): CsvFormat {
  const { region } = new Intl.Locale(tag);
  if (region !== undefined && POINT_AND_SEMICOLON.has(region)) return 'semicolonPoint';
  const decimal = new Intl.NumberFormat(tag).formatToParts(0.5).find(({ type }) => type === 'decimal');
  return decimal?.value === ',' ? 'semicolon' : 'comma';
}

/** Undefined if the format follows the language. */
export function chosenCsvFormat(): CsvFormat | undefined {
  const stored = readStored(STORAGE_NAME);
  return CSV_FORMATS.find((format) => format === stored);
}

export function csvFormat(): CsvFormat {
  return chosenCsvFormat() ?? formatOfLocale(locale);
}

/** Undefined: the format follows the language again. */
export function chooseCsvFormat(format: CsvFormat | undefined): void {
  keepStored(STORAGE_NAME, format ?? '');
}
