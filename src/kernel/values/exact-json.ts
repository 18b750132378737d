/**
 * JSON text that is written out unchanged. A publisher's payload travels as text from the request to the row, the lists and the
 * subscribers, because JSON.parse and JSON.stringify change numbers such as 12345678901234567890 and 1.10.
 */
export class ExactJson {
  readonly text: string;

  /** `text` must be one valid JSON value: nothing checks it again. */
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
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stringifyExact).join(',')}]`;
  const entries: [string, unknown][] =
    value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  const members = entries
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${stringifyExact(member)}`);
  return `{${members.join(',')}}`;
}

/** The place of one JSON value in a text: `start` inclusive, `end` exclusive, in UTF-16 units. */
type Span = { start: number; end: number };

const WHITE_SPACE = /[\t\n\r ]*/y;
const SCALAR = /[^\t\n\r ,\]}]+/y;

/** The end of the pattern's match at `at`; without a match the end of the text, so that no scan runs in circles. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : text.length;
}

/** The end of the string that begins at `at`: behind the next quote that an even number of backslashes precedes. */
function endOfString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/** The end of the value that begins at `at`: brackets are counted, strings are stepped over. */
function endOfValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return endOfString(text, at);
  if (first !== '{' && first !== '[') return skip(SCALAR, text, at);
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

function nextToken(text: string, at: number): number {
  return skip(WHITE_SPACE, text, at);
}

/**
 * The spans of a member's value and of an array's elements inside a JSON text that JSON.parse has already accepted. On any other text
 * the answer is meaningless, or a SyntaxError. A key that stands twice has its last value, as in JSON.parse.
 */
export function memberSpan(text: string, object: Span, key: string): Span | undefined {
  let found: Span | undefined;
  eachMember(text, object, (name, span) => {
    if (name === key) found = span;
  });
  return found;
}

/** The spans of all members of an object, in one pass. See `memberSpan`. */
export function memberSpans(text: string, object: Span): Map<string, Span> {
  const spans = new Map<string, Span>();
  eachMember(text, object, (name, span) => spans.set(name, span));
  return spans;
}

function eachMember(text: string, object: Span, take: (name: string, span: Span) => void): void {
  let at = nextToken(text, nextToken(text, object.start) + 1);
  while (at < object.end && text[at] === '"') {
    const keyEnd = endOfString(text, at);
    // `as`: a key is a text.
    const name = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = nextToken(text, nextToken(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    take(name, { start, end });
    at = nextToken(text, nextToken(text, end) + 1);
  }
}

/** See `memberSpan`. */
export function elementSpans(text: string, array: Span): Span[] {
  const spans: Span[] = [];
  let at = nextToken(text, nextToken(text, array.start) + 1);
  while (at < array.end && text[at] !== ']') {
    const end = endOfValue(text, at);
    spans.push({ start: at, end });
    at = nextToken(text, nextToken(text, end) + 1);
  }
  return spans;
}

/** The whole text as a span. */
export const wholeSpan = (text: string): Span => ({ start: 0, end: text.length });
