import type { Texts } from '../texts/en.ts';

/** The error that a browser names for it, in English. Undefined for a text that is JSON. */
function errorOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (failure) {
    return failure instanceof Error ? failure.message : String(failure);
  }
}

export const isJsonText = (text: string): boolean => errorOf(text) === undefined;

/** The reason why a text is no JSON, in the language of its reader; undefined for one that is. */
export function jsonProblem(text: string, t: Texts): string | undefined {
  const error = errorOf(text);
  if (error === undefined) return undefined;
  const [, position] = /at position (\d+)/.exec(error) ?? [];
  if (position === undefined) return t.faults.noJson(error);
  const before = text.slice(0, Number(position)).split('\n');
  return t.faults.noJson(error, { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
}
