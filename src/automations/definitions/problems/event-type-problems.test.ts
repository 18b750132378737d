import { expect, test } from '@jest/globals';
import { createStepExpressions } from '../../expressions/expressions.ts';
import { problemsOf } from './problems.ts';

const checks = { expressions: createStepExpressions(), filterProblem: () => undefined, urlProblem: () => undefined };
const problemsOfType = (eventType: string) =>
  problemsOf(
    { steps: [{ id: 'a', type: 'action', config: { action: 'publish', channelId: 'chn_1', eventType } }] },
    checks,
  ).problems;

// A definition with such a type was saved, and each of its runs failed at the step.
test.each([
  ['order.*', 'must not contain *, which stands for several event types in filters'],
  ['order,paid', 'must not contain a comma, which separates event types in filters'],
  [' order.paid', 'must not begin or end with white space'],
])('the event type %j of a publish step is refused when it is written', (eventType, reason) => {
  expect(problemsOfType(eventType)).toEqual([{ field: 'steps[0].config.eventType', reason }]);
});

test.each(['order.paid', 'order paid', '{{ [event.payload.a, event.payload.b].join(",") }}', 'a.{{ 2 * 3 }}'])(
  'the event type %j of a publish step is accepted, or checked in its run',
  (eventType) => {
    expect(problemsOfType(eventType)).toEqual([]);
  },
);
