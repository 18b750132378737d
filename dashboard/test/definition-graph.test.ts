import { expect, test } from '@jest/globals';
import { definitionGraph, innerStepsOf } from '../src/lib/definition-graph.ts';
import { codeBlocksOf } from '../../test/docs/code-blocks.ts';

const waysIn = (steps: readonly object[]): string[] | undefined =>
  definitionGraph(JSON.stringify({ steps }))?.ways.map(
    ({ from, to, label, isInner }) => `${from} ${isInner ? '=' : '-'}${label}> ${to}`,
  );
/** An object with a member `then` must not be mistaken for a promise. */
const json = (text: string): unknown => JSON.parse(text);
const action = (id: string, next?: string | null) => ({ id, type: 'action', ...(next !== undefined && { next }) });

test('steps that name no other follow each other as they stand', () => {
  expect(waysIn([action('a'), action('b', ''), action('c', null)])).toEqual(['a -> b', 'b -> c']);
  // An action's config may have any members.
  expect(waysIn([{ ...action('a'), config: json('{"then": "c", "cases": []}') }, action('b')])).toEqual(['a -> b']);
});

test('as soon as one names another, a step that does not ends its chain', () => {
  expect(waysIn([action('a', 'c'), action('b'), action('c')])).toEqual(['a -> c']);
  expect(waysIn([{ id: 'a', type: 'condition', config: json('{"then": null}') }, action('b')])).toEqual([]);
  expect(waysIn([{ id: 'a', type: 'wait_for_event', config: { onTimeout: 'continue' } }, action('b')])).toEqual([
    'a -> b',
  ]);
});

test.each<[string, object, string[]]>([
  [
    'both ways of a condition',
    { type: 'condition', config: json('{"then": "x", "else": "y"}') },
    ['a -then> x', 'a -else> y'],
  ],
  [
    'a way that is left out',
    { type: 'condition', config: json('{"then": "x"}'), next: 'y' },
    ['a -then> x', 'a -else> y'],
  ],
  ['a way that is null', { type: 'condition', config: json('{"then": "x", "else": null}'), next: 'y' }, ['a -then> x']],
  [
    'cases',
    { type: 'switch', config: { cases: [{ when: 'n > 1', next: 'x' }, { when: 'n > 0' }], default: 'x' }, next: 'y' },
    ['a -n > 1> x', 'a -n > 0> y', 'a -default> x'],
  ],
  [
    'failures',
    { type: 'action', config: { onError: [{ errors: ['HTTP_4XX', 'TIMEOUT'], next: 'y' }] }, next: 'x' },
    ['a -> x', 'a -HTTP_4XX, TIMEOUT> y'],
  ],
  ['a wait', { type: 'wait_for_event', config: { onTimeout: { next: 'y' } }, next: 'x' }, ['a -> x', 'a -timeout> y']],
  [
    'a decision',
    { type: 'approval', config: { rejected: 'y', onTimeout: 'reject' }, next: 'x' },
    ['a -approved> x', 'a -rejected> y'],
  ],
  ['a loop', { type: 'foreach', config: { body: 'y' }, next: 'x' }, ['a =body> y', 'a -> x']],
  ['branches', { type: 'parallel', config: { branches: ['x', 'y'] } }, ['a => x', 'a => y']],
  ['a step that is not there', { type: 'action', next: 'z' }, []],
])('%s', (_, step, ways) => {
  expect(waysIn([{ id: 'a', ...step }, action('x'), action('y')])).toEqual(ways);
});

test('steps of loops and branches are inner ones, with all behind them', () => {
  const steps = [
    { id: 'a', type: 'foreach', config: { body: 'x' }, next: 'b' },
    action('x'),
    { id: 'b', type: 'parallel', config: { branches: ['y', 'z'] } },
    { ...action('y'), next: 'w' },
    { ...action('w'), next: 'z' },
    action('z'),
  ];
  const graph = definitionGraph(JSON.stringify({ steps }));
  expect([...(graph === undefined ? [] : innerStepsOf(graph))].toSorted()).toEqual(['w', 'x', 'y', 'z']);
});

test('a text that has no steps yet has no graph, and a step without an id is left out', () => {
  for (const text of ['', '{', 'null', '[]', '{"steps": {}}', '{"steps": []}', '{"steps": [1, {"type": "end"}]}'])
    expect(definitionGraph(text)).toBeUndefined();
  expect(definitionGraph('{"steps": [{"id": "a"}, {"type": "end"}]}')).toEqual({
    steps: [{ id: 'a', type: '' }],
    ways: [],
  });
});

test('in the examples of docs/workflows.md every step but the first is reached', () => {
  const examples = codeBlocksOf('docs/workflows.md').filter(({ language }) => language === 'json');
  const graphs = examples.flatMap(({ text }) => definitionGraph(text) ?? []);
  expect(graphs.length).toBeGreaterThan(2);
  for (const { steps, ways } of graphs) {
    const reached = new Set(ways.map(({ to }) => to));
    expect(steps.slice(1).filter(({ id }) => !reached.has(id))).toEqual([]);
  }
});
