// The language of the screens: the first of the user's languages that has a catalogue, otherwise English. Numbers and dates
// follow the user's locale.

import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

import { keepStored, readStored } from '../lib/browser-storage.ts';
import { isolated } from './bidi.ts';

/** The texts of Today, the frame and the sign-in. Only the user's language is loaded. README.md describes the files. */
const FIRST_WORDS = {
  en: async () => (await import('./en.json?first')).default,
  de: async () => (await import('./de.json?first')).default,
  nl: async () => (await import('./nl.json?first')).default,
};
type Language = keyof typeof FIRST_WORDS;
export const LANGUAGES = Object.keys(FIRST_WORDS);

/** The name of a language, in that language. */
export function languageName(language: string): string {
  return new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
}

/** The texts of all other screens. */
const LATER_WORDS: typeof FIRST_WORDS = {
  en: async () => (await import('./en.json?later')).default,
  de: async () => (await import('./de.json?later')).default,
  nl: async () => (await import('./nl.json?later')).default,
};

function isLanguage(tag: string): tag is Language {
  return tag in FIRST_WORDS;
}

const CHOICE = 'counterfoil.language';

/** The locale for numbers and dates. */
export let locale = 'en';

/** The language of the screens. */
export let language: Language = 'en';
let firstWords: Promise<void> | undefined;
let laterWords: Promise<void> | undefined;

/** Loads the first texts of the chosen language, or of the first of `wanted` that has a catalogue. */
export async function loadWords(wanted: readonly string[]): Promise<void> {
  const chosen = readStored(CHOICE);
  const candidates = chosen === null ? wanted : [chosen, ...wanted];
  language = candidates.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
  locale = wanted.find((tag) => tag.startsWith(language)) ?? language;
  document.documentElement.lang = language;
  firstWords = addFirstWords();
  await firstWords;
}

async function addFirstWords(): Promise<void> {
  const words = await FIRST_WORDS[language]();
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: words },
    ns: Object.keys(words),
    defaultNS: 'app',
    interpolation: { escape: isolated }, // isolates inserted values; React escapes HTML
  });
}

/** Loads the texts of the other screens, once. Call `loadWords` first; it may still be running. */
export async function loadLaterWords(): Promise<void> {
  try {
    await (laterWords ??= addLaterWords());
  } catch (error) {
    laterWords = undefined; // the next call tries again
    throw error;
  }
}

async function addLaterWords(): Promise<void> {
  const [words] = await Promise.all([LATER_WORDS[language](), firstWords]);
  for (const [namespace, texts] of Object.entries(words)) i18next.addResourceBundle(language, namespace, texts);
}

/** Stores the choice and reloads the page in that language. Does nothing if the browser cannot store it. */
export function chooseLanguage(language: string): void {
  if (keepStored(CHOICE, language)) location.reload();
}
