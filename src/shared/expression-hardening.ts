import type { Pattern } from './pattern-size.ts';

type Handler = (this: unknown, ...values: never[]) => unknown;
type Declaration = { handler: Handler };
type Candidates = { declarations: Declaration[] };

/** The inside of the library's evaluator, as far as it is changed here; the tests notice when a version has another one. */
export type Evaluator = {
  debugType: unknown;
  debugTypeDeep: unknown;
  registry: {
    operatorCandidates(operator: string): Candidates;
    functionCandidates(hasReceiver: boolean, name: string, parameters: number): Candidates;
  };
};

// A payload has at most 256 KiB. One allocation that a thread's memory cannot hold ends not the thread but the process.
const MAX_TEXT = 400_000;
const MAX_ITEMS = 250_000;
// Reading a duration takes the cube of its length.
const MAX_DURATION = 32;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * Changes one environment's evaluator where the library would let a stranger's expression or message take too much: texts and lists
 * stay below a size, patterns are matched by `patternOf`, durations are short, and times have a zone. The library also names a list by
 * its first item, to the innermost one, before it compares: lists whose first items differ fail, and every such name is remembered for
 * ever. Here lists and maps are just that.
 */
export function harden(evaluator: Evaluator, patternOf: (pattern: string) => Pattern): void {
  evaluator.debugTypeDeep = evaluator.debugType;
  const { registry } = evaluator;

  change(registry.operatorCandidates('+'), (add) => (...values) => {
    const [left, right]: unknown[] = values;
    if (typeof left === 'string' && typeof right === 'string') checkText(left.length + right.length);
    if (Array.isArray(left) && Array.isArray(right)) checkItems(left.length + right.length);
    return add(...values);
  });
  for (const parameters of [0, 1])
    change(registry.functionCandidates(true, 'join', parameters), (join) => (...values) => {
      const [texts, separator = '']: readonly unknown[] = values;
      // `as`: the library has matched the parameters' types, but not the items'.
      const items = texts as readonly unknown[];
      const between = String(separator).length;
      let length = 0;
      for (const item of items) length += (typeof item === 'string' ? item.length : 0) + between;
      checkText(length);
      return join(...values);
    });
  change(
    registry.functionCandidates(true, 'matches', 1),
    () => (text: string, pattern: string) => patternOf(pattern).test(text),
  );
  change(registry.functionCandidates(false, 'timestamp', 1), () => toTimestamp);
  change(registry.functionCandidates(false, 'duration', 1), (parse) => (...values) => {
    const [text]: readonly unknown[] = values;
    if (String(text).length > MAX_DURATION) throw new Error(`duration() takes at most ${MAX_DURATION} characters`);
    return parse(...values);
  });
}

/** The declarations are frozen, so each gives way to one that inherits from it; `as`: and so is of its type. */
function change({ declarations }: Candidates, make: (handler: Handler) => Handler): void {
  for (const [position, declaration] of declarations.entries())
    declarations[position] = Object.create(declaration, {
      handler: { value: make(declaration.handler) },
    }) as Declaration;
}

function checkText(length: number): void {
  if (length > MAX_TEXT) throw new Error(`makes a text of more than ${MAX_TEXT} characters`);
}

function checkItems(length: number): void {
  if (length > MAX_ITEMS) throw new Error(`makes a list of more than ${MAX_ITEMS} items`);
}

/**
 * The library takes whatever `new Date` takes: texts without a zone would mean another time in each process, and 30 February
 * the second of March.
 */
function toTimestamp(source: string | bigint | number): Date {
  const time = new Date(typeof source === 'string' ? parseText(source) : Number(source) * 1_000);
  if (!Number.isNaN(time.getTime())) return time;
  throw new Error('timestamp() takes RFC 3339 text such as "2026-01-31T12:00:00Z", or seconds since 1970');
}

function parseText(text: string): number {
  const [, day] = RFC_3339.exec(text) ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  const isDay = day !== undefined && !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return isDay ? Date.parse(text.toUpperCase()) : Number.NaN;
}
