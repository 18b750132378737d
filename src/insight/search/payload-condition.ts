import { invalidField } from '../../kernel/errors.ts';
import { elementSpans, endOfString, memberSpan, nextToken, wholeSpan } from '../../kernel/values/exact-json.ts';
import type { PayloadCondition } from '../../messaging/messages/look-through.ts';

type Span = ReturnType<typeof wholeSpan>;

/** Names between the dots of a path, as written. A quoted name is a JSON string. */
const STEP = /\.(?:"(?:[^"\\]|\\.)*"|[^."=\s]+)/y;
const PREFIX = 'payload';
/** Limits how long one payload can take. */
const MAX_STEPS = 32;
const ANY = '*';
const EXAMPLE = 'must be a path and a value such as payload.order.id=42';

/**
 * Parses `payload.<name>.<name>=<value>`. Returns undefined if the text is not a condition; throws INVALID_REQUEST if
 * it starts like one but is not valid.
 *
 * A name is a member of an object, a whole number also an index of an array, and `*` every element of an array. Names
 * with dots, spaces or quotes are written in quotes. The value is compared as text: `42` finds the number 42 and the
 * text "42", but not 42.0; `"42"` finds only the text.
 */
export function payloadConditionOf(q: string): PayloadCondition | undefined {
  if (!q.startsWith(`${PREFIX}.`) || !q.includes('=')) return undefined;
  const path: string[] = [];
  STEP.lastIndex = PREFIX.length;
  let at = PREFIX.length;
  for (let match = STEP.exec(q); match !== null; match = STEP.exec(q)) {
    at = STEP.lastIndex;
    path.push(nameIn(match[0].slice(1)));
  }
  const rest = q.slice(at).trimStart();
  if (!rest.startsWith('=') || path.length === 0) throw invalidField('q', EXAMPLE);
  if (path.length > MAX_STEPS) throw invalidField('q', `must have at most ${MAX_STEPS} names in its path`);
  const value = rest.slice(1).trim();
  const quoted = value.startsWith('"') ? parsed(value) : undefined;
  if (value.startsWith('"') && typeof quoted !== 'string')
    throw invalidField('q', 'has a value with an unclosed or invalid quote');
  const text = typeof quoted === 'string' ? quoted : value;
  if ([...path, text].some(cannotBeStored))
    throw invalidField('q', 'has a NUL character or a lone surrogate, which no payload can contain');
  const isEqual = (json: string): boolean =>
    json.startsWith('"') ? parsed(json) === text : quoted === undefined && json === text;
  return {
    name: JSON.stringify([path, value]),
    needle: text,
    passes: path.length,
    fits: (payload) => hasValue(payload, wholeSpan(payload), { path, isEqual }),
  };
}

/** Shorter values would be found almost everywhere. */
const MIN_VALUE_LENGTH = 3;
/** How often a payload counts as read for a bare value: texts full of escapes take four times as long. */
const PASSES_FOR_VALUE = 4;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses a bare value such as `SO-10922` or `561.90`, which matches payloads that have it anywhere as a string or
 * number. Returns undefined for texts of fewer than three characters and for texts that no payload can contain.
 *
 * The whole value is compared as text, case-sensitive: `561.90` finds the number 561.90 and the text "561.90", but not
 * 561.9; `"561.90"` finds only the text. Names of members are not compared.
 */
export function payloadValueOf(q: string): PayloadCondition | undefined {
  const quoted = q.startsWith('"') ? parsed(q) : undefined;
  const value = typeof quoted === 'string' ? quoted : q;
  if (value.length < MIN_VALUE_LENGTH || cannotBeStored(value)) return undefined;
  const isNumber = typeof quoted !== 'string' && NUMBER.test(value);
  return {
    name: JSON.stringify([q]),
    needle: value,
    passes: PASSES_FOR_VALUE,
    fits: (payload) => hasAnywhere(payload, value, isNumber),
  };
}

/**
 * Whether any string in the JSON text equals the value, or any number if `isNumber`. Makes one pass, from string to
 * string.
 */
function hasAnywhere(text: string, value: string, isNumber: boolean): boolean {
  // Next occurrence of the value's characters. Searched again only after the pass has moved beyond it, so all searches
  // together are one pass.
  let hit = isNumber ? text.indexOf(value) : -1;
  let at = 0;
  for (;;) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    if (hit !== -1 && hit < at) hit = text.indexOf(value, at);
    for (; hit !== -1 && hit < end; hit = text.indexOf(value, hit + 1))
      if (isToken(text, hit, hit + value.length)) return true;
    if (quote === -1) return false;
    at = endOfString(text, quote);
    if (isString(text, { start: quote, end: at }, value) && text[nextToken(text, at)] !== ':') return true;
  }
}

const BESIDE_A_TOKEN = /[\s,:[\]{}]/;

/** Whether a number begins and ends at these places, outside strings. */
const isToken = (text: string, start: number, end: number): boolean =>
  [text[start - 1], text[end]].every((beside) => beside === undefined || BESIDE_A_TOKEN.test(beside));

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Whether the string at the span, including quotes, equals the value. Parsing every string took three times as long in
 * a text full of escapes.
 */
function isString(text: string, { start, end }: Span, value: string): boolean {
  if (end - start - 2 < value.length) return false;
  let at = start + 1;
  for (let index = 0; index < value.length; index += 1) {
    let unit = text[at];
    let length = 1;
    if (unit === '\\') {
      const kind = text[at + 1] ?? '';
      length = kind === 'u' ? 6 : 2;
      unit =
        kind === 'u' ? String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16)) : (ESCAPED[kind] ?? kind);
    }
    if (unit !== value[index]) return false;
    at += length;
  }
  return at === end - 1;
}

// The same rule as for published payloads. PostgreSQL cannot accept such a text even as a parameter.
const cannotBeStored = (text: string): boolean => /[\0\p{Surrogate}]/u.test(text);

function nameIn(step: string): string {
  if (!step.startsWith('"')) return step;
  const name = parsed(step);
  if (typeof name !== 'string') throw invalidField('q', 'has a name with an unclosed or invalid quote');
  return name;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

type Wanted = { path: readonly string[]; isEqual: (json: string) => boolean };

/**
 * Whether a value at the path below this one is equal. The text is valid JSON: it was validated when it was published.
 */
function hasValue(text: string, span: Span, { path, isEqual }: Wanted): boolean {
  const [name, ...rest] = path;
  const first = text[skipSpace(text, span.start)];
  if (name === undefined) return isEqual(text.slice(span.start, span.end).trim());
  const below = { path: rest, isEqual };
  if (first === '{') {
    const member = memberSpan(text, span, name);
    return member !== undefined && hasValue(text, member, below);
  }
  if (first !== '[') return false;
  const elements = elementSpans(text, span);
  if (name === ANY) return elements.some((element) => hasValue(text, element, below));
  const element = /^\d{1,9}$/.test(name) ? elements[Number(name)] : undefined;
  return element !== undefined && hasValue(text, element, below);
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (/[\t\n\r ]/.test(text[at] ?? '')) at += 1;
  return at;
}
