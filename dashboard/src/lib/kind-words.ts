import type { Texts } from '../texts/en.ts';

const wordOf = (words: Readonly<Record<string, string>>, kind: string): string => words[kind] ?? kind;

/** How a run begins, in words. A kind that a newer service knows is shown by its own name. */
export const triggerWord = ({ definition }: Texts, type: string): string => wordOf(definition.triggers, type);

/** The kind of a step, in words. A run does not say which action a step had. */
export const stepWord = ({ definition }: Texts, type: string): string =>
  type === 'action' ? definition.action : wordOf(definition.steps, type);
