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

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Longest key that is repeated to the caller, in characters: a field is a hint, not a copy of the body. */
const MAX_KEY_LENGTH = 64;

/**
 * A field's name as its author would write it: `messages[3].eventType`, `payload["two words"]`.
 * The empty path is the body as a whole.
 */
export function fieldPath(segments: readonly PropertyKey[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else {
      const key = String(segment).slice(0, MAX_KEY_LENGTH);
      if (IDENTIFIER.test(key)) path += path === '' ? key : `.${key}`;
      else path += `[${JSON.stringify(key)}]`;
    }
  }
  return path === '' ? 'body' : path;
}

/** Ends each line (RFC 4180 §2). */
export const CSV_LINE_END = '\r\n';

// A spreadsheet takes a cell that begins with one of these for a formula, their wide forms too. A sender of messages must not make one.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * One line of CSV (RFC 4180) without its end. A text that a spreadsheet would take for a formula gets an apostrophe in front; numbers do
 * not. Absent values are empty cells.
 */
export const csvLine = (cells: readonly (string | number | undefined)[]): string => cells.map(cellOf).join(',');

function cellOf(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
