import { BOUNDS } from './units.ts';
import { spend, type Used } from './values.ts';

/*
 * Counts what an expression creates. Expressions of steps can create strings and lists, whose sizes are not known in advance. Each
 * function throws an Error beyond its bound, before anything is created.
 */

/** Counts elements that a comprehension is about to visit, or items of a list that is about to be created. */
function visit<T>({ used }: { used: Used }, list: readonly T[]): readonly T[] {
  used.visited += list.length;
  if (used.visited > BOUNDS.visited)
    throw new Error(`goes through more than ${BOUNDS.visited} elements in all, or makes lists of more`);
  return list;
}

/** Counts the elements that a comprehension is about to visit, each of which takes `unitsOfElement` (hardening.ts). */
export function visitEach<T>(evaluation: { used: Used }, list: readonly T[], unitsOfElement: number): readonly T[] {
  spend(evaluation.used, list.length * unitsOfElement);
  return visit(evaluation, list);
}

/** Counts characters of strings that are about to be created, or read to create others. */
function build({ used }: { used: Used }, characters: number): void {
  used.built += characters;
  if (used.built > BOUNDS.built) throw new Error(`makes more than ${BOUNDS.built} characters of text`);
}

// One character of a string with one of a separator: 0.13 ns were measured.
const UNITS_OF_A_STEP = 0.02;

type Evaluation = { used: Used };
type Handler = (this: unknown, ...values: never[]) => unknown;

/**
 * The functions that create strings and lists, by name and number of arguments. Each counts and then calls the
 * library's own.
 */
export const BUILDING: readonly {
  name: string;
  parameters: number;
  make: (current: () => Evaluation) => (own: Handler) => Handler;
}[] = [
  {
    name: 'join',
    parameters: 0,
    make: counting((evaluation, list: readonly string[]) => countJoined(evaluation, list, '')),
  },
  { name: 'join', parameters: 1, make: counting(countJoined) },
  { name: 'split', parameters: 1, make: counting(countSplit) },
  { name: 'substring', parameters: 1, make: counting(countText) },
  { name: 'substring', parameters: 2, make: counting(countText) },
  { name: 'trim', parameters: 0, make: counting(countText) },
];

/** `+` of two strings or two lists. */
export const joining = (current: () => Evaluation): ((own: Handler) => Handler) =>
  counting((evaluation, left: string | readonly unknown[], right: string | readonly unknown[]) => {
    if (typeof left === 'string' || typeof right === 'string') build(evaluation, left.length + right.length);
    else {
      visit(evaluation, left);
      visit(evaluation, right);
    }
  })(current);

function counting<T extends readonly unknown[]>(count: (evaluation: Evaluation, ...values: T) => void) {
  return (current: () => Evaluation) =>
    (own: Handler): Handler =>
    (...values) => {
      // `as`: the library has checked the types of the values.
      count(current(), ...(values as readonly unknown[] as T));
      return own(...values);
    };
}

function countText(evaluation: Evaluation, text: string): void {
  build(evaluation, text.length);
}

function countJoined(evaluation: Evaluation, list: readonly string[], separator: string): void {
  visit(evaluation, list);
  for (const text of list as readonly unknown[]) {
    // The library then rejects the list. Counting it as a string could take any size: a list may contain the same large
    // value a thousand times.
    if (typeof text !== 'string') return;
    build(evaluation, text.length + separator.length);
  }
}

/** At most one item per character. */
function countSplit(evaluation: Evaluation, text: string, separator: string): void {
  build(evaluation, text.length);
  // V8's search can take as many steps as the product of both lengths.
  spend(evaluation.used, UNITS_OF_A_STEP * text.length * separator.length);
  const items = text.split(separator, BOUNDS.visited + 1);
  visit(evaluation, items);
}
