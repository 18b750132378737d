import { expect, test } from '@jest/globals';
import { flowOf } from '../src/lib/flow-graph.ts';
import { chosenWays, type StepState, takenWays } from '../src/lib/taken-ways.ts';

/** Returns the transitions that a run took, given the steps that it reached and their outputs. */
function taken(steps: readonly object[], reached: readonly { id: string; type: string; output?: unknown }[]): string[] {
  const flow = flowOf(JSON.stringify({ trigger: { type: 'manual' }, steps }));
  if (flow === undefined) throw new Error('no flow');
  const states = new Map(reached.map(({ id }): [string, StepState] => [id, 'done']));
  const chosen = chosenWays(reached.map((step) => ({ ...step, status: 'completed' })));
  return [...takenWays(flow, { states, chosen }).keys()].filter((id) => !id.startsWith('@trigger'));
}
const log = (id: string, next: string | null) => ({ id, type: 'action', config: { action: 'log', text: '' }, next });
const condition = (config: object) => ({ id: 'check', type: 'condition', config: { expression: 'true', ...config } });
/** An object with a member `then` must not be mistaken for a promise. */
const branches = (text: string): object => JSON.parse(text) as object;

// Both branches of a condition lead to the executed step, and both were drawn as taken.
test('of two branches that lead to the same step, the one that the condition chose is taken', () => {
  const steps = [
    condition(branches('{"then": "ask", "else": "pay"}')),
    { id: 'ask', type: 'approval', config: { title: 'Refund?', approved: 'pay', rejected: null } },
    log('pay', null),
  ];
  const reached = [
    { id: 'check', type: 'condition', output: { result: true } },
    { id: 'ask', type: 'approval', output: { decision: 'approved' } },
    { id: 'pay', type: 'action' },
  ];
  expect(taken(steps, reached)).toEqual(['check>then', 'ask>approved', 'pay>next']);
});

test('a branch that ends the run is taken if the step chose it', () => {
  const steps = [condition(branches('{"then": null, "else": null}'))];
  expect(taken(steps, [{ id: 'check', type: 'condition', output: { result: false } }])).toEqual(['check>else']);
});

test('a switch takes the matching case, and its default if no case matches', () => {
  const config = {
    cases: [
      { when: 'a', next: 'x' },
      { when: 'b', next: 'x' },
    ],
    default: null,
  };
  const steps = [{ id: 'route', type: 'switch', config }, log('x', null)];
  const at = (output: unknown) => taken(steps, [{ id: 'route', type: 'switch', output }]);
  expect(at({ case: 1 })).toEqual(['route>case1']);
  expect(at({ case: null })).toEqual(['route>default']);
});

test('a step with an unknown output took the transitions to the steps that the run reached', () => {
  const steps = [condition(branches('{"then": "x", "else": "y"}')), log('x', null), log('y', null)];
  const reached = [
    { id: 'check', type: 'condition' },
    { id: 'y', type: 'action' },
  ];
  expect(taken(steps, reached)).toEqual(['check>else', 'y>next']);
});
