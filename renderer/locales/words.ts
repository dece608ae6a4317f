// The language of the screens: the first of the user's languages that has a catalogue, otherwise English. Numbers and dates
// follow the user's locale.

import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

import { keepStored, readStored } from '../lib/browser-storage.ts';
import { isolated } from './bidi.ts';

/** Only the user's language is loaded. README.md says how the files are built up. */
const CATALOGUES = {
  en: async () => (await import('./en.json')).default,
  de: async () => (await import('./de.json')).default,
  nl: async () => (await import('./nl.json')).default,
};
type Language = keyof typeof CATALOGUES;
export const LANGUAGES = Object.keys(CATALOGUES);

function isLanguage(tag: string): tag is Language {
  return tag in CATALOGUES;
}

const CHOICE = 'counterfoil.language';

/** The locale for numbers and dates. */
export let locale = 'en';

/** Loads the chosen language, or the first of `wanted` that has a catalogue. */
export async function loadWords(wanted: readonly string[]): Promise<void> {
  const chosen = readStored(CHOICE);
  const candidates = chosen === null ? wanted : [chosen, ...wanted];
  const found = candidates.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
  locale = wanted.find((tag) => tag.startsWith(found)) ?? found;
  document.documentElement.lang = found;
  const words = await CATALOGUES[found]();
  await i18next.use(initReactI18next).init({
    lng: found,
    resources: { [found]: words },
    ns: Object.keys(words),
    defaultNS: 'app',
    interpolation: { escape: isolated }, // isolates inserted values; React escapes HTML
  });
}

/** Stores the choice and reloads the page in that language. Does nothing if the browser cannot store it. */
export function chooseLanguage(language: string): void {
  if (keepStored(CHOICE, language)) location.reload();
}
