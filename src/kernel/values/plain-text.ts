const CONTROL_CHARACTER = /\p{Cc}/u;

/** Whether a text has one of the 65 control characters: logs, terminals and headers would not show it as it is. */
export const hasControlCharacter = (text: string): boolean => CONTROL_CHARACTER.test(text);

/** Why a value may be no name, description or label; undefined when it may. */
export const controlCharacterProblem = (value: unknown): string | undefined =>
  typeof value === 'string' && hasControlCharacter(value) ? 'must not contain control characters' : undefined;

/** Why a value may be no name; undefined when it may. Without a character that is seen it would be a row or a link without words. */
export const nameProblem = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() === '' ? 'must not be blank' : controlCharacterProblem(value);
