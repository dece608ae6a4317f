// The language: the catalogue of the first of the user's languages that there is, English otherwise. Numbers and dates
// follow the user's locale within it.

import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

import { keepStored, readStored } from '../lib/browser-storage.ts';
import { isolated } from './bidi.ts';
import type { en } from './en.ts';

/** Every text by its name; the other languages have the same names. */
export type Catalogue = { readonly [Name in keyof typeof en]: Readonly<Record<keyof (typeof en)[Name], string>> };

/** Each is loaded only where it is spoken. */
const CATALOGUES = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).words,
  nl: async () => (await import('./nl.ts')).words,
} satisfies Record<string, () => Promise<Catalogue>>;
type Language = keyof typeof CATALOGUES;
export const LANGUAGES = Object.keys(CATALOGUES);

function isLanguage(tag: string): tag is Language {
  return tag in CATALOGUES;
}

const CHOICE = 'counterfoil.language';

/** The locale that numbers and dates are written in. */
export let locale = 'en';

/** Loads the chosen language, or the first of `wanted` that there is. */
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
    interpolation: { escape: isolated }, // React escapes for HTML
  });
}

/** Keeps the choice and loads the page again in that language. Does nothing where the browser cannot keep it. */
export function chooseLanguage(language: string): void {
  if (keepStored(CHOICE, language)) location.reload();
}
