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
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
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
