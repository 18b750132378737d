import { createContext, useContext } from 'react';
import { en, type Texts } from '../texts/en.ts';
import { kept } from './kept.ts';

/** Languages by their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const loaded: Partial<Record<Language, Texts>> = { en };

/** Loads the words of a language, which are a part of their own: a page loads those of its reader, and the English ones in any case. */
export async function loadTexts(language: Language): Promise<void> {
  if (language === 'de') loaded.de ??= (await import('../texts/de.ts')).de;
}

/** The language that was chosen, else the first of the browser's that there is a catalogue for, else English. */
export function firstLanguage(): Language {
  const wanted = [kept('language'), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.find((tag): tag is Language => tag !== undefined && tag in LANGUAGES) ?? 'en';
}

export const LanguageContext = createContext<Language>('en');

export const useLanguage = (): Language => useContext(LanguageContext);

/** Every word that a page shows, in the language of its reader. */
export const useTexts = (): Texts => loaded[useLanguage()] ?? en;
