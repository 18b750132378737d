import { expect, test } from '@jest/globals';
import { keepingOrder, slotWay, withCopy, withoutStep, withStepOn, withTarget } from '../src/lib/flow-edit.ts';
import { type FlowGraph, flowOf, type FlowWay } from '../src/lib/flow-graph.ts';
import { withValue } from '../src/lib/json-edit.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { problemsOf } from '../../src/automations/definitions/problems/problems.ts';

/** An object with a member `then` must not be mistaken for a promise. */
const json = (text: string): unknown => JSON.parse(text);
const textOf = (steps: readonly unknown[]): string =>
  JSON.stringify({ name: 'x', trigger: { type: 'manual' }, steps }, undefined, 2);
const read = (text: string): FlowGraph => {
  const flow = flowOf(text);
  if (flow === undefined) throw new Error('no flow');
  return flow;
};
const drawn = (text: string): string[] =>
  read(text).ways.map(({ from, to, end, labels }) => `${from} ${labels.join(', ')}> ${to ?? end?.text ?? ''}`);
const wayOf = (text: string, from: string, label = ''): FlowWay => {
  const way = read(text).ways.find((each) => each.from === from && (label === '' || each.labels.includes(label)));
  if (way === undefined) throw new Error(`no way ${from} ${label}`);
  return way;
};
const log = (id: string, next?: string) => ({
  id,
  type: 'action',
  config: { action: 'log', text: id },
  ...(next !== undefined && { next }),
});
const insert = (text: string, way: FlowWay, kind: string) => withStepOn(text, read(text), way, kind);
const check = {
  id: 'check',
  type: 'condition',
  config: json('{"expression": "true", "then": "a", "else": "b"}'),
};

test('a step inserted on a transition of a plain list takes its place in the list, and nothing else changes', () => {
  const text = textOf([log('a'), log('b')]);
  const { text: changed, id } = insert(text, wayOf(text, 'a'), 'delay');
  expect(id).toBe('wait');
  expect(drawn(changed)).toEqual(['@trigger > a', 'a > wait', 'wait > b', 'b > Run ends, completed']);
  expect(changed).not.toContain('"next"');
  expect(withoutStep(changed, read(changed), 'wait')).toBe(text);
  expect(drawn(insert(text, wayOf(text, '@trigger'), 'filter').text)[0]).toBe('@trigger > only_if');
  expect(drawn(insert(text, wayOf(text, 'b'), 'action:http').text).at(-1)).toBe('request > Run ends, completed');
});

test('a step inserted on a branch leads to where the branch led', () => {
  const text = textOf([check, log('a', 'c'), log('b', 'c'), log('c')]);
  const { text: changed } = insert(text, wayOf(text, 'check', 'true'), 'delay');
  expect(drawn(changed)).toEqual([
    '@trigger > check',
    'check true> wait',
    'check false> b',
    'wait > a',
    'a > c',
    'b > c',
    'c > Run ends, completed',
  ]);
  // And back again.
  expect(drawn(withoutStep(changed, read(changed), 'wait'))).toEqual(drawn(text));
});

test('a branch that followed the list gets its own transition, and the other one stays', () => {
  const text = textOf([{ ...check, config: { expression: 'true' } }, log('a')]);
  expect(drawn(text)).toContain('check true> a');
  const { text: changed } = insert(text, wayOf(text, 'check', 'false'), 'delay');
  expect(drawn(changed)).toEqual([
    '@trigger > check',
    'check true> a',
    'check false> wait',
    'wait > a',
    'a > Run ends, completed',
  ]);
});

// Both branches led to it, because the list of two steps was mistaken for steps in order.
test('a step inserted on a branch of a condition without further steps belongs to that branch', () => {
  for (const [own, other] of [
    ['true', 'false'],
    ['false', 'true'],
  ] as const) {
    const text = textOf([{ ...check, config: { expression: 'true' } }]);
    const { text: changed } = insert(text, wayOf(text, 'check', own), 'action:log');
    expect(drawn(changed).toSorted()).toEqual(
      [
        '@trigger > check',
        `check ${own}> log`,
        `check ${other}> Run ends, completed`,
        'log > Run ends, completed',
      ].toSorted(),
    );
    expect(changed).not.toContain('"next"');
  }
});

test('a new loop has one step inside it, and a new parallel step has two', () => {
  const text = textOf([log('a'), log('b')]);
  for (const kind of ['foreach', 'parallel']) {
    const { text: changed, id } = insert(text, wayOf(text, 'a'), kind);
    const flow = read(changed);
    expect(flow.isSound).toBe(true);
    expect(flow.steps.filter(({ owner }) => owner === id)).toHaveLength(kind === 'foreach' ? 1 : 2);
    expect(drawn(changed)).toEqual(expect.arrayContaining(['@trigger > a', `a > ${id}`, `${id} > b`]));
    // Deleting the loop deletes what is inside it.
    expect(drawn(withoutStep(changed, flow, id))).toEqual(drawn(text));
  }
});

test('naming the first transition writes down all those that followed from the order of the list', () => {
  const text = textOf([log('a'), log('b'), log('c')]);
  expect(drawn(withTarget(text, read(text), wayOf(text, 'a'), 'c'))).toEqual([
    '@trigger > a',
    'a > c',
    'b > c',
    'c > Run ends, completed',
  ]);
  // Through a field: a branch for an error is a transition too.
  const onError = withValue(text, ['steps', 0, 'config', 'onError'], '[{ "errors": ["*"], "next": "c" }]');
  expect(drawn(onError)).toContain('a > Run ends, completed');
  expect(drawn(keepingOrder(text, onError))).toEqual([
    '@trigger > a',
    'a > b',
    'a on error> c',
    'b > c',
    'c > Run ends, completed',
  ]);
  expect(keepingOrder(text, text)).toBe(text);
});

test('one member is redirected on its own: to another step, and to the first step of all', () => {
  const text = textOf([check, log('a', 'c'), log('b', 'c'), log('c')]);
  const flow = read(text);
  expect(drawn(withTarget(text, flow, slotWay(flow, 'check', ['config', 'else']), 'c'))).toContain('check false> c');
  expect(drawn(withTarget(text, flow, slotWay(flow, 'a', ['config', 'onError']), 'b'))).toContain('a on error> b');
  expect(drawn(withTarget(text, flow, wayOf(text, '@trigger'), 'b'))[0]).toBe('@trigger > b');
  expect(drawn(withTarget(text, flow, wayOf(text, 'check', 'true'), null))).toContain(
    'check true> Run ends, completed',
  );
});

test('the step after a deleted first step becomes the first', () => {
  const text = textOf([log('a', 'c'), log('b'), log('c', 'b')]);
  expect(drawn(withoutStep(text, read(text), 'a'))).toEqual(['@trigger > c', 'c > b', 'b > Run ends, completed']);
});

test('a copy comes after its step, with new names for the steps of its loop', () => {
  const plain = textOf([log('a'), log('b')]);
  const copy = withCopy(plain, read(plain), 'a');
  expect(copy?.id).toBe('a_2');
  expect(drawn(copy?.text ?? '')).toEqual(['@trigger > a', 'a > a_2', 'a_2 > b', 'b > Run ends, completed']);
  const loop = textOf([
    { id: 'each', type: 'foreach', config: { items: '[1]', body: 'one', collect: 'steps.one.output' }, next: 'b' },
    log('one'),
    log('b'),
  ]);
  const twice = withCopy(loop, read(loop), 'each');
  expect(drawn(twice?.text ?? '')).toEqual(
    expect.arrayContaining(['each > each_2', 'each_2 > b', 'each_2 each item> one_2']),
  );
  expect(twice?.text).toContain('"collect": "steps.one_2.output"');
  expect(withCopy(textOf([{ id: 'e', type: 'end' }]), read(textOf([{ id: 'e', type: 'end' }])), 'e')).toBeUndefined();
});

test('a step can be inserted into an empty workflow', () => {
  const text = textOf([]);
  const { text: changed } = insert(text, wayOf(text, '@trigger'), 'action:log');
  expect(drawn(changed)).toEqual(['@trigger > log', 'log > Run ends, completed']);
});

const checks = { expressions: createStepExpressions(), filterProblem: () => undefined, urlProblem: () => undefined };

// Whatever is inserted and deleted, in any order, no transition leads nowhere, and no step is lost.
test('after many changes the service finds no transition that leads nowhere and no step that is not reached', () => {
  const kinds = ['action:log', 'condition', 'filter', 'foreach', 'parallel', 'delay', 'approval', 'wait_for_event'];
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  let text = textOf([log('a')]);
  for (let turn = 0; turn < 120; turn += 1) {
    const flow = read(text);
    const ways = flow.ways.filter(
      ({ from, slots }) => from === '@trigger' || slots.some(({ path }) => path !== undefined),
    );
    const depth = (key: string | undefined): number => {
      const step = flow.steps.find((each) => each.key === key);
      return step === undefined ? 0 : 1 + depth(step.owner);
    };
    const way = ways[random(ways.length)];
    if (way === undefined) throw new Error('no way');
    const isDeep = depth(way.from) > 1 || way.isInner;
    const kind = kinds[random(kinds.length)] ?? 'delay';
    if (flow.steps.length > 24 || random(4) === 0) {
      const alone = flow.steps.filter(({ key, owner }) => owner === undefined && key !== flow.steps[0]?.key);
      const gone = alone[random(alone.length)];
      if (gone !== undefined) text = withoutStep(text, flow, gone.key);
    } else text = insert(text, way, isDeep && (kind === 'foreach' || kind === 'parallel') ? 'delay' : kind).text;
    const { trigger, steps } = JSON.parse(text) as { trigger: object; steps: unknown[] };
    const wrong = problemsOf({ trigger, steps }, checks).problems.filter(({ reason }) =>
      /unknown step|cycle|reachable|loop or a branch/.test(reason),
    );
    expect([turn, wrong]).toEqual([turn, []]);
  }
});
