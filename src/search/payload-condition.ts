import { invalidField } from '../kernel/errors/api-error.ts';
import { elementSpans, memberSpan, wholeSpan } from '../kernel/values/exact-json.ts';
import type { PayloadCondition } from '../messages/look-through.ts';

type Span = ReturnType<typeof wholeSpan>;

/** Names between the dots of a path, as they are written: a name in quotes is a JSON string. */
const STEP = /\.(?:"(?:[^"\\]|\\.)*"|[^."=\s]+)/y;
const PREFIX = 'payload';
/** Bound of a path, for the time that one payload takes. */
const MAX_STEPS = 32;
const ANY = '*';
const EXAMPLE = 'must be a path and a value such as payload.order.id=42';

/**
 * Reads `payload.<name>.<name>=<value>`. Undefined for a text that is no condition; INVALID_REQUEST for one that begins like one and is
 * none.
 *
 * A name is a member, a whole number also a place in an array, and `*` every element of one. A name with dots, spaces or quotes stands in
 * quotes. The value is compared as text: `42` finds the number 42 and the text "42", never 42.0; `"42"` finds the text alone.
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
  if (value.startsWith('"') && typeof quoted !== 'string') throw invalidField('q', 'has a value with a broken quote');
  const text = typeof quoted === 'string' ? quoted : value;
  if ([...path, text].some(cannotBeStored))
    throw invalidField('q', 'has a NUL character or half of a surrogate pair, which no payload holds');
  const isEqual = (json: string): boolean =>
    json.startsWith('"') ? parsed(json) === text : quoted === undefined && json === text;
  return {
    name: JSON.stringify([path, value]),
    needle: text,
    passes: path.length,
    fits: (payload) => hasValue(payload, wholeSpan(payload), { path, isEqual }),
  };
}

// As in a payload when it is published: PostgreSQL cannot even be asked for such a text.
const cannotBeStored = (text: string): boolean => /[\0\p{Surrogate}]/u.test(text);

function nameIn(step: string): string {
  if (!step.startsWith('"')) return step;
  const name = parsed(step);
  if (typeof name !== 'string') throw invalidField('q', 'has a name with a broken quote');
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

/** Whether a value at the path, below this one, is equal. The text is valid JSON: it was checked when it was published. */
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
