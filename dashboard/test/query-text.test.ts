import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { statusesOf } from '../src/lib/answers.ts';
import { BETWEEN, type ListFilter } from '../src/lib/list-filter.ts';
import { completionsOf, readQuery, soughtIn, writeQuery } from '../src/lib/query-text.ts';

const [ORDERS, BILLS, GONE] = ['chn_000000000orders', 'chn_0000000000bills', 'chn_00000000000gone'];
const isChannel = (text: string): boolean => /^chn_\w{1,64}$/.test(text);

/** Filters as lists have them, with these channels. */
const filtersWith = (channels: NonNullable<ListFilter['options']>): readonly ListFilter[] => [
  {
    name: 'status',
    label: 'State',
    options: [
      ['failed', 'Failed'],
      ['pending', 'Waits'],
    ],
    unset: 'Open',
    several: [
      ['open', 'Open'],
      ['failed', 'Failed'],
      ['pending', 'Waits'],
    ],
  },
  { name: 'type', label: 'Event type', accepts: (text) => text.length <= 128 },
  { name: 'channel', label: 'Channel', options: channels, accepts: isChannel, find: 'channel' },
  {
    name: 'answer',
    label: 'Last answer',
    accepts: (text) => statusesOf(text) !== undefined,
    instead: (text) => (text === 'timeout' ? { name: 'error', value: text } : undefined),
    examples: ['5xx', '4xx', '500-503'],
  },
  { name: 'error', label: 'Last error', options: [['timeout', 'no answer in time']] },
  { name: 'actor', label: 'By' },
  {
    name: 'since',
    label: 'In the last',
    options: [
      ['1h', 'hour'],
      [BETWEEN, 'between two times'],
    ],
    accepts: (text) => /^\d+[mhd]$/.test(text),
  },
];
const FILTERS = filtersWith([
  [ORDERS, 'Orders'],
  [BILLS, 'Big "bills"'],
]);
const NONE = { status: '', type: '', channel: '', answer: '', error: '', actor: '', since: '' };

describe('a query is parsed:', () => {
  test.each<[string, string, Record<string, string>]>([
    ['nothing', '  ', {}],
    [
      'values as the address has them',
      'status:failed type:order.* answer:500-503',
      { status: 'failed', type: 'order.*', answer: '500-503' },
    ],
    ['names of values, in any case', 'STATUS:waits since:1h', { status: 'pending', since: '1h' }],
    ['the word for the default', 'status:open', { status: '' }],
    ['a value of another filter', 'answer:timeout', { error: 'timeout' }],
    ['several values, in any order', 'status:pending,failed', { status: 'pending,failed' }],
    ['names of several values, including the default', 'status:"Waits, open"', { status: 'pending,open' }],
    ['a name instead of an id', 'channel:orders', { channel: ORDERS }],
    ['a name with spaces and quotes', String.raw`channel:"big \"Bills\""`, { channel: BILLS }],
    ['an id of a thing that is not loaded', `channel:${GONE}`, { channel: GONE }],
    ['colons, backslashes and quotes within a value', String.raw`actor:a:b\c"d`, { actor: String.raw`a:b\c"d` }],
    [
      'a quoted value that does not need quotes',
      'type:"order.made" status:failed',
      { type: 'order.made', status: 'failed' },
    ],
    ['a filter inside the quotes of another', 'actor:"a status:failed b"', { actor: 'a status:failed b' }],
  ])('%s', (_, text, search) => {
    expect(readQuery(FILTERS, text)).toEqual({ search: { ...NONE, ...search }, problems: [] });
  });

  test.each([
    ['a value without a name', 'failed', [{ kind: 'word', part: 'failed' }]],
    ['a name that no filter has', 'stauts:failed', [{ kind: 'name', part: 'stauts' }]],
    ['a repeated name', 'type:a Type:b', [{ kind: 'twice', part: 'Type' }]],
    [
      'a value of another filter that is already set',
      'error:timeout answer:timeout',
      [{ kind: 'twice', part: 'error' }],
    ],
    ['no value', 'type:', [{ kind: 'value', part: 'type:' }]],
    ['a value that is not a choice', 'status:lost', [{ kind: 'value', part: 'status:lost' }]],
    ['a repeated value', 'status:failed,Failed', [{ kind: 'value', part: 'status:failed,Failed' }]],
    [
      'a value that is not a choice, next to one that is',
      'status:failed,lost',
      [{ kind: 'value', part: 'status:failed,lost' }],
    ],
    ['nothing after a comma', 'status:failed,', [{ kind: 'value', part: 'status:failed,' }]],
    ['several values where only one is allowed', 'since:1h,2h', [{ kind: 'value', part: 'since:1h,2h' }]],
    ['a value that the filter rejects', 'answer:9xx', [{ kind: 'value', part: 'answer:9xx' }]],
    ['the choice that stands for two other filters', 'since:between', [{ kind: 'value', part: 'since:between' }]],
    ['the name of that choice', 'since:"between two times"', [{ kind: 'value', part: 'since:"between two times"' }]],
    ['quotes that are not closed', 'status:failed type:"a b:c', [{ kind: 'quote', part: 'type:"a b:c' }]],
    ['quotes that end before the value', 'type:"a"b', [{ kind: 'quote', part: 'type:"a"b' }]],
    [
      'several problems at once',
      'x status:lost y:z',
      [
        { kind: 'word', part: 'x' },
        { kind: 'value', part: 'status:lost' },
        { kind: 'name', part: 'y' },
      ],
    ],
  ])('a query is rejected for %s', (_, text, problems) => {
    expect(readQuery(FILTERS, text).problems.map(({ kind, part }) => ({ kind, part }))).toEqual(problems);
  });

  test('a name that two things have means neither, and an id is never taken for a name', () => {
    const twins = filtersWith([
      [ORDERS, 'orders'],
      [BILLS, 'Orders'],
    ]);
    expect(readQuery(twins, 'channel:orders').problems).toEqual([
      { kind: 'value', part: 'channel:orders', filter: twins[2], text: 'orders' },
    ]);
    expect(writeQuery(twins, { channel: BILLS })).toBe(`channel:${BILLS}`);
    // Such a name matched the other channel.
    const mimics = filtersWith([
      [ORDERS, BILLS],
      [BILLS, GONE],
    ]);
    expect(writeQuery(mimics, { channel: ORDERS })).toBe(`channel:${ORDERS}`);
    expect(readQuery(mimics, `channel:${GONE}`).search['channel']).toBe(GONE);
  });
});

describe('a query is written:', () => {
  test.each([
    ['in the order of the filters', { answer: '5xx', status: 'failed' }, 'status:failed answer:5xx'],
    ['with names instead of ids', { channel: BILLS }, String.raw`channel:"Big \"bills\""`],
    ['with the id if the name is not known', { channel: GONE }, `channel:${GONE}`],
    ['without parameters that are not filters', { open: 'dlv_1', tab: 'old' }, ''],
    ['without empty filters', { type: '', status: 'failed' }, 'status:failed'],
  ])('%s', (_, search, text) => {
    expect(writeQuery(FILTERS, search)).toBe(text);
  });

  const name = fc.oneof(
    fc.string({
      unit: fc.constantFrom('a', 'A', 'b', ' ', '"', '\\', ':', '*', '-', '\t', '\u00a0', 'ß'),
      maxLength: 8,
    }),
    fc.string({ unit: 'binary', maxLength: 8 }),
    // Names that look like ids, values and words of filters.
    fc.constantFrom(ORDERS, BILLS, GONE, 'failed', 'Open', '1h', 'status:failed', '__proto__'),
  );

  test('is parsed back to the same filters, whatever things are called', () => {
    fc.assert(
      fc.property(
        fc.tuple(name, name),
        fc.record(
          {
            status: fc.constantFrom('failed', 'pending', 'pending,failed', 'open,pending'),
            type: name.filter((text) => text !== ''),
            channel: fc.constantFrom(ORDERS, BILLS, GONE),
            answer: fc.constantFrom('503', '5xx', '500-503', '503-500'),
            actor: name.filter((text) => text !== ''),
            since: fc.constantFrom('1h', '7d'),
          },
          { requiredKeys: [] },
        ),
        ([one, other], search) => {
          const filters = filtersWith([
            [ORDERS, one],
            [BILLS, other],
          ]);
          const text = writeQuery(filters, search);
          expect(readQuery(filters, text)).toEqual({ search: { ...NONE, ...search }, problems: [] });
          // The field trims spaces at both ends.
          expect(readQuery(filters, ` ${text.trim()} `).search).toEqual({ ...NONE, ...search });
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('never fails to parse: any text yields values or problems', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(name, fc.constantFrom('channel:', 'type:"', 'actor:', ' ', '" '))), (pieces) => {
        const { search, problems } = readQuery(FILTERS, pieces.join(''));
        if (problems.length > 0) return;
        const given = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ''));
        expect(readQuery(FILTERS, writeQuery(FILTERS, given)).search).toEqual(search);
      }),
      { numRuns: 1_000 },
    );
  });

  test('can be typed letter by letter, with completions for the rest', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '"', '\\', ':'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(plain, (called) => {
        const filters = filtersWith([[ORDERS, called]]);
        const text = writeQuery(filters, { channel: ORDERS });
        const end = text.endsWith('"') ? text.length - 1 : text.length;
        for (let length = 'channel:'.length; length <= end; length += 1) {
          const before = `status:failed ${text.slice(0, length)}`;
          const offered = completionsOf(filters, before);
          expect(offered).toContainEqual({ start: 14, insert: text, hint: called, isWhole: true });
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('completions offer', () => {
  const inserted = (text: string): string[] => completionsOf(FILTERS, text).map(({ insert }) => insert);
  test.each<[string, string, string[]]>([
    ['nothing: every filter', '', ['status:', 'type:', 'channel:', 'answer:', 'error:', 'actor:', 'since:']],
    ['the name of a filter', 'sta', ['status:']],
    ['its label', 'last', ['answer:', 'error:']],
    ['a filter that is not set yet', 'status:failed s', ['since:']],
    ['the same in another case', 'Status:failed s', ['since:']],
    ['a filter whose name is only inside the quotes of another', 'actor:"a status:failed" sta', ['status:']],
    ['all values', 'status:', ['status:failed', 'status:pending']],
    ['a value', 'status:fa', ['status:failed']],
    ['another value after a comma', 'status:failed,', ['status:failed,open', 'status:failed,pending']],
    ['the remaining values, by name', 'status:open,failed,wai', ['status:open,failed,pending']],
    ['nothing after an unknown value and a comma', 'status:lost,', []],
    ['nothing after a comma if only one value is allowed', 'since:1h,', []],
    ['the name of a value', 'STATUS:wai', ['status:pending']],
    ['examples of values', 'answer:5', ['answer:5xx', 'answer:500-503']],
    ['a name in quotes', 'channel:"or', ['channel:Orders']],
    ['a name that contains quotes', String.raw`channel:"big \"b`, [String.raw`channel:"Big \"bills\""`]],
    ['a part of the name of a thing', 'channel:bil', [String.raw`channel:"Big \"bills\""`]],
    ['nothing for the middle of a word', 'status:ail', []],
    ['not the choice that stands for two other filters', 'since:', ['since:1h']],
    ['nothing after an unknown name', 'stauts:f', []],
    ['nothing after closed quotes', 'channel:"orders"', []],
    ['nothing for a name that every object inherits', 'constructor:', []],
  ])('%s', (_, text, all) => {
    expect(inserted(text)).toEqual(all);
  });

  test('texts that replace the part being typed last, each with a hint', () => {
    expect(completionsOf(FILTERS, 'status:failed channel:big')).toEqual([
      { start: 14, insert: String.raw`channel:"Big \"bills\""`, hint: 'Big "bills"', isWhole: true },
    ]);
    expect(completionsOf(FILTERS, 'stat')).toEqual([{ start: 0, insert: 'status:', hint: 'State', isWhole: false }]);
  });

  test('things found by search after those already known, with their ids if a name is ambiguous', () => {
    const found: [string, string][] = [
      [GONE, 'orders'],
      ['chn_0000000000later', 'Old "orders"'],
    ];
    expect(completionsOf(FILTERS, 'channel:orde', found).map(({ insert }) => insert)).toEqual([
      `channel:${ORDERS}`,
      `channel:${GONE}`,
      String.raw`channel:"Old \"orders\""`,
    ]);
    // Found for the previous text.
    expect(completionsOf(FILTERS, 'channel:big', found).map(({ hint }) => hint)).toEqual(['Big "bills"']);
  });
});

test.each([
  ['SO-25832', 'SO-25832'],
  ['Elin status:failed Bergström', 'Elin Bergström'],
  ['status:failed', ''],
  ['order stauts:failed', ''],
  ['', ''],
])('words of %j that may be a value of a payload: %j', (text, sought) => {
  expect(soughtIn(readQuery(FILTERS, text).problems)).toBe(sought);
});
