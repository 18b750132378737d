import { BETWEEN, type ListFilter, type NamePair, type Search } from './list-filter.ts';

/**
 * A problem with one part of a query: a missing, unknown or repeated filter name, quotes that are not closed, or a
 * value, `text`, that the filter does not accept.
 */
type QueryProblem =
  | { kind: 'word' | 'name' | 'twice' | 'quote'; part: string }
  | { kind: 'value'; part: string; filter: ListFilter; text: string };

/** A completion that replaces the query from `start` on. `isWhole`: a filter together with its value. */
export type Completion = { start: number; insert: string; hint: string; isWhole: boolean };

// A name with its value in quotes (closed or not) or without quotes; otherwise a word without a name.
const PART = /([^\s:"]+):(?:"((?:[^"\\]|\\.)*)"(?=\s|$)|("(?:[^"\\]|\\.)*\\?$|"\S*)|(\S*))|(\S+)/gs;
const CLOSED = /^"(?:[^"\\]|\\.)*"$/s;
const ID = /^[a-z]{2,5}_\w{10,}$/;

const quoted = (value: string): string =>
  /[\s"]/.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : value;

/** Returns the text between quotes. A trailing backslash, whose character is still to come, is left out. */
const unquoted = (text: string): string => text.replaceAll(/\\(.?)/gs, '$1');

const choicesOf = ({ options = [] }: ListFilter): NonNullable<ListFilter['options']> =>
  options.filter(([value]) => value !== BETWEEN);

const isNamed = (filter: ListFilter, text: string): boolean =>
  choicesOf(filter).filter(([, other]) => other.toLowerCase() === text.toLowerCase()).length === 1;

/**
 * Returns the values between commas, or those with these names. Returns undefined if a value cannot be combined with
 * others or occurs twice.
 */
function wordsOf({ several = [] }: ListFilter, text: string): readonly string[] | undefined {
  const words = text.split(',').map((word) => word.trim().toLowerCase());
  const values = words.flatMap((word) => {
    const pair = several.find((each) => each.some((meant) => meant.toLowerCase() === word));
    return pair === undefined ? [] : [pair[0]];
  });
  return new Set(values).size === words.length ? values : undefined;
}

/**
 * Returns the address value for a text of a query, or undefined if the filter does not accept it. Empty means no
 * filter.
 */
function valueOf(filter: ListFilter, text: string): string | undefined {
  if (text === '') return undefined;
  const choices = choicesOf(filter);
  // Values take precedence, because something else may have the same name.
  if (choices.some(([value]) => value === text) || filter.accepts?.(text) === true) return text;
  const several = text.includes(',') ? wordsOf(filter, text) : undefined;
  if (several !== undefined) return several.join(',');
  if (isNamed(filter, text)) return choices.find(([, name]) => name.toLowerCase() === text.toLowerCase())?.[0];
  if (filter.unset?.toLowerCase() === text.toLowerCase()) return '';
  return filter.accepts === undefined && filter.options === undefined ? text : undefined;
}

/** Returns a value as a query shows it: the name of a thing instead of its id, unless that name is ambiguous. */
function textOf(filter: ListFilter, value: string): string {
  const name = ID.test(value) ? choicesOf(filter).find(([each]) => each === value)?.[1] : undefined;
  return quoted(name !== undefined && valueOf(filter, name) === value ? name : value);
}

/** Returns the filters of the address as one text: `status:failed type:order.* answer:5xx`. */
export const writeQuery = (filters: readonly ListFilter[], search: Search): string =>
  filters
    .flatMap((filter) => {
      const value = search[filter.name];
      return value === undefined || value === '' ? [] : [`${filter.name}:${textOf(filter, value)}`];
    })
    .join(' ');

/** Returns the filters that a query means, including those without a value, and all its problems. */
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
      const written = inQuotes === undefined ? (plain ?? '') : unquoted(inQuotes);
      const value = valueOf(filter, written);
      const other = value === undefined ? filter.instead?.(written) : undefined;
      if (other !== undefined && found.has(other.name)) problems.push({ kind: 'twice', part: other.name });
      else if (other !== undefined) found.set(other.name, other.value);
      else if (value === undefined) problems.push({ kind: 'value', part, filter, text: written });
      else found.set(filter.name, value);
    }
  }
  return { search: Object.fromEntries(filters.map(({ name }) => [name, found.get(name) ?? ''])), problems };
}

/**
 * Returns the words of a query that have no filter name, if nothing else is wrong with it: they may be a payload value.
 */
export const soughtIn = (problems: readonly QueryProblem[]): string =>
  problems.every(({ kind }) => kind === 'word') ? problems.map(({ part }) => part).join(' ') : '';

/** Returns where the part being typed at the end of a query starts. A space inside quotes does not end a part. */
const startOfLast = (text: string): number =>
  text.length - (/(?:[^\s:"]+:"(?:[^"\\]|\\.)*\\?|\S*)$/s.exec(text)?.[0].length ?? 0);

/** Returns the filter whose value is being typed at the end of a query, and that value so far. */
export function valueBeingWritten(
  filters: readonly ListFilter[],
  text: string,
): { filter: ListFilter; wanted: string } | undefined {
  const [name, written] = text.slice(startOfLast(text)).split(/:(.*)/s);
  const filter = filters.find((each) => each.name === name?.toLowerCase());
  if (filter === undefined || written === undefined || CLOSED.test(written)) return undefined;
  return { filter, wanted: written.startsWith('"') ? unquoted(written.slice(1)) : written };
}

/**
 * Returns the filter names, or values of the filter being typed, that complete the end of the text. `found`: things
 * that the service knows in addition to the options. They come after the options, so that nothing moves when they
 * arrive.
 */
export function completionsOf(
  filters: readonly ListFilter[],
  text: string,
  found: readonly NamePair[] = [],
): readonly Completion[] {
  const start = startOfLast(text);
  const last = text.slice(start).toLowerCase();
  if (!last.includes(':')) {
    const before = [...text.slice(0, start).matchAll(PART)].map(([, named]) => named?.toLowerCase());
    return filters
      .filter(({ name, label }) => name.startsWith(last) || label.toLowerCase().startsWith(last))
      .filter(({ name }) => !before.includes(name))
      .map(({ name, label }) => ({ start, insert: `${name}:`, hint: label, isWhole: false }));
  }
  const being = valueBeingWritten(filters, text);
  if (being === undefined) return [];
  const { filter } = being;
  const [lastWord = '', ...others] =
    filter.several === undefined ? [being.wanted] : being.wanted.split(',').toReversed();
  const wanted = lastWord.trim().toLowerCase();
  const begins = ([value, shown]: NamePair): boolean =>
    value.toLowerCase().startsWith(wanted) || shown.toLowerCase().startsWith(wanted);
  if (others.length > 0) {
    // A value that cannot be combined with others does not follow another one.
    const known = wordsOf(filter, others.toReversed().join(','));
    return (filter.several ?? [])
      .filter((each) => known?.includes(each[0]) === false && begins(each))
      .map(([value, hint]) => {
        const insert = `${filter.name}:${[...(known ?? []), value].join(',')}`;
        return { start, insert, hint, isWhole: true };
      });
  }
  // As the service searches: any part of the name matches.
  const has = ([, shown]: NamePair): boolean => filter.find !== undefined && shown.toLowerCase().includes(wanted);
  const choices = choicesOf(filter);
  const all = { ...filter, ...(found.length > 0 && { options: [...choices, ...found] }) };
  return [
    ...choices.filter(begins),
    ...choices.filter((each) => !begins(each) && has(each)),
    ...found.filter((each) => begins(each) || has(each)),
    ...(filter.examples ?? []).map((value): NamePair => [value, filter.label]).filter(begins),
  ].map(([value, shown]) => ({
    start,
    insert: `${filter.name}:${textOf(all, value)}`,
    hint: shown,
    isWhole: true,
  }));
}
