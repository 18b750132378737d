import { describe, expect, test } from '@jest/globals';
import { createFilterCompiler, type Filter, KEPT, readMessage, type FilterVerdict } from '../../src/filters/filter.ts';
import { BOUNDS, LONGEST } from '../../src/filters/expressions/bounds.ts';
import { UNITS, UNITS_OF_A_CHANNEL, UNITS_OF_A_FILTER } from '../../src/filters/expressions/units.ts';
import { codeBlocksOf, readPage } from './code-blocks.ts';

const PAGE = 'docs/filters.md';
const page = readPage(PAGE);

const compile = createFilterCompiler(KEPT);

function filterOf(text: string): Filter {
  const compiled = compile(text);
  if ('problem' in compiled) throw new Error(compiled.problem);
  return compiled;
}

function verdictOn(filter: string): FilterVerdict {
  const [message] = codeBlocksOf(PAGE).filter(({ language }) => language === 'json');
  const text = message?.text ?? '';
  const { eventType, metadata } = JSON.parse(text) as { eventType: string; metadata: Record<string, string> };
  // As it stands: the reference would lose its digits in JSON.parse.
  const payload = text.slice(text.indexOf('{', 1), text.lastIndexOf('},') + 1);
  return filterOf(filter).verdictOn(readMessage({ eventType, payload, metadata }));
}

/** Two cells of each row of the page that the pattern finds. */
const rowsOf = (row: RegExp): [string, string][] =>
  [...page.matchAll(row)].map(([, first = '', second = '']): [string, string] => [
    first.replaceAll('\\|', '|'),
    second,
  ]);
const numberOf = (text: string): number => Number(text.replaceAll(',', ''));

describe('the examples', () => {
  const examples = rowsOf(/^\| `(.+)` \| (yes|no) \|$/gm);

  test('are there', () => {
    expect(examples.length).toBeGreaterThan(15);
  });

  test.each(examples)('%s matches: %s', (filter, answer) => {
    expect(verdictOn(filter)).toEqual({ matches: answer === 'yes' });
  });

  const priced = rowsOf(/^\| `(.+)` \| ([\d,]+) \|$/gm);

  test('with units are there', () => {
    expect(priced.length).toBeGreaterThan(10);
  });

  test.each(priced)('%s has %s units', (filter, units) => {
    expect(filterOf(filter).units).toBe(numberOf(units));
  });

  test('are right for a refused expression and for its shorter form', () => {
    const [, refused = '', taken = ''] =
      /`([^`]+)` is refused, `([^`]+)` is not\./.exec(page.slice(page.indexOf('## Units'))) ?? [];
    expect(compile(refused)).toEqual({ problem: expect.stringMatching(/^takes up to \d+ units/) });
    expect(filterOf(taken).units).toBeLessThan(UNITS_OF_A_FILTER);
  });
});

describe('the tables say what the code counts:', () => {
  const cells = new Map(rowsOf(/^\| (.+) \| ([\d.,]+)(?:, about .*)? \|$/gm));
  const cell = (name: string): number => numberOf(cells.get(name) ?? 'missing');

  test.each<[keyof typeof UNITS, string]>([
    ['filter', 'a filter, whatever it does'],
    ['character', 'each character of it'],
    ['operation', 'an operator or a call'],
    ['member', 'a member, with `.` or `[ ]`'],
    ['name', 'a variable'],
    ['element', 'an element that a comprehension goes through'],
    ['timestamp', '`timestamp`, but of a constant'],
    ['duration', '`duration`, but of a constant'],
    ['conversion', 'a number or a truth from a text, a text from a number'],
    ['item', 'an item that `in` looks at'],
    ['compared', 'a value inside a list or a map that is compared with another one'],
    ['failure', 'a failure that can be passed over, and the one that ends a filter'],
    ['failureCharacter', 'the same, for each character of the filter'],
    ['patternEntry', 'an entry in the table of states of a pattern'],
    ['comparedCharacter', 'a character that is compared'],
    ['itemCharacter', 'a character of the items that `in` looks at'],
    ['keyCharacter', 'a character of a key'],
    ['countedCharacter', 'a character that `size` counts'],
    ['searchedCharacter', 'a character that `contains` looks through'],
    ['needleCharacter', 'a character that `contains` looks for'],
    ['readCharacter', 'a character that `matches`, `lowerAscii` or `upperAscii` reads'],
  ])('%s', (name, row) => {
    expect(cell(row)).toBe(UNITS[name]);
  });

  test('no price is missing on the page', () => {
    const prices = /\| For \| Units \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page)?.[1] ?? '';
    expect(prices.trim().split('\n')).toHaveLength(Object.keys(UNITS).length);
  });

  test.each<[keyof typeof BOUNDS, string]>([
    ['elements', 'Elements that `all`, `exists`, `exists_one` and `filter` go through'],
    ['items', 'Items that `in` looks through'],
    ['compared', 'Values inside lists and maps that are compared with each other, in one evaluation'],
    ['failures', 'Failures that are passed over, in one evaluation'],
    ['read', 'Characters of one text that `matches`, `lowerAscii` and `upperAscii` read'],
    ['readInAll', 'Characters that these three read in one evaluation'],
    ['searched', 'Characters that `contains` and `size` look through in one evaluation'],
    ['needle', 'Characters of a text that `contains` and `in` look for'],
    ['converted', 'Characters of a text that becomes a number or a truth'],
    ['duration', 'Characters of a duration'],
  ])('%s', (name, row) => {
    expect(cell(row)).toBe(BOUNDS[name]);
  });

  test('are right for a filter, for a channel and for texts', () => {
    expect([cell('One filter'), cell('All different filters of a channel together')]).toEqual([
      UNITS_OF_A_FILTER,
      UNITS_OF_A_CHANNEL,
    ]);
    const [, payload = '', metadata = '', eventType = ''] =
      /([\d,]+) characters of the payload, ([\d,]+) of metadata, (\d+) of the event type/.exec(page) ?? [];
    expect([payload, metadata, eventType].map(numberOf)).toEqual(Object.values(LONGEST));
  });
});
