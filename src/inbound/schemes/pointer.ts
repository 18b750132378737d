import { endOfString, endOfValue, memberSpan, nextToken, type JsonSpan } from '../../kernel/values/exact-json.ts';

const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;
const BROKEN_ESCAPE = /~(?![01])/;

/**
 * Returns why a text is not a JSON Pointer (RFC 6901); undefined if it is one. The empty pointer is the whole document.
 */
export function pointerProblem(pointer: string): string | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return 'must be empty or begin with / (RFC 6901)';
  return BROKEN_ESCAPE.test(pointer) ? 'must have 0 or 1 after each ~ (RFC 6901)' : undefined;
}

/**
 * Finds the values that pointers refer to in valid JSON text, in the order of the pointers; undefined if a pointer
 * finds nothing. Reads the text once, however many pointers there are and however deep they are. If an object has a
 * name twice, the last value counts, as in JSON.parse.
 */
export function spansAt(text: string, pointers: readonly string[]): (JsonSpan | undefined)[] {
  const parts = pointers.map(partsOf);
  const wanted: Wanted = new Map();
  for (const names of parts) {
    let level = wanted;
    for (const name of names) {
      const below: Wanted = level.get(name) ?? new Map();
      level.set(name, below);
      level = below;
    }
  }
  const found = read(text, nextToken(text, 0), wanted);
  return parts.map((names) => {
    let at: Found | undefined = found;
    for (const name of names) at = at?.below?.get(name);
    return at && { start: at.start, end: at.end };
  });
}

/** Names at one level that a pointer goes through, with their own next levels. */
type Wanted = Map<string, Wanted>;
type Found = JsonSpan & { below?: Map<string, Found> };

/** Reads the value that begins at `start`. Skips values that no pointer goes through. */
function read(text: string, start: number, wanted: Wanted): Found {
  const first = text[start];
  if (wanted.size === 0 || (first !== '{' && first !== '[')) return { start, end: endOfValue(text, start) };
  const below = new Map<string, Found>();
  const next = (name: string | undefined, at: number): number => {
    const deeper = name === undefined ? undefined : wanted.get(name);
    if (name === undefined || deeper === undefined) return endOfValue(text, at);
    const found = read(text, at, deeper);
    below.set(name, found);
    return found.end;
  };
  // Items after the last one wanted are skipped without creating a name for each: a body can have half a million.
  const last =
    first === '[' ? Math.max(...[...wanted.keys()].map((name) => (INDEX.test(name) ? Number(name) : -1))) : 0;
  let at = nextToken(text, start + 1);
  for (let index = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; index += 1) {
    let name: string | undefined;
    if (first === '[') name = index <= last ? String(index) : undefined;
    else {
      const keyEnd = endOfString(text, at);
      name = stringAt(text, { start: at, end: keyEnd });
      // Skip the colon.
      at = nextToken(text, nextToken(text, keyEnd) + 1);
    }
    at = nextToken(text, next(name, at));
    if (text[at] === ',') at = nextToken(text, at + 1);
  }
  return { start, end: Math.min(at + 1, text.length), below };
}

/** Returns the string at a place in valid JSON text. Most names have no escapes and need no parser. */
function stringAt(text: string, { start, end }: JsonSpan): string {
  const inside = text.slice(start + 1, end - 1);
  // `as`: JSON text in quotes is a string.
  return inside.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inside;
}

/** Returns the JSON text of the value that a pointer refers to, digit for digit; see `spansAt`. */
export function textAt(text: string, pointer: string): string | undefined {
  const [span] = spansAt(text, [pointer]);
  return span && text.slice(span.start, span.end);
}

/**
 * Returns a string, number or boolean as text; undefined for other values and if there is none. Numbers keep their
 * digits.
 */
export function scalarAt(text: string, pointer: string): string | undefined {
  const found = textAt(text, pointer);
  if (found === undefined || found === 'null' || found.startsWith('{') || found.startsWith('[')) return undefined;
  // `as`: JSON text in quotes is a string.
  return found.startsWith('"') ? (JSON.parse(found) as string) : found;
}

/**
 * Returns the JSON text of an object with a member replaced, or added at the beginning. Returns any other text
 * unchanged.
 */
export function withMember(text: string, name: string, member: string): string {
  const value = objectIn(text);
  if (value === undefined) return text;
  const whole = { start: text.indexOf('{'), end: text.length };
  const found = memberSpan(text, whole, name);
  if (found !== undefined) return `${text.slice(0, found.start)}${member}${text.slice(found.end)}`;
  const comma = Object.keys(value).length === 0 ? '' : ',';
  return `${text.slice(0, whole.start + 1)}${JSON.stringify(name)}:${member}${comma}${text.slice(whole.start + 1)}`;
}

/** Parses the JSON text of an object; undefined for any other text. */
function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Sets the value that a pointer refers to, in place. Creates missing objects on the way, but no array elements. Changes
 * nothing if a scalar is in the way. `make` receives the current value.
 */
export function putAt(root: object, pointer: string, make: (found: unknown) => unknown): void {
  const parts = partsOf(pointer);
  let holder: object = root;
  for (const [index, name] of parts.entries()) {
    const isThere = Array.isArray(holder)
      ? INDEX.test(name) && Object.hasOwn(holder, name)
      : Object.hasOwn(holder, name);
    if (Array.isArray(holder) && !isThere) return;
    const found: unknown = isThere ? Reflect.get(holder, name) : undefined;
    if (index === parts.length - 1) return setOwn(holder, name, make(found));
    const next: unknown = found ?? {};
    if (typeof next !== 'object' || next === null) return;
    setOwn(holder, name, next);
    holder = next;
  }
}

/** Defines an own member, even with the name `__proto__`. */
const setOwn = (holder: object, name: string, value: unknown): void =>
  void Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });

const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
