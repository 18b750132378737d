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
])('an action whose config has fields of a kind but no action is reported: %j', (config, fields, action) => {
  expect(fieldsOf([{ id: 'a', type: 'action', config }])).toEqual([
    [
      'steps[0].config.action',
      `is required, because the config has ${fields}: did you mean "action": "${action}"? A step without an action does nothing`,
    ],
  ]);
});

const OUTSIDE =
  'steps inside a loop or a branch must not lead outside it, and no step outside may lead to them; end their chain without next, and the run continues after the loop or parallel';
const unledBehind = (step: string): string =>
  `is not reachable from the first step: no step before it leads here; if one step names its next step, all must, and ${step} does not`;
const log = (id: string, next?: string | null) => ({ id, type: 'action', ...(next !== undefined && { next }) });

describe('a valid definition is accepted:', () => {
  test.each<[string, unknown]>([
    ['no steps yet', []],
    [
      'the first one of the specification',
      [
        { id: 'a', type: 'action', config: { foo: 1 }, next: 'b' },
        { id: 'b', type: 'action', config: { foo: 1 } },
      ],
    ],
    ['actions without a kind', [{ id: 'a', type: 'action', config: { timeout: 'soon', if: 5, retryPolicy: 'x' } }]],
    [
      'actions of another product with some of the same field names',
      [{ id: 'a', type: 'action', config: { body: 'Dear all', to: 'a@example.com' } }],
    ],
    [
      'a condition with two targets that join',
      [
        // oxlint-disable-next-line unicorn/no-thenable -- the field's public name
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
      'branches that are read after they join',
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

describe('a problem is reported with its field:', () => {
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
      'an id with invalid characters',
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
      'everything missing in configs',
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
      'a target that does not exist',
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
      [[at(2, 'config.body'), 'foreach and parallel must be nested at most 2 levels deep']],
    ],
    [
      'an expression with an unknown variable',
      [{ id: 'a', type: 'filter', config: { expression: 'evnt.id == ""' } }],
      [[at(0, 'config.expression'), 'line 1:1: Unknown variable: evnt; did you mean event?']],
    ],
    [
      'an expression of another type',
      [{ id: 'a', type: 'filter', config: { expression: '1 + 1' } }],
      [[at(0, 'config.expression'), 'must return bool, returns int']],
    ],
    [
      'items that are not an array',
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
      'an invalid duration',
      [{ id: 'a', type: 'delay', config: { for: '5' } }],
      [[at(0, 'config.for'), 'must be a duration (e.g. "5m")']],
    ],
    [
      'a delay of more than a year',
      [{ id: 'a', type: 'delay', config: { for: '366d' } }],
      [[at(0, 'config.for'), 'must be at least 0d and at most 365d']],
    ],
    [
      'a delay without an end',
      [{ id: 'a', type: 'delay', config: {} }],
      [[at(0, 'config'), 'must have exactly one of for and until']],
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
      'an internal address',
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
          'secrets must only be used in headers, query and auth of an http action, and in secret parameters of connectors',
        ],
      ],
    ],
    [
      'an unclosed template',
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

  test('reports at most twenty problems', () => {
    expect(fieldsOf(Array.from({ length: 30 }, () => ({}))).length).toBe(20);
  });
});

test('only activation checks for missing parts', () => {
  expect(problemsOf({}, checks)).toEqual({ problems: [], hasForm: true });
  expect(missingIn({})).toEqual([
    { field: 'trigger', reason: 'is required' },
    { field: 'steps', reason: 'must have at least one step' },
  ]);
  expect(missingIn({ trigger: event, steps: [log('a')] })).toEqual([]);
});
