import { createContext, useContext } from 'react';
import { de } from '../texts/de.ts';
import { en, type Texts } from '../texts/en.ts';
import { kept } from './kept.ts';

export const LANGUAGES = { en, de } as const;
export type Language = keyof typeof LANGUAGES;

/** The language that was chosen, else the first of the browser's that there is a catalogue for, else English. */
export function firstLanguage(): Language {
  const wanted = [kept('language'), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.find((tag): tag is Language => tag !== undefined && tag in LANGUAGES) ?? 'en';
}

export const LanguageContext = createContext<Language>('en');

export const useLanguage = (): Language => useContext(LanguageContext);

/** Every word that a page shows, in the language of its reader. */
export const useTexts = (): Texts => LANGUAGES[useLanguage()];
