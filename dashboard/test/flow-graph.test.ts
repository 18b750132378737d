import { expect, test } from '@jest/globals';
import { flowOf, stepsBefore } from '../src/lib/flow-graph.ts';
import { planOf } from '../../src/automations/definitions/plan/compile.ts';
import { waysOf } from '../../src/automations/definitions/plan/graph.ts';
import { codeBlocksOf } from '../../test/docs/code-blocks.ts';

/** An object with a member `then` must not be mistaken for a promise. */
const json = (text: string): unknown => JSON.parse(text);
const flow = (steps: readonly unknown[]) => {
  const found = flowOf(JSON.stringify({ trigger: { type: 'manual' }, steps }));
  if (found === undefined) throw new Error('no flow');
  return found;
};
const drawn = (steps: readonly unknown[]): string[] =>
  flow(steps).ways.map(
    ({ from, to, end, labels, isDashed }) =>
      `${from} ${isDashed ? '..' : '--'}${labels.join(', ')}> ${to ?? end?.text ?? 'nothing'}`,
  );
const log = (id: string, next?: string | null) => ({
  id,
  type: 'action',
  config: { action: 'log', text: '' },
  ...(next !== undefined && { next }),
});

test('in a list whose steps name no other, each implied next step is drawn', () => {
  expect(drawn([log('a'), log('b'), log('c')])).toEqual([
    '@trigger --> a',
    'a --> b',
    'b --> c',
    'c --> Run ends, completed',
  ]);
});

// The form said "goes on with the step below", and an approved refund did nothing.
test('once a step names another one, a step without next ends the run and is drawn that way', () => {
  const steps = [{ id: 'ask', type: 'approval', config: { title: 'Refund?', rejected: null } }, log('pay')];
  expect(drawn(steps)).toEqual([
    '@trigger --> ask',
    'ask --approved> Run ends, completed',
    'ask --rejected, on timeout> Run ends, completed',
    'pay --> Run ends, completed',
  ]);
});

test.each<[string, object, string[]]>([
  [
    'a condition with one branch left out and one null',
    { type: 'condition', config: json('{"expression": "true", "else": null}'), next: 'x' },
    ['a --true> x', 'a --false> Run ends, completed'],
  ],
  [
    'a filter',
    { type: 'filter', config: { expression: 'true' }, next: 'x' },
    ['a --true> x', 'a --false> Run ends, completed'],
  ],
  [
    'errors that continue share the transition to the next step',
    { type: 'action', config: { action: 'log', onError: 'continue' }, next: 'x' },
    ['a --also on error> x'],
  ],
  [
    'errors that pause',
    { type: 'action', config: { action: 'log', onError: 'pause' }, next: 'x' },
    ['a --> x', 'a ..on error> Run pauses'],
  ],
  [
    'errors by name',
    { type: 'action', config: { action: 'log', onError: [{ errors: ['HTTP_4XX', 'TIMEOUT'], next: 'y' }] }, next: 'x' },
    ['a --> x', 'a ..on HTTP_4XX, TIMEOUT> y'],
  ],
  [
    'a wait that fails on timeout',
    { type: 'wait_for_event', config: { onTimeout: 'fail' }, next: 'x' },
    ['a --received> x', 'a ..on timeout> Run fails'],
  ],
  [
    'a wait that leads elsewhere on timeout',
    { type: 'wait_for_event', config: { onTimeout: 'y' }, next: 'x' },
    ['a --received> x', 'a ..on timeout> y'],
  ],
  [
    'a wait that continues on timeout',
    { type: 'wait_for_event', config: {}, next: 'x' },
    ['a --received, on timeout> x'],
  ],
  [
    'a rejection that nothing handles',
    { type: 'approval', config: { approved: 'x' } },
    ['a --approved> x', 'a ..rejected, on timeout> Run fails'],
  ],
  [
    'a timeout that approves',
    { type: 'approval', config: { approved: 'x', rejected: 'y', onTimeout: 'approve' } },
    ['a --approved, on timeout> x', 'a --rejected> y'],
  ],
  ['an end', { type: 'end', config: { status: 'failed' } }, ['a --> Run fails']],
  ['a step that does not exist', { type: 'action', next: 'z' }, ['a --> No step called z']],
])('%s', (_, step, ways) => {
  expect(drawn([{ id: 'a', ...step }, log('x', 'y'), log('y')]).filter((way) => way.startsWith('a '))).toEqual(ways);
});

test('steps of loops and branches belong to them, and end or fail with them', () => {
  const found = flow([
    { id: 'each', type: 'foreach', config: { items: '[]', body: 'one' }, next: 'both' },
    log('one'),
    { id: 'both', type: 'parallel', config: { branches: ['left', 'right'] } },
    log('left'),
    log('right'),
  ]);
  expect(found.isSound).toBe(true);
  expect(found.steps.map(({ id, owner }) => [id, owner])).toEqual([
    ['each', undefined],
    ['one', 'each'],
    ['both', undefined],
    ['left', 'both'],
    ['right', 'both'],
  ]);
  expect(found.ways.filter(({ to }) => to === undefined).map(({ from, end }) => [from, end?.text])).toEqual([
    ['one', 'Item done'],
    ['both', 'Run ends, completed'],
    ['left', 'Branch done'],
    ['right', 'Branch done'],
  ]);
  expect(found.steps.map(({ failure }) => failure?.end.text)).toEqual([
    'Run fails',
    'Loop fails',
    'Run fails',
    'Branch fails',
    'Branch fails',
  ]);
});

test('an incomplete definition is drawn too: with missing ids, duplicate ids and cycles', () => {
  const found = flow([log(''), log('a'), log('a'), { type: 'action' }]);
  expect(found.steps.map(({ key }) => key)).toEqual(['#0', 'a', '#2', '#3']);
  expect(flow([log('a', 'b'), log('b', 'a')]).isSound).toBe(false);
  expect(flowOf('{')).toBeUndefined();
  expect(flowOf('[]')?.steps).toEqual([]);
});

test('the steps before a step are those that lead to it, the nearest first', () => {
  const found = flow([
    { id: 'which', type: 'condition', config: json('{"expression": "true", "then": "a", "else": "b"}') },
    log('a', 'end'),
    log('b', 'end'),
    log('end'),
    log('alone'),
  ]);
  expect(stepsBefore(found, 'end').map(({ id }) => id)).toEqual(['a', 'b', 'which']);
});

// The drawing shows exactly what the engine executes, for every definition in the manual.
const definitions = ['docs/reference/workflow-definition.md', 'docs/guides/workflows.md']
  .flatMap((page) => codeBlocksOf(page))
  .filter(({ language }) => language === 'json')
  .flatMap(({ text }) => {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null && 'trigger' in found && 'steps' in found ? [text] : [];
  });

test('the transitions between steps are those of the plan that the engine follows', () => {
  expect(definitions.length).toBeGreaterThan(8);
  for (const text of definitions) {
    // `as`: filtered above.
    const { trigger, steps, name } = JSON.parse(text) as { trigger: object; steps: { id: string }[]; name: string };
    const plan = planOf(trigger, steps);
    const planned = plan.steps.flatMap((step) => {
      const own = new Set(waysOf(step, '').map(({ to }) => to));
      const falls =
        (step.type === 'condition' && (step.whenTrue === undefined || step.whenFalse === undefined)) ||
        (step.type === 'switch' && step.default === undefined) ||
        (step.type === 'approval' && step.approved === undefined) ||
        !['condition', 'switch', 'approval'].includes(step.type);
      // If every branch is named, nothing follows `next`.
      if (!falls && step.next !== null) own.delete(step.next);
      if (step.type === 'end' && step.next !== null) own.delete(step.next);
      return [...own].map((to) => `${step.id} > ${to}`);
    });
    const drawnWays = (flowOf(text)?.ways ?? []).flatMap(({ from, to }) =>
      to === undefined || from === '@trigger' ? [] : [`${from} > ${to}`],
    );
    expect([name, [...new Set(drawnWays)].toSorted()]).toEqual([name, [...new Set(planned)].toSorted()]);
  }
});
