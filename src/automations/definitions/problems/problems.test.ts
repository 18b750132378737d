import { describe, expect, test } from '@jest/globals';
import { createStepExpressions } from '../../expressions/expressions.ts';
import { missingIn, problemsOf } from './problems.ts';

const checks = {
  expressions: createStepExpressions(),
  filterProblem: (expression: string) => (expression.includes('evnt') ? `line 1:1: no ${expression}` : undefined),
  urlProblem: (url: string) => (url.includes('10.0.0.1') ? 'is not a public address' : undefined),
};
const event = { type: 'event', config: {} };

const fieldsOf = (steps: unknown, trigger: unknown = event): [string, string][] =>
  problemsOf({ trigger, steps }, checks).problems.map(({ field, reason }) => [field, reason]);

test.each<[object, string, string]>([
  [{ url: 'https://a.example', method: 'POST' }, 'url, method', 'http'],
  [{ url: 'https://a.example' }, 'url', 'http'],
  [{ method: 'GET', headers: {} }, 'method, headers', 'http'],
  [{ channelId: 'chn_1', payload: {} }, 'channelId, payload', 'publish'],
  [
    { connectorId: 'slack', operation: 'post', params: {}, timeout: '5s' },
    'connectorId, operation, params',
    'connector',
  ],
])('an action whose config has fields of a kind and names none is asked for it: %j', (config, fields, action) => {
  expect(fieldsOf([{ id: 'a', type: 'action', config }])).toEqual([
    [
      'steps[0].config.action',
      `is required, because the config has ${fields}: did you mean "action": "${action}"? A step without an action does nothing`,
    ],
  ]);
});

const OUTSIDE =
  'steps inside a loop or a branch may not lead outside it, nor be led to from elsewhere; their chain ends without next, and the run goes on behind the loop or parallel';
const unledBehind = (step: string): string =>
  `is not reachable from the first step: no step before it leads here; where a step names its next one, all do, and ${step} has none`;
const log = (id: string, next?: string | null) => ({ id, type: 'action', ...(next !== undefined && { next }) });

describe('a definition without a fault is taken:', () => {
  test.each<[string, unknown]>([
    ['no steps yet', []],
    [
      'the first one of the specification',
      [
        { id: 'a', type: 'action', config: { foo: 1 }, next: 'b' },
        { id: 'b', type: 'action', config: { foo: 1 } },
      ],
    ],
    [
      'actions that say nothing of what they do',
      [{ id: 'a', type: 'action', config: { timeout: 'soon', if: 5, retryPolicy: 'x' } }],
    ],
    [
      'actions of another service, some of whose fields are called as ours',
      [{ id: 'a', type: 'action', config: { body: 'Dear all', to: 'a@example.com' } }],
    ],
    [
      'a condition with both ways, which join',
      [
        // oxlint-disable-next-line unicorn/no-thenable -- the author's name for the way
        { id: 'c', type: 'condition', config: { expression: 'event.payload.a > 1', then: 'a', else: 'b' } },
        log('a', 'b'),
        log('b'),
      ],
    ],
    [
      'a loop in a loop',
      [
        { id: 'each', type: 'foreach', config: { items: 'event.payload.lines', body: 'inner' }, next: 'last' },
        { id: 'inner', type: 'foreach', config: { items: 'item.parts', body: 'part' } },
        { id: 'part', type: 'action', config: { action: 'log', text: '{{ item.sku }}' } },
        { id: 'last', type: 'action', config: { action: 'log', text: '{{ steps.each.output.failed }}' } },
      ],
    ],
    [
      'branches that are read behind their join',
      [
        { id: 'both', type: 'parallel', config: { branches: ['a', 'b'] }, next: 'sum' },
        log('a'),
        log('b'),
        { id: 'sum', type: 'transform', config: { set: { x: '{{ steps.a.output }}' } } },
      ],
    ],
    [
      'a call with a secret',
      [
        {
          id: 'a',
          type: 'action',
          config: { action: 'http', url: 'https://a.example', headers: { Authorization: 'Bearer {{ secrets.CRM }}' } },
        },
      ],
    ],
  ])('%s', (_, steps) => {
    expect(fieldsOf(steps)).toEqual([]);
  });
});

describe('a fault is told with its field:', () => {
  const at = (index: number, field: string) => `steps[${index}].${field}`;
  test.each<[string, unknown, [string, string][]]>([
    ['steps that are no list', {}, [['steps', 'must be an array']]],
    [
      'too many steps',
      Array.from({ length: 101 }, (_, n) => log(`s${n}`)),
      [['steps', 'must contain at most 100 steps']],
    ],
    [
      'a step without id and type',
      [{}],
      [
        [at(0, 'id'), 'is required'],
        [at(0, 'type'), 'is required'],
      ],
    ],
    [
      'an id of other characters',
      [{ id: 'a b', type: 'action' }],
      [[at(0, 'id'), 'must be 1 to 64 letters, digits, - or _']],
    ],
    [
      'an unknown field of a step',
      [{ id: 'a', type: 'action', confg: {} }],
      [[at(0, 'confg'), 'is not a known field; did you mean config?']],
    ],
    ['an id that stands twice', [log('a'), log('a')], [[at(1, 'id'), 'duplicate step id "a" (also steps[0])']]],
    [
      'an unknown type',
      [{ id: 'a', type: 'filtr' }],
      [
        [
          at(0, 'type'),
          'unknown step type "filtr"; allowed: action, condition, switch, filter, transform, delay, wait_for_event, approval, foreach, parallel, workflow, end; did you mean filter?',
        ],
      ],
    ],
    [
      'an unknown action',
      [{ id: 'a', type: 'action', config: { action: 'htp' } }],
      [[at(0, 'config.action'), 'unknown action "htp"; allowed: http, publish, connector, log; did you mean http?']],
    ],
    [
      'an unknown field of a config',
      [{ id: 'a', type: 'filter', config: { expresion: 'true', expression: 'true' } }],
      [[at(0, 'config.expresion'), 'is not a known field; did you mean expression?']],
    ],
    [
      'all that is missing in configs',
      [
        { id: 'a', type: 'condition' },
        { id: 'b', type: 'foreach', config: {} },
      ],
      [
        [at(0, 'config.expression'), 'is required'],
        [at(1, 'config.items'), 'is required'],
        [at(1, 'config.body'), 'is required'],
      ],
    ],
    [
      'a way to nowhere',
      [log('first', 'secnd'), log('second')],
      [
        [at(0, 'next'), 'references unknown step "secnd"; did you mean second?'],
        ['steps[1]', unledBehind('first')],
      ],
    ],
    ['a circle', [log('a', 'b'), log('b', 'a')], [[at(1, 'next'), 'creates a cycle: a -> b -> a']]],
    ['a step that nothing leads to', [log('a', 'b'), log('b'), log('c')], [['steps[2]', unledBehind('b')]]],
    [
      'a body that leads outside',
      [
        { id: 'each', type: 'foreach', config: { items: 'event.payload.a', body: 'x' }, next: 'y' },
        log('x', 'y'),
        log('y'),
      ],
      [[at(1, 'next'), OUTSIDE]],
    ],
    [
      'three levels of loops',
      [
        { id: 'a', type: 'foreach', config: { items: 'event.payload.a', body: 'b' } },
        { id: 'b', type: 'foreach', config: { items: 'item', body: 'c' } },
        { id: 'c', type: 'foreach', config: { items: 'item', body: 'd' } },
        log('d'),
      ],
      [[at(2, 'config.body'), 'foreach and parallel may stand 2 levels inside each other']],
    ],
    [
      'an expression with an unknown variable',
      [{ id: 'a', type: 'filter', config: { expression: 'evnt.id == ""' } }],
      [[at(0, 'config.expression'), 'line 1:1: Unknown variable: evnt; did you mean event?']],
    ],
    [
      'an expression of another kind',
      [{ id: 'a', type: 'filter', config: { expression: '1 + 1' } }],
      [[at(0, 'config.expression'), 'must return bool, returns int']],
    ],
    [
      'items that are no list',
      [{ id: 'a', type: 'foreach', config: { items: '"x"', body: 'b' } }, log('b')],
      [[at(0, 'config.items'), 'must return list, returns string']],
    ],
    [
      'a step that is read before it runs',
      [{ id: 'a', type: 'filter', config: { expression: 'steps.b.output.ok' }, next: 'b' }, log('b')],
      [[at(0, 'config.expression'), 'steps.b is not available in step "a": it does not run before it']],
    ],
    [
      "a loop's body that is read behind it",
      [
        {
          id: 'each',
          type: 'foreach',
          config: { items: 'event.payload.a', body: 'x', collect: 'steps.x.output' },
          next: 'y',
        },
        log('x'),
        { id: 'y', type: 'filter', config: { expression: 'steps.x.output.ok' } },
      ],
      [
        [
          at(2, 'config.expression'),
          'steps.x is not available in step "y": it runs for each item of each, whose results are steps.each.output.results',
        ],
      ],
    ],
    [
      'a duration that is none',
      [{ id: 'a', type: 'delay', config: { for: '5' } }],
      [[at(0, 'config.for'), 'is not a duration (e.g. "5m")']],
    ],
    [
      'a delay of more than a year',
      [{ id: 'a', type: 'delay', config: { for: '366d' } }],
      [[at(0, 'config.for'), 'must be at least 0d and at most 365d']],
    ],
    [
      'a delay without an end',
      [{ id: 'a', type: 'delay', config: {} }],
      [[at(0, 'config'), 'must hold one of for and until']],
    ],
    [
      'a policy that contradicts itself',
      [
        {
          id: 'a',
          type: 'filter',
          config: { expression: 'true', retryPolicy: { initialDelay: 5_000, maxDelay: 1_000 } },
        },
      ],
      [[at(0, 'config.retryPolicy.maxDelay'), 'must be at least initialDelay (5000)']],
    ],
    [
      'an address inside',
      [{ id: 'a', type: 'action', config: { action: 'http', url: 'http://10.0.0.1/' } }],
      [[at(0, 'config.url'), 'is not a public address']],
    ],
    [
      'a secret in a body',
      [
        {
          id: 'a',
          type: 'action',
          config: { action: 'http', url: 'https://a.example', body: { key: ['{{ secrets.CRM }}'] } },
        },
      ],
      [
        [
          at(0, 'config.body.key[0]'),
          'secrets may stand in headers, query and auth of an http action, and in parameters of connectors that are hidden, only',
        ],
      ],
    ],
    [
      'a template that is not closed',
      [{ id: 'a', type: 'transform', config: { set: { x: '{{ event.id' } } }],
      [[at(0, 'config.set.x'), '"{{" at character 1 is not closed by "}}"']],
    ],
  ])('%s', (_, steps, problems) => {
    expect(fieldsOf(steps)).toEqual(problems);
  });

  test.each<[unknown, [string, string][]]>([
    [{}, [['trigger.type', 'is required']]],
    [{ type: 'cronn' }, [['trigger.type', 'unknown trigger type "cronn"; allowed: event, webhook, schedule, manual']]],
    [{ type: 'webhook', config: {} }, [['trigger.config.webhookId', 'is required']]],
    [
      { type: 'event', config: { chanelId: 'chn_1' } },
      [['trigger.config.chanelId', 'is not a known field; did you mean channelId?']],
    ],
    [{ type: 'event', config: { batch: {} } }, [['trigger.config.batch', 'is not supported yet']]],
    [
      { type: 'event', config: { eventTypes: ['a*'] } },
      [['trigger.config.eventTypes[0]', 'must have a * only alone, or at the end after a dot, as in order.*']],
    ],
    [{ type: 'event', config: { filter: 'evnt.a' } }, [['trigger.config.filter', 'line 1:1: no evnt.a']]],
  ])('the trigger %j', (trigger, problems) => {
    expect(fieldsOf([], trigger)).toEqual(problems);
  });

  test('only twenty are told', () => {
    expect(fieldsOf(Array.from({ length: 30 }, () => ({}))).length).toBe(20);
  });
});

test('activating alone judges what is absent', () => {
  expect(problemsOf({}, checks)).toEqual({ problems: [], hasForm: true });
  expect(missingIn({})).toEqual([
    { field: 'trigger', reason: 'is required' },
    { field: 'steps', reason: 'must hold at least one step' },
  ]);
  expect(missingIn({ trigger: event, steps: [log('a')] })).toEqual([]);
});
