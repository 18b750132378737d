const CONTROL_CHARACTER = /\p{Cc}/u;

/** Whether a text has one of the 65 control characters: logs, terminals and headers would not show it as it is. */
export const hasControlCharacter = (text: string): boolean => CONTROL_CHARACTER.test(text);

/** Why a value may be no name, description or label; undefined when it may. */
export const controlCharacterProblem = (value: unknown): string | undefined =>
  typeof value === 'string' && hasControlCharacter(value) ? 'must not contain control characters' : undefined;

/** White space, characters that only tell how to show others, and three more without a form. */
const UNSEEN = /^[\s\p{Cf}\u115F\u2800\u3164]*$/u;

/** Characters that turn the direction of the text behind them: a name could show the words beside it as others. */
const TURNS = /[\u202A-\u202E\u2066-\u2069]/u;

/** Why a value may be no name; undefined when it may. Without a character that is seen it would be a row or a link without words. */
export function nameProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (TURNS.test(value)) return 'must not contain characters that change the direction of text';
  return controlCharacterProblem(value) ?? (UNSEEN.test(value) ? 'must not be blank' : undefined);
}
