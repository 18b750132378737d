import { expect, test } from '@jest/globals';
import { flowOf } from '../src/lib/flow-graph.ts';
import { isPlainList } from '../src/lib/step-order.ts';
import { codeBlocksOf } from '../../test/docs/code-blocks.ts';

/** An object with a member `then` must not be mistaken for a promise. */
const json = (text: string): unknown => JSON.parse(text);
const action = (id: string, next?: string | null) => ({ id, type: 'action', ...(next !== undefined && { next }) });
const isPlain = (...steps: object[]): boolean | undefined => isPlainList(JSON.stringify({ steps }));

test('steps that name no other step run in the order of the list', () => {
  expect(isPlain(action('a'), action('b', ''), action('c', null))).toBe(true);
  // An action's config may have any members.
  expect(isPlain({ ...action('a'), config: json('{"then": "c", "cases": []}') }, action('b'))).toBe(true);
  expect(isPlain({ id: 'a', type: 'wait_for_event', config: { onTimeout: 'continue' } }, action('b'))).toBe(true);
});

test('one step that names another changes the order of the list', () => {
  expect(isPlain(action('a', 'c'), action('b'), action('c'))).toBe(false);
  expect(isPlain({ id: 'a', type: 'condition', config: json('{"then": null}') }, action('b'))).toBe(false);
  expect(isPlain({ ...action('a'), config: { onError: [{ errors: ['*'], next: 'b' }] } }, action('b'))).toBe(false);
});

test('a text without steps has no order', () => {
  for (const text of ['', '{', 'null', '[]', '{"steps": {}}', '{"steps": []}', '{"steps": [1, {"type": "end"}]}'])
    expect(isPlainList(text)).toBeUndefined();
});

test('in the examples of docs/reference/workflow-definition.md every step except the first is reached', () => {
  const examples = codeBlocksOf('docs/reference/workflow-definition.md').filter(({ language }) => language === 'json');
  const flows = examples.flatMap(({ text }) => flowOf(text) ?? []).filter(({ steps }) => steps.length > 0);
  expect(flows.length).toBeGreaterThan(2);
  for (const { steps, ways } of flows) {
    const reached = new Set(ways.map(({ to }) => to));
    expect(steps.slice(1).filter(({ key }) => !reached.has(key))).toEqual([]);
  }
});
