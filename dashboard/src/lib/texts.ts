import { en, type Texts } from '../texts/en.ts';

/** The words of the pages that are still of the first version. */
export const useTexts = (): Texts => en;
