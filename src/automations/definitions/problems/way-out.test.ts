import { expect, test } from '@jest/globals';
import { createStepExpressions } from '../../expressions/expressions.ts';
import { problemsOf } from './problems.ts';

/** Slips that authors make, each told with the way out. */
const checks = {
  expressions: createStepExpressions(),
  filterProblem: (expression: string) => (expression.includes('{{') ? 'line 1:1: Expected COLON' : undefined),
  urlProblem: () => undefined,
};
const told = (steps: unknown, trigger: unknown = { type: 'manual' }): [string, string][] =>
  problemsOf({ trigger, steps }, checks).problems.map(({ field, reason }) => [field, reason]);
const filter = (expression: string, more: object = {}) => ({
  id: 'a',
  type: 'filter',
  config: { expression },
  ...more,
});
const b = { id: 'b', type: 'action' };

test.each<[string, unknown[], string, string | RegExp]>([
  [
    'an action as a type',
    [{ id: 'a', type: 'http', config: { url: 'https://a.example' } }],
    'steps[0].type',
    'unknown step type "http", which is an action: write "type": "action", and "action": "http" in its config',
  ],
  [
    'a kind under the name that other products use',
    [{ id: 'a', type: 'sleep', config: { for: '5m' } }],
    'steps[0].type',
    /^unknown step type "sleep"; allowed: action, .*, end; did you mean delay\?$/,
  ],
  [
    'the payload as a filter of a trigger reads it',
    [filter('payload.total > 100')],
    'steps[0].config.expression',
    'line 1:1: Unknown variable: payload; in a step it is event.payload',
  ],
  [
    'a status in words',
    [{ id: 'a', type: 'action', config: { action: 'http', url: 'https://a.example', expectStatus: '2xx' } }],
    'steps[0].config.expectStatus',
    'must be a status from 100 to 599, or an array of up to 20 of them',
  ],
  [
    'a list as the payload of a message',
    [{ id: 'a', type: 'action', config: { action: 'publish', channelId: 'c', eventType: 'a', payload: [1] } }],
    'steps[0].config.payload',
    'must be an object, or a template that returns one',
  ],
  [
    'an end that is not a step',
    [{ id: 'a', type: 'switch', config: { cases: [{ when: 'true', next: 'b' }], default: 'end' } }, b],
    'steps[0].config.default',
    'references unknown step "end"; null ends the chain, and a step of type end ends the run',
  ],
  [
    'an expression in braces',
    [{ id: 'a', type: 'foreach', config: { items: '{{ event.payload.lines }}', body: 'b' } }, b],
    'steps[0].config.items',
    /^must be an expression, not a template: leave out "\{\{" and "\}\}" \(line 1:\d+: /,
  ],
  ['one equals sign', [filter('event.payload.a = 1')], 'steps[0].config.expression', /: =; equality is written ==$/],
  [
    'a result without output',
    [{ ...b, next: 'a' }, filter('steps.b.ok')],
    'steps[1].config.expression',
    'steps.b has status, output, error and attempts, but not ok; did you mean steps.b.output.ok?',
  ],
  [
    'one branch of onError without an array',
    [filter('true', { config: { expression: 'true', onError: { errors: ['*'], next: 'b' } } }), b],
    'steps[0].config.onError',
    'must be fail, continue, pause, or an array such as [{"errors": ["HTTP_4XX"], "next": "a step"}]',
  ],
  [
    'a time of a retry in words',
    [filter('true', { config: { expression: 'true', retryPolicy: { initialDelay: '1s' } } })],
    'steps[0].config.retryPolicy.initialDelay',
    'must be a number of milliseconds',
  ],
])('%s', (_, steps, field, reason) => {
  expect(told(steps)).toEqual([[field, typeof reason === 'string' ? reason : expect.stringMatching(reason)]]);
});

test('reports a filter of a trigger or wait that is written in braces', () => {
  const config = { eventTypes: ['a'], filter: '{{ payload.total > 1 }}' };
  const wait = { id: 'w', type: 'wait_for_event', config };
  expect(told([wait], { type: 'event', config }).map(([field, reason]) => [field, reason.slice(0, 30)])).toEqual([
    ['trigger.config.filter', 'must be an expression, not a t'],
    ['steps[0].config.filter', 'must be an expression, not a t'],
  ]);
});

test.each(['debounce', 'batch', 'rateLimit'])('%s of a trigger is refused as not supported yet', (name) => {
  for (const type of ['event', 'webhook']) {
    const config = { ...(type === 'webhook' && { webhookId: 'whk_1' }), [name]: { delay: '1m' } };
    expect(told([b], { type, config })).toEqual([[`trigger.config.${name}`, 'is not supported yet']]);
  }
});

test('refuses a cron expression that is neither a string nor an array', () => {
  expect(told([b], { type: 'schedule', config: { cron: 9 } })).toEqual([
    ['trigger.config.cron', 'must be an expression such as "0 9 * * 1-5", or an array of up to 20 of them'],
  ]);
});

test('reports a step of an inner loop that is read after both loops', () => {
  const loop = (id: string, items: string, body: string) => ({ id, type: 'foreach', config: { items, body } });
  const steps = [
    { ...loop('o', '[[1]]', 'i'), next: 'a' },
    loop('i', 'item', 'b'),
    b,
    filter('steps.b.output == null'),
  ];
  expect(told(steps)).toEqual([
    [
      'steps[3].config.expression',
      'steps.b is not available in step "a": it runs for each item of o, whose results are steps.o.output.results',
    ],
  ]);
});
