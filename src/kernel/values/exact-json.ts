/**
 * JSON text that is written unchanged. A publisher's payload stays text from the request to the row, the lists and the subscribers,
 * because JSON.parse and JSON.stringify change numbers such as 12345678901234567890 and 1.10.
 */
export class ExactJson {
  readonly text: string;

  /** `text` must be one valid JSON value; it is not checked again. */
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * JSON.stringify that keeps ExactJson verbatim. Undefined members are left out, dates become ISO 8601 UTC, bigints whole numbers, and
 * Maps objects.
 */
export function stringifyExact(value: unknown): string {
  if (value instanceof ExactJson) return value.text;
  if (typeof value === 'bigint') return String(value);
  if (!isContainer(value)) return JSON.stringify(value) ?? 'null';
  // Appended instead of joined: V8 copies an appended text once, whereas each level of joins copied everything below it.
  let text = '';
  if (Array.isArray(value)) {
    for (const each of value) text += (text === '' ? '[' : ',') + stringifyExact(each);
    return text === '' ? '[]' : `${text}]`;
  }
  for (const [key, member] of membersOf(value))
    text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${stringifyExact(member)}`;
  return text === '' ? '{}' : `${text}}`;
}

/**
 * Yields the text of `stringifyExact` in pieces, so that a large response need not be built in one turn of the event loop. The outer
 * `levels` of objects and arrays are split: with two, each row of a page is a piece, and each step of a run.
 */
export function* exactPieces(value: unknown, levels = 2): Generator<string> {
  if (levels === 0 || !isContainer(value)) {
    yield stringifyExact(value);
    return;
  }
  let isFirst = true;
  if (Array.isArray(value)) {
    for (const each of value) {
      yield isFirst ? '[' : ',';
      isFirst = false;
      yield* exactPieces(each, levels - 1);
    }
    yield isFirst ? '[]' : ']';
    return;
  }
  for (const [key, member] of membersOf(value)) {
    yield `${isFirst ? '{' : ','}${JSON.stringify(key)}:`;
    isFirst = false;
    yield* exactPieces(member, levels - 1);
  }
  yield isFirst ? '{}' : '}';
}

/** Whether a value is written member by member. */
const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof ExactJson);

function membersOf(value: object): [string, unknown][] {
  const entries: [string, unknown][] =
    value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  return entries.filter(([, member]) => member !== undefined);
}

/** The span of a JSON value in a text: `start` inclusive, `end` exclusive, in UTF-16 units. */
export type JsonSpan = { start: number; end: number };

/** Whether a character is JSON white space (RFC 8259 §2). Comparing codes takes a fifth of the time of a regular expression. */
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const [COMMA, CLOSING_BRACKET, CLOSING_BRACE] = [0x2c, 0x5d, 0x7d];

/**
 * The end of the number, boolean or null that begins at `at`. Returns the end of the text if there is none, so that no scan loops
 * forever.
 */
function endOfScalar(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === COMMA || code === CLOSING_BRACE || code === CLOSING_BRACKET || isSpace(code)) break;
  }
  return end === at ? text.length : end;
}

/** The end of the string that begins at `at`: after the next quote that is preceded by an even number of backslashes. */
export function endOfString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/** The end of the value that begins at `at`; counts brackets and skips strings. */
export function endOfValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return endOfString(text, at);
  if (first !== '{' && first !== '[') return endOfScalar(text, at);
  let depth = 0;
  for (let index = at; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return text.length;
}

/** The position of the next character that is not white space, or the end of the text. */
export function nextToken(text: string, at: number): number {
  let next = at;
  while (next < text.length && isSpace(text.charCodeAt(next))) next += 1;
  return next;
}

/**
 * The span of a member's value in JSON text that JSON.parse has already accepted. For any other text the result is meaningless, or a
 * SyntaxError is thrown. A duplicate key has its last value, as in JSON.parse.
 */
export function memberSpan(text: string, object: JsonSpan, key: string): JsonSpan | undefined {
  let found: JsonSpan | undefined;
  eachMember(text, object, (name, span) => {
    if (name === key) found = span;
  });
  return found;
}

/** The spans of all members of an object, in one pass. Has the same limits as `memberSpan`. */
export function memberSpans(text: string, object: JsonSpan): Map<string, JsonSpan> {
  const spans = new Map<string, JsonSpan>();
  eachMember(text, object, (name, span) => spans.set(name, span));
  return spans;
}

function eachMember(text: string, object: JsonSpan, take: (name: string, span: JsonSpan) => void): void {
  let at = nextToken(text, nextToken(text, object.start) + 1);
  while (at < object.end && text[at] === '"') {
    const keyEnd = endOfString(text, at);
    // `as`: a key is a string.
    const name = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = nextToken(text, nextToken(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    take(name, { start, end });
    at = nextToken(text, nextToken(text, end) + 1);
  }
}

/** The spans of an array's elements. Has the same limits as `memberSpan`. */
export function elementSpans(text: string, array: JsonSpan): JsonSpan[] {
  const spans: JsonSpan[] = [];
  let at = nextToken(text, nextToken(text, array.start) + 1);
  while (at < array.end && text[at] !== ']') {
    const end = endOfValue(text, at);
    spans.push({ start: at, end });
    at = nextToken(text, nextToken(text, end) + 1);
  }
  return spans;
}

/** The whole text as a span. */
export const wholeSpan = (text: string): JsonSpan => ({ start: 0, end: text.length });
