// The language: the catalogue of the first of the user's languages that there is, English otherwise. Numbers and dates
// follow the user's locale within it.

import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

import { en } from './en.ts';

/** Every text by its name; the other languages have the same names. */
export type Catalogue = { readonly [Name in keyof typeof en]: Readonly<Record<keyof (typeof en)[Name], string>> };

const OTHERS: Record<string, () => Promise<Catalogue>> = {};
export const LANGUAGES = ['en', ...Object.keys(OTHERS)];
const CHOICE = 'counterfoil.language';

/** The locale that numbers and dates are written in. */
export let locale = 'en';

/** Loads the chosen language, or the first of `wanted` that there is. */
export async function loadWords(wanted: readonly string[]): Promise<void> {
  const chosen = localStorage.getItem(CHOICE);
  const candidates = chosen === null ? wanted : [chosen, ...wanted];
  const found = candidates.map((tag) => tag.slice(0, 2)).find((language) => LANGUAGES.includes(language)) ?? 'en';
  locale = wanted.find((tag) => tag.startsWith(found)) ?? found;
  document.documentElement.lang = found;
  const words = await (OTHERS[found]?.() ?? Promise.resolve(en));
  await i18next.use(initReactI18next).init({
    lng: found,
    resources: { [found]: words },
    ns: Object.keys(en),
    defaultNS: 'app',
    interpolation: { escapeValue: false }, // React does
  });
}

/** Keeps the choice and begins anew in that language. */
export function chooseLanguage(language: string): void {
  localStorage.setItem(CHOICE, language);
  location.reload();
}
