import { describe, expect, test } from '@jest/globals';
import { createStepExpressions } from '../../expressions/expressions.ts';
import { problemsOf } from './problems.ts';

const checks = { expressions: createStepExpressions(), filterProblem: () => undefined, urlProblem: () => undefined };
const problemsIn = (step: object) => problemsOf({ steps: [{ id: 'a', ...step }] }, checks).problems;

const ofInput = (input: unknown) => problemsIn({ type: 'workflow', config: { workflowId: 'wfl_1', input } });
const ofPayload = (payload: unknown) =>
  problemsIn({ type: 'action', config: { action: 'publish', channelId: 'chn_1', eventType: 'x', payload } });

const GIVES_A_TEXT = 'a text: {{ }} must enclose all of it';

// A definition with such an input was accepted, and each of its runs failed.
describe('refuses an input that can never be an object:', () => {
  test.each<[unknown, string]>([
    [-1, 'a number'],
    [true, 'a boolean'],
    [[], 'an array'],
    [null, 'null'],
    ['x', GIVES_A_TEXT],
    ['', GIVES_A_TEXT],
    ['{{ event.payload }} ', GIVES_A_TEXT],
    ['{{ 1 + 1 }}', 'int'],
    ['{{ "a" }}', 'string'],
    ['{{ [event.payload] }}', 'list'],
  ])('%j', (input, given) => {
    expect(ofInput(input)).toEqual([{ field: 'steps[0].config.input', reason: `must be an object, not ${given}` }]);
  });
});

test.each(['', 'constructor', 'order {{ event.payload.id }}', '{{ event.payload }}{{ event.payload }}'])(
  'refuses the payload %j of a message, too',
  (payload) => {
    expect(ofPayload(payload)).toEqual([
      { field: 'steps[0].config.payload', reason: `must be an object, not ${GIVES_A_TEXT}` },
    ]);
  },
);

test.each([
  {},
  { customer: '{{ event.payload.id }}', n: -1 },
  '{{ event.payload }}',
  '{{ event.payload.?order }}',
  '{{ {"a": 1} }}',
  '{{ event.payload.big ? event.payload.order : {} }}',
])('%j may be an object', (template) => {
  expect([...ofInput(template), ...ofPayload(template)]).toEqual([]);
});

test('an invalid expression is reported once', () => {
  expect(ofInput('{{ evnt.id }}')).toEqual([
    { field: 'steps[0].config.input', reason: expect.stringContaining('Unknown variable: evnt') },
  ]);
  expect(ofInput('{{ event.id')).toHaveLength(1);
});
