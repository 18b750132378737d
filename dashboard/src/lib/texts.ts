import { createContext, useContext } from 'react';
import { en, type Texts } from '../texts/en.ts';
import { kept } from './kept.ts';

/** The languages, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

// English is there from the first byte, the others when they are asked for: a catalogue is a tenth of the first load.
const catalogues: Partial<Record<Language, Texts>> = { en };

/** Loads the words of a language. Until then, and where that fails, pages show English ones. */
export async function loadTexts(language: Language): Promise<void> {
  if (language === 'de') catalogues.de ??= (await import('../texts/de.ts')).de;
}

/** The language that was chosen, else the first of the browser's that there is a catalogue for, else English. */
export function firstLanguage(): Language {
  const wanted = [kept('language'), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.find((tag): tag is Language => tag !== undefined && tag in LANGUAGES) ?? 'en';
}

export const LanguageContext = createContext<Language>('en');

export const useLanguage = (): Language => useContext(LanguageContext);

/** Every word that a page shows, in the language of its reader. */
export const useTexts = (): Texts => catalogues[useLanguage()] ?? en;
