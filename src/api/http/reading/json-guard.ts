import { invalidField } from '../../../kernel/errors.ts';
import type { MessageBounds } from '../route/route.ts';
import { fieldPath } from '../../../kernel/values/text.ts';

/**
 * Maximum nesting of objects and arrays; `{}` is 1. A message's payload is counted from its own root. Without this limit,
 * JSON.stringify fails from just under 5,000 levels and jsonb somewhere between 5,000 and 20,000 (54001), both with status 500.
 */
export const MAX_DEPTH = 32;

/**
 * Maximum number of members in all objects of one payload (or outside the payloads), and of the whole body: a batch has up to 100
 * payloads.
 */
export const MAX_KEYS = 10_000;
export const MAX_BODY_KEYS = 100_000;

type Budget = { keys: number };
/** An open container. `keys` is undefined for an array. Only containers on the current path are open, so memory is bounded by the depth. */
type Frame = { keys: string[] | undefined; values: readonly unknown[]; next: number; depth: number; budget: Budget };

const NUL = '\0';
// With the u flag, a paired surrogate is part of one character, so this matches only lone ones.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Work in steps of up to about 5 ms. The caller decides whether other work runs in between. */
export type Steps<T = void> = Generator<void, T, void>;
const VALUES_PER_STEP = 5_000;
const CHARACTERS_PER_STEP = 256 * 1024;

/** Runs all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Throws INVALID_REQUEST, with the path of the value as the field, for parsed JSON that PostgreSQL cannot store or that would not
 * round-trip: NUL and lone surrogates in strings and keys, numbers beyond a double (1e400), too deep, too many keys. Uses a loop
 * instead of recursion, because the caller chooses the depth. Yields after each step, so that other work can run in between.
 */
export function* checkJson(body: unknown): Steps {
  let checked = 0;
  const whole: Budget = { keys: 0 };
  const stack: Frame[] = [];

  // Built only on an error, because a body has far more values than paths worth showing.
  const path = (): PropertyKey[] => stack.map(({ keys, next }) => keys?.[next - 1] ?? next - 1);
  const open = (container: object, depth: number, budget: Budget): void => {
    if (depth > MAX_DEPTH) throw invalidField(fieldPath(path()), `must be nested at most ${MAX_DEPTH} levels deep`);
    const keys = Array.isArray(container) ? undefined : Object.keys(container);
    budget.keys += keys?.length ?? 0;
    whole.keys += keys?.length ?? 0;
    if (budget.keys > MAX_KEYS) throw invalidField(fieldPath(payloadOf(path())), tooManyMembers(MAX_KEYS));
    if (whole.keys > MAX_BODY_KEYS) throw invalidField('body', tooManyMembers(MAX_BODY_KEYS));
    const values = Array.isArray(container) ? container : Object.values(container);
    if (values.length > 0) stack.push({ keys, values, next: 0, depth, budget });
  };
  const check = (value: unknown, parent: Frame, key: string | undefined): void => {
    if (typeof value === 'string') {
      const problem = textProblem(value);
      if (problem !== undefined) throw invalidField(fieldPath(path()), `must not contain ${problem}`);
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw invalidField(fieldPath(path()), 'must be a number that fits a double');
    } else if (typeof value === 'object' && value !== null) {
      const isPayload = key === 'payload' && isPayloadPath(path());
      open(value, isPayload ? 1 : parent.depth + 1, isPayload ? { keys: 0 } : parent.budget);
    }
  };

  // The body counts as the only element of a frame that is not part of any path.
  check(body, { keys: undefined, values: [], next: 0, depth: 0, budget: { keys: 0 } }, undefined);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next === frame.values.length) {
      stack.pop();
      continue;
    }
    checked += 1;
    if (checked % VALUES_PER_STEP === 0) yield;
    const value = frame.values[frame.next];
    const key = frame.keys?.[frame.next];
    frame.next += 1;
    const keyProblem = key === undefined ? undefined : textProblem(key);
    // The key itself cannot be shown, so the field is the object that contains it.
    if (keyProblem !== undefined)
      throw invalidField(fieldPath(path().slice(0, -1)), `must not have a key that contains ${keyProblem}`);
    check(value, frame, key);
  }
}

const tooManyMembers = (most: number): string => `must have at most ${most} members, including those of nested objects`;

/** Nesting that is rejected before parsing. It is far above MAX_DEPTH, whose check can name the place. */
export const ABSURD_DEPTH = 2 * MAX_DEPTH;

/**
 * Maximum number of objects and arrays in one document (a message of a batch, or what is outside the messages), including empty ones.
 * They dominate the cost of parsing: 1.7 million `{}` in 5 MiB blocked the process for 700 ms; 100,000 take 15 ms. A payload has room
 * for 87,000.
 */
export const MAX_CONTAINERS = 100_000;
/** The same limit for the whole body. A body of 5 MiB that contains only points (`[13.4,52.5],`) has 420,000. */
export const MAX_BODY_CONTAINERS = 500_000;

/** The span of the array `messages`, including its brackets, and of each element, in UTF-16 units. */
export type MessageSpans = { start: number; end: number; elements: { start: number; end: number }[] };

const COLON = /\s*:/y;
/** All keys that the scan compares are shorter. A longer one is cut, so that it is not copied. */
const LONGEST_KEY = 16;

/**
 * Throws INVALID_REQUEST for JSON text that would take long to parse and check: extremely deep nesting (5 MiB of `[` take JSON.parse
 * 1.1 s), too many objects and arrays, or more or larger messages than `bounds` allows. Returns the spans of the messages, so that each
 * can be parsed separately. It is one pass over the text in steps, about 20 ms for 5 MiB. It does not check whether the text is JSON,
 * and leaves keys with escapes to the checks after parsing. `mostContainers`: limit of objects and arrays per document. `depth`: the
 * level limit that the error text names, which is enforced after parsing.
 */
export function* refuseCostlyJson(
  text: string,
  bounds?: MessageBounds,
  { mostContainers = MAX_CONTAINERS, depth: deepest = MAX_DEPTH }: { mostContainers?: number; depth?: number } = {},
): Steps<MessageSpans | undefined> {
  let depth = 0;
  let inBody = 0;
  let inDocument = 0;
  /** The member of the outermost object that the scan is in. */
  let member = '';
  let messages: MessageSpans | undefined;
  let isInMessages = false;
  let elementAt = 0;
  let payloadAt: number | undefined;
  let stepAt = CHARACTERS_PER_STEP;

  const leaveMember = (at: number): void => {
    if (payloadAt === undefined || (depth !== 1 && depth !== 3) || (depth === 3 && !isInMessages)) return;
    const most = bounds?.payloadBytes ?? Number.POSITIVE_INFINITY;
    // White space around a value does not count. A text has at least as many bytes as UTF-16 units.
    if (at - payloadAt > most && text.slice(payloadAt, at).trim().length > most) {
      const field = depth === 1 ? 'payload' : `messages[${messages?.elements.length}].payload`;
      throw invalidField(field, `must have at most ${most} bytes`);
    }
    payloadAt = undefined;
  };
  const endElement = (at: number): void => {
    messages?.elements.push({ start: elementAt, end: at });
    elementAt = at + 1;
    inDocument = 0;
  };

  for (let index = 0; index < text.length; index += 1) {
    if (index >= stepAt) {
      stepAt = index + CHARACTERS_PER_STEP;
      yield;
    }
    const character = text.charCodeAt(index);
    if (character === QUOTE) {
      const end = closingQuote(text, index);
      if (end === -1) return undefined;
      if (bounds !== undefined && (depth === 1 || (depth === 3 && isInMessages))) {
        COLON.lastIndex = end + 1;
        if (COLON.test(text)) {
          const key = text.slice(index + 1, Math.min(end, index + 1 + LONGEST_KEY));
          if (depth === 1) member = key;
          if (key === 'payload') payloadAt = COLON.lastIndex;
        }
      }
      index = end;
    } else if (character === BRACE || character === BRACKET) {
      depth += 1;
      inBody += 1;
      inDocument += 1;
      if (depth > ABSURD_DEPTH) throw invalidField('body', `must be nested at most ${deepest} levels deep`);
      if (inDocument > mostContainers) throw invalidField('body', tooManyContainers(mostContainers));
      if (inBody > MAX_BODY_CONTAINERS) throw invalidField('body', tooManyContainers(MAX_BODY_CONTAINERS));
      if (depth === 2 && member === 'messages' && character === BRACKET) {
        // JSON.parse would use the last one.
        if (messages !== undefined) throw invalidField('messages', 'must be given only once');
        messages = { start: index, end: index, elements: [] };
        elementAt = index + 1;
        isInMessages = true;
      }
    } else if (character === CLOSING_BRACE || character === CLOSING_BRACKET) {
      leaveMember(index);
      depth -= 1;
      if (depth === 1 && isInMessages && messages !== undefined) {
        const isEmpty = messages.elements.length === 0 && text.slice(elementAt, index).trim() === '';
        if (!isEmpty) endElement(index);
        messages.end = index + 1;
        isInMessages = false;
      }
    } else if (character === COMMA) {
      leaveMember(index);
      if (depth !== 2 || !isInMessages) continue;
      endElement(index);
      const most = bounds?.messages ?? Number.POSITIVE_INFINITY;
      if (messages !== undefined && messages.elements.length >= most)
        throw invalidField('messages', `must have at most ${most} messages`);
    }
  }
  return isInMessages ? undefined : messages;
}

const tooManyContainers = (most: number): string => `must have at most ${most} objects and arrays`;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [BRACE, CLOSING_BRACE, BRACKET, CLOSING_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Throws INVALID_REQUEST if the outermost object of valid JSON text has a member twice. JSON.parse uses the last, other parsers the
 * first; in a form, no parameter may be given twice (RFC 6749 §3.2).
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
        // `as`: JSON text in quotes is a string.
        const name = JSON.parse(text.slice(index, end + 1)) as string;
        if (names.has(name)) throw invalidField(name, 'must be given only once');
        names.add(name);
      }
      index = end;
    }
  }
}

/** Position of the next quote after `at` that is not escaped by a backslash, or -1 if the string never ends. */
function closingQuote(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) return index;
    if (character === BACKSLASH) index += 1;
  }
  return -1;
}

function textProblem(text: string): string | undefined {
  if (!UNSTORABLE.test(text)) return undefined;
  return text.includes(NUL) ? 'a NUL character' : 'half of a surrogate pair';
}

/** The document that a place belongs to: a payload, or the rest of the body. */
function payloadOf(path: readonly PropertyKey[]): readonly PropertyKey[] {
  return [path.slice(0, 1), path.slice(0, 3)].find(isPayloadPath) ?? [];
}

/** Whether the path is `payload` or `messages[n].payload`: a publisher's own document, which has its own limits. */
function isPayloadPath(path: readonly PropertyKey[]): boolean {
  if (path.at(-1) !== 'payload') return false;
  return path.length === 1 || (path.length === 3 && path[0] === 'messages' && typeof path[1] === 'number');
}
