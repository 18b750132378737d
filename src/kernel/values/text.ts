const CONTROL_CHARACTER = /\p{Cc}/u;

/** Whether a text contains one of the 65 control characters, which logs, terminals and headers would not show as they are. */
export const hasControlCharacter = (text: string): boolean => CONTROL_CHARACTER.test(text);

/** Why a value may not be a name, description or label; undefined if it may. */
export const controlCharacterProblem = (value: unknown): string | undefined =>
  typeof value === 'string' && hasControlCharacter(value) ? 'must not contain control characters' : undefined;

/** White space, format characters, and three more without a glyph. */
const UNSEEN = /^[\s\p{Cf}\u115F\u2800\u3164]*$/u;

/** Characters that change the direction of the following text: a name could make the words next to it look different. */
const TURNS = /[\u202A-\u202E\u2066-\u2069]/u;

/** Why a value may not be a name; undefined if it may. Without a visible character, it would be a row or a link without text. */
export function nameProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (TURNS.test(value)) return 'must not contain characters that change the direction of text';
  return controlCharacterProblem(value) ?? (UNSEEN.test(value) ? 'must not be blank' : undefined);
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Longest key that an error repeats, in characters: a field is a hint, not a copy of the body. */
const MAX_KEY_LENGTH = 64;

/** A field's path in the syntax of code: `messages[3].eventType`, `payload["two words"]`. The empty path is the whole body. */
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

/** The line ending of CSV (RFC 4180 §2). */
export const CSV_LINE_END = '\r\n';

// A spreadsheet takes a cell that begins with one of these, or its full-width form, for a formula. Senders of messages must not be able
// to create one.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * One line of CSV (RFC 4180) without its line ending. A text that a spreadsheet would take for a formula gets a leading apostrophe;
 * numbers do not. Absent values are empty cells.
 */
export const csvLine = (cells: readonly (string | number | undefined)[]): string => cells.map(cellOf).join(',');

function cellOf(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
