import { expect, test } from '@jest/globals';
import { failedRunsOf } from '../src/lib/replay-failures.ts';

const createdAt = '2026-05-07T14:00:00.000Z';
const until = '2026-05-07T13:59:59.998Z';
const earlier = '2026-05-07T10:00:00.000Z';
const runs = { kind: 'run', since: createdAt };

test.each([
  ['everything', {}, runs],
  [
    'a cause: the same scope with any cause',
    {
      channelId: 'chn_1',
      eventType: 'a.*',
      reason: 'exhausted',
      errorClass: 'status',
      errorStatus: 503,
      since: earlier,
    },
    { channelId: 'chn_1', eventType: 'a.*', ...runs },
  ],
  ['runs', { kind: 'run' }, runs],
  ['a workflow', { workflowId: 'wfl_1' }, { workflowId: 'wfl_1', ...runs }],
  ['a message', { messageId: 'msg_1' }, { messageId: 'msg_1', ...runs }],
  ['deliveries: none', { kind: 'delivery' }, undefined],
  ['a subscription: none', { subscriptionId: 'sub_1' }, undefined],
  ['deliveries created in a time range: none', { createdSince: earlier }, undefined],
] as const)('the failed runs left by a replay of %s', (_, filter, expected) => {
  expect(failedRunsOf({ createdAt, filter: { ...filter, until } })).toEqual(expected);
});
