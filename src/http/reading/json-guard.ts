import { invalidField } from '../../kernel/errors/api-error.ts';
import { fieldPath } from '../../kernel/values/field-path.ts';

/**
 * Deepest nesting of objects and arrays; `{}` is 1. A message's payload counts from itself. JSON.stringify fails below
 * 5,000 levels and jsonb between 5,000 and 20,000 (54001), each of them as a 500 (docs/security.md).
 */
export const MAX_DEPTH = 32;

/** Most members of all objects in one payload (or around the payloads), and in the whole body: a batch holds 100 payloads. */
export const MAX_KEYS = 10_000;
export const MAX_BODY_KEYS = 100_000;

type Budget = { keys: number };
/** One open container. `keys` is absent for an array. Only containers on the current path are open, so memory is bounded by depth. */
type Frame = { keys: string[] | undefined; values: unknown[]; next: number; depth: number; budget: Budget };

const NUL = '\0';
// With the u flag a surrogate that has its partner is part of one character, so this finds lone ones only.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/**
 * Throws INVALID_REQUEST, with the offender's path as the field, for parsed JSON that PostgreSQL cannot store or that would
 * not come out as it went in: NUL and lone surrogates in strings and keys, numbers beyond a double (1e400), too deep, too many keys.
 * A loop, not a recursion: the depth is the caller's choice.
 */
export function checkJson(body: unknown): void {
  const whole: Budget = { keys: 0 };
  const stack: Frame[] = [];

  // Built only for an offender: a body has many more values than paths worth showing.
  const path = (): PropertyKey[] => stack.map(({ keys, next }) => keys?.[next - 1] ?? next - 1);
  const open = (container: object, depth: number, budget: Budget): void => {
    if (depth > MAX_DEPTH) throw invalidField(fieldPath(path()), `is nested deeper than ${MAX_DEPTH} levels`);
    const keys = Array.isArray(container) ? undefined : Object.keys(container);
    budget.keys += keys?.length ?? 0;
    whole.keys += keys?.length ?? 0;
    if (budget.keys > MAX_KEYS) throw invalidField(fieldPath(payloadOf(path())), tooManyMembers(MAX_KEYS));
    if (whole.keys > MAX_BODY_KEYS) throw invalidField('body', tooManyMembers(MAX_BODY_KEYS));
    stack.push({ keys, values: Object.values(container), next: 0, depth, budget });
  };
  const check = (value: unknown, parent: Frame, key: string | undefined): void => {
    if (typeof value === 'string') {
      const problem = textProblem(value);
      if (problem !== undefined) throw invalidField(fieldPath(path()), problem);
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw invalidField(fieldPath(path()), 'is a number too large to keep');
    } else if (typeof value === 'object' && value !== null) {
      const isPayload = key === 'payload' && isPayloadPath(path());
      open(value, isPayload ? 1 : parent.depth + 1, isPayload ? { keys: 0 } : parent.budget);
    }
  };

  // The body counts as the one element of a frame that is not part of any path.
  check(body, { keys: undefined, values: [], next: 0, depth: 0, budget: { keys: 0 } }, undefined);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next === frame.values.length) {
      stack.pop();
      continue;
    }
    const value = frame.values[frame.next];
    const key = frame.keys?.[frame.next];
    frame.next += 1;
    const keyProblem = key === undefined ? undefined : textProblem(key);
    // The key itself cannot be shown, so the field is the object that has it.
    if (keyProblem !== undefined) throw invalidField(fieldPath(path().slice(0, -1)), `has a key that ${keyProblem}`);
    check(value, frame, key);
  }
}

const tooManyMembers = (most: number): string => `has more than ${most} members in its objects, those inside counted`;

/** Nesting that is refused before parsing: far above MAX_DEPTH, whose check can name the place. */
const ABSURD_DEPTH = 2 * MAX_DEPTH;

/**
 * Throws INVALID_REQUEST for JSON text nested absurdly deep, which JSON.parse accepts but takes long over: 5 MiB of `[` hold
 * the process up for 1.1 s. Looks at brackets outside strings only (up to 30 ms for 5 MiB); whether the text is JSON is not its question.
 */
export function refuseAbsurdDepth(text: string): void {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') {
      index = closingQuote(text, index);
      if (index === -1) return;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > ABSURD_DEPTH) throw invalidField('body', `is nested deeper than ${MAX_DEPTH} levels`);
    } else if (character === '}' || character === ']') depth -= 1;
  }
}

const COLON = /\s*:/y;

/**
 * Throws INVALID_REQUEST for a member that the outermost object of good JSON text has twice. JSON.parse takes the last of them and
 * other parsers the first; where members are the parameters of a form, none may be given twice (RFC 6749 §3.2).
 */
export function refuseDoubledMembers(text: string): void {
  const names = new Set<string>();
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === '"') {
      const end = closingQuote(text, index);
      COLON.lastIndex = end + 1;
      if (depth === 1 && COLON.test(text)) {
        // `as`: a JSON text between quotes is a string.
        const name = JSON.parse(text.slice(index, end + 1)) as string;
        if (names.has(name)) throw invalidField(name, 'is given more than once');
        names.add(name);
      }
      index = end;
    }
  }
}

/** The next quote behind `at` that an even number of backslashes precedes; -1 when the string never ends. */
function closingQuote(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return -1;
}

function textProblem(text: string): string | undefined {
  if (!UNSTORABLE.test(text)) return undefined;
  return text.includes(NUL) ? 'contains a NUL character' : 'contains half of a surrogate pair';
}

/** The document that a place belongs to: a payload, or what is around the payloads. */
function payloadOf(path: readonly PropertyKey[]): readonly PropertyKey[] {
  return [path.slice(0, 1), path.slice(0, 3)].find(isPayloadPath) ?? [];
}

/** Whether this is `payload` or `messages[n].payload`: a publisher's own document, with bounds of its own. */
function isPayloadPath(path: readonly PropertyKey[]): boolean {
  if (path.at(-1) !== 'payload') return false;
  return path.length === 1 || (path.length === 3 && path[0] === 'messages' && typeof path[1] === 'number');
}
