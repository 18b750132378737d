import { BETWEEN, type ListFilter, type Search } from './list-filter.ts';

/**
 * The fault of a part of a query: no name, a name that no filter has, a name for the second time, quotes that do not close, or an impossible
 * value.
 */
type QueryProblem = { kind: 'word' | 'name' | 'twice' | 'quote' | 'value'; part: string };

/** A text that may end what is written, in place of the text from `start` on. `isWhole`: a filter with its value. */
export type Completion = { start: number; insert: string; hint: string; isWhole: boolean };

// A name with its value in quotes, in quotes that do not close, or without any; else a word without a name.
const PART = /([^\s:"]+):(?:"((?:[^"\\]|\\.)*)"(?=\s|$)|("(?:[^"\\]|\\.)*\\?$|"\S*)|(\S*))|(\S+)/gs;
const CLOSED = /^"(?:[^"\\]|\\.)*"$/s;
const ID = /^[a-z]{2,5}_\w{10,}$/;

const quoted = (value: string): string =>
  /[\s"]/.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : value;

/** The text between quotes. A backslash at the end, whose letter is still to come, is none. */
const unquoted = (text: string): string => text.replaceAll(/\\(.?)/gs, '$1');

const choicesOf = ({ options = [] }: ListFilter): NonNullable<ListFilter['options']> =>
  options.filter(([value]) => value !== BETWEEN);

const isNamed = (filter: ListFilter, text: string): boolean =>
  choicesOf(filter).filter(([, other]) => other.toLowerCase() === text.toLowerCase()).length === 1;

/** The value that the address has for a text of a query; undefined where the filter can have none such. Empty: as without the filter. */
function valueOf(filter: ListFilter, text: string): string | undefined {
  if (text === '') return undefined;
  const choices = choicesOf(filter);
  // A value first: something else may be called like it.
  if (choices.some(([value]) => value === text) || filter.accepts?.(text) === true) return text;
  if (isNamed(filter, text)) return choices.find(([, name]) => name.toLowerCase() === text.toLowerCase())?.[0];
  if (filter.unset?.toLowerCase() === text.toLowerCase()) return '';
  return filter.accepts === undefined && filter.options === undefined ? text : undefined;
}

/** A value as a query has it: the name of a thing in place of its id, where nothing else is meant by that name. */
function textOf(filter: ListFilter, value: string): string {
  const name = ID.test(value) ? choicesOf(filter).find(([each]) => each === value)?.[1] : undefined;
  return quoted(name !== undefined && valueOf(filter, name) === value ? name : value);
}

/** The filters of the address as one text: `status:failed type:order.* answer:5xx`. */
export const writeQuery = (filters: readonly ListFilter[], search: Search): string =>
  filters
    .flatMap((filter) => {
      const value = search[filter.name];
      return value === undefined || value === '' ? [] : [`${filter.name}:${textOf(filter, value)}`];
    })
    .join(' ');

/** The filters of the address that a query means, those without a value included, and all its faults. */
export function readQuery(
  filters: readonly ListFilter[],
  text: string,
): { search: Search; problems: readonly QueryProblem[] } {
  const found = new Map<string, string>();
  const problems: QueryProblem[] = [];
  for (const [part, name, inQuotes, open, plain, word] of text.matchAll(PART)) {
    const filter = filters.find((each) => each.name === name?.toLowerCase());
    if (word !== undefined || name === undefined) problems.push({ kind: 'word', part });
    else if (filter === undefined) problems.push({ kind: 'name', part: name });
    else if (found.has(filter.name)) problems.push({ kind: 'twice', part: name });
    else if (open !== undefined) problems.push({ kind: 'quote', part });
    else {
      const value = valueOf(filter, inQuotes === undefined ? (plain ?? '') : unquoted(inQuotes));
      if (value === undefined) problems.push({ kind: 'value', part });
      else found.set(filter.name, value);
    }
  }
  return { search: Object.fromEntries(filters.map(({ name }) => [name, found.get(name) ?? ''])), problems };
}

/** The part of a query that is being written at its end: where it begins. A blank in quotes ends none. */
const startOfLast = (text: string): number =>
  text.length - (/(?:[^\s:"]+:"(?:[^"\\]|\\.)*\\?|\S*)$/s.exec(text)?.[0].length ?? 0);

/** Names of filters, or values of the one that is being written, which go on with the end of the text. */
export function completionsOf(filters: readonly ListFilter[], text: string): readonly Completion[] {
  const start = startOfLast(text);
  const [name = '', written] = text.slice(start).split(/:(.*)/s);
  if (written === undefined) {
    const before = [...text.slice(0, start).matchAll(PART)].map(([, named]) => named?.toLowerCase());
    return filters
      .filter(
        (each) => each.name.startsWith(name.toLowerCase()) || each.label.toLowerCase().startsWith(name.toLowerCase()),
      )
      .filter((each) => !before.includes(each.name))
      .map((each) => ({ start, insert: `${each.name}:`, hint: each.label, isWhole: false }));
  }
  const filter = filters.find((each) => each.name === name.toLowerCase());
  if (filter === undefined || CLOSED.test(written)) return [];
  const wanted = (written.startsWith('"') ? unquoted(written.slice(1)) : written).toLowerCase();
  const examples = (filter.examples ?? []).map((value) => [value, filter.label] as const);
  return [...choicesOf(filter), ...examples]
    .filter(([value, shown]) => value.toLowerCase().startsWith(wanted) || shown.toLowerCase().startsWith(wanted))
    .map(([value, shown]) => ({
      start,
      insert: `${filter.name}:${textOf(filter, value)}`,
      hint: shown,
      isWhole: true,
    }));
}
