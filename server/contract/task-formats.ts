// Formats numbers and times for the texts of tasks in alerts and on the command line. The console has its own formats.

import type { TaskLanguage } from './task-words.ts';
import type { TaskFormats } from './task-words/words.ts';

const LOCALES: Readonly<Record<TaskLanguage, string>> = { en: 'en-GB', nl: 'nl-NL', de: 'de-DE' };

/**
 * Returns the formats for a language and an IANA time zone. Every time includes its date, because people may read the text days
 * later.
 */
export function plainFormats(language: TaskLanguage, timeZone: string): TaskFormats {
  const locale = LOCALES[language];
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const dates = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  const times = new Intl.DateTimeFormat(locale, {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  const days = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  return {
    number: (value) => numbers.format(value),
    date: (day) => dates.format(Date.parse(`${day}T00:00:00Z`)),
    time: (at) => times.format(at),
    day: (at) => days.format(at),
    space: (bytes) => (bytes < 1e9 ? `${numbers.format(bytes / 1e6)} MB` : `${numbers.format(bytes / 1e9)} GB`),
  };
}
