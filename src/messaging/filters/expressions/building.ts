import { BOUNDS } from './units.ts';
import { spend, type Used } from './values.ts';

/*
 * Counts of what an expression makes: a step's may make texts and lists, whose sizes nothing tells before they are made. Each function
 * throws an Error beyond its bound, and nothing is made then.
 */

/** Elements that a comprehension is about to go through, or items of a list that is about to be made. */
function visit<T>({ used }: { used: Used }, list: readonly T[]): readonly T[] {
  used.visited += list.length;
  if (used.visited > BOUNDS.visited)
    throw new Error(`goes through more than ${BOUNDS.visited} elements in all, or makes lists of more`);
  return list;
}

/** The elements that a comprehension is about to go through, of which each takes so many units (hardening.ts). */
export function visitEach<T>(evaluation: { used: Used }, list: readonly T[], unitsOfElement: number): readonly T[] {
  spend(evaluation.used, list.length * unitsOfElement);
  return visit(evaluation, list);
}

/** Characters of texts that are about to be made, or read to make others. */
function build({ used }: { used: Used }, characters: number): void {
  used.built += characters;
  if (used.built > BOUNDS.built) throw new Error(`makes more than ${BOUNDS.built} characters of text`);
}

// One character of a text with one of a separator: 0.13 ns were measured.
const UNITS_OF_A_STEP = 0.02;

type Evaluation = { used: Used };
type Handler = (this: unknown, ...values: never[]) => unknown;

/** The functions that make texts and lists, by name and number of arguments: each counts, and then does as the library's. */
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

/** `+` of two texts, or of two lists. */
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
      // `as`: the library has looked at the types of the values.
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
    // The library refuses the list then. As a text it could be of any size: a list may name the same large one a thousand times.
    if (typeof text !== 'string') return;
    build(evaluation, text.length + separator.length);
  }
}

/** At most one item for each character. */
function countSplit(evaluation: Evaluation, text: string, separator: string): void {
  build(evaluation, text.length);
  // The engine's own search can take as many steps as both lengths multiplied.
  spend(evaluation.used, UNITS_OF_A_STEP * text.length * separator.length);
  const items = text.split(separator, BOUNDS.visited + 1);
  visit(evaluation, items);
}
