import { BETWEEN, type ListFilter, type NamePair, type Search } from './list-filter.ts';

/**
 * The fault of a part of a query: no name, a name that no filter has, a name for the second time, quotes that do not close, or an
 * impossible value, `text`, of a filter.
 */
type QueryProblem =
  | { kind: 'word' | 'name' | 'twice' | 'quote'; part: string }
  | { kind: 'value'; part: string; filter: ListFilter; text: string };

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

/** The values between commas, or those with these names. Undefined where one may not stand beside others, or is there twice. */
function wordsOf({ several = [] }: ListFilter, text: string): readonly string[] | undefined {
  const words = text.split(',').map((word) => word.trim().toLowerCase());
  const values = words.flatMap((word) => {
    const pair = several.find((each) => each.some((meant) => meant.toLowerCase() === word));
    return pair === undefined ? [] : [pair[0]];
  });
  return new Set(values).size === words.length ? values : undefined;
}

/** The value that the address has for a text of a query; undefined where the filter can have none such. Empty: as without the filter. */
function valueOf(filter: ListFilter, text: string): string | undefined {
  if (text === '') return undefined;
  const choices = choicesOf(filter);
  // A value first: something else may be called like it.
  if (choices.some(([value]) => value === text) || filter.accepts?.(text) === true) return text;
  const several = text.includes(',') ? wordsOf(filter, text) : undefined;
  if (several !== undefined) return several.join(',');
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

/** The words of a query without the name of a filter, where nothing else is wrong with it: they may be a value of a payload. */
export const soughtIn = (problems: readonly QueryProblem[]): string =>
  problems.every(({ kind }) => kind === 'word') ? problems.map(({ part }) => part).join(' ') : '';

/** The part of a query that is being written at its end: where it begins. A blank in quotes ends none. */
const startOfLast = (text: string): number =>
  text.length - (/(?:[^\s:"]+:"(?:[^"\\]|\\.)*\\?|\S*)$/s.exec(text)?.[0].length ?? 0);

/** The filter whose value is being written at the end of a query, and the text of it so far. */
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
 * Names of filters, or values of the one that is being written, which go on with the end of the text. `found`: things that the service
 * knows beside the options. They stand behind those, so that none moves when they come.
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
    // A value beside which no other may stand has none behind it.
    const known = wordsOf(filter, others.toReversed().join(','));
    return (filter.several ?? [])
      .filter((each) => known?.includes(each[0]) === false && begins(each))
      .map(([value, hint]) => {
        const insert = `${filter.name}:${[...(known ?? []), value].join(',')}`;
        return { start, insert, hint, isWhole: true };
      });
  }
  // As the service does: things are found by any part of their names.
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
