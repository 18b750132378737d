import { elementSpans, memberSpan, wholeSpan } from '../../../kernel/values/exact-json.ts';

const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;
const BROKEN_ESCAPE = /~(?![01])/;

/** Why a text is no JSON Pointer (RFC 6901); undefined when it is one. The empty one is the whole document. */
export function pointerProblem(pointer: string): string | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return 'must be empty or begin with / (RFC 6901)';
  return BROKEN_ESCAPE.test(pointer) ? 'has a ~ without 0 or 1 behind it (RFC 6901)' : undefined;
}

/**
 * The JSON text of a value inside a good JSON text, digit for digit as it stands there; undefined where the pointer leads nowhere. A
 * name that stands twice has its last value, as in JSON.parse.
 */
export function textAt(text: string, pointer: string): string | undefined {
  let span: { start: number; end: number } | undefined = wholeSpan(text.trim());
  const source = text.trim();
  for (const name of partsOf(pointer)) {
    const first: string | undefined = source[span.start];
    if (first === '{') span = memberSpan(source, span, name);
    else if (first === '[' && INDEX.test(name)) span = elementSpans(source, span)[Number(name)];
    else return undefined;
    if (span === undefined) return undefined;
  }
  return source.slice(span.start, span.end);
}

/** A text, number or truth at that place as a text; undefined for anything else, and for nothing. Numbers keep their digits. */
export function scalarAt(text: string, pointer: string): string | undefined {
  const found = textAt(text, pointer);
  if (found === undefined || found === 'null' || found.startsWith('{') || found.startsWith('[')) return undefined;
  // `as`: a JSON text between quotes is a string.
  return found.startsWith('"') ? (JSON.parse(found) as string) : found;
}

/** A JSON text of an object with a member of it replaced, or added at its beginning. Any other text stays as it is. */
export function withMember(text: string, name: string, member: string): string {
  const value = objectIn(text);
  if (value === undefined) return text;
  const whole = { start: text.indexOf('{'), end: text.length };
  const found = memberSpan(text, whole, name);
  if (found !== undefined) return `${text.slice(0, found.start)}${member}${text.slice(found.end)}`;
  const comma = Object.keys(value).length === 0 ? '' : ',';
  return `${text.slice(0, whole.start + 1)}${JSON.stringify(name)}:${member}${comma}${text.slice(whole.start + 1)}`;
}

/** The object that a JSON text is; undefined for any other text. */
function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Sets what a pointer leads to, in place. Objects on the way are made, elements of lists are not; where a text or a number is in the way,
 * nothing changes. `make` gets what stands there.
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

/** A member of its own, also of the name `__proto__`. */
const setOwn = (holder: object, name: string, value: unknown): void =>
  void Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });

const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
