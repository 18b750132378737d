import { expect, test } from '@jest/globals';
import { failuresOf } from '../../dashboard/src/lib/replay-failures.ts';

const createdAt = '2026-05-07T14:00:00.000Z';
const until = '2026-05-07T13:59:59.998Z';
const earlier = '2026-05-07T10:00:00.000Z';
const deliveries = { kind: 'delivery', since: createdAt, createdUntil: until };
const runs = { kind: 'run', since: createdAt };

test.each([
  [
    'everything: deliveries and runs',
    {},
    [
      ['delivery', deliveries],
      ['run', runs],
    ],
  ],
  [
    'a cause: the same place with any cause',
    {
      channelId: 'chn_1',
      eventType: 'a.*',
      reason: 'exhausted',
      errorClass: 'status',
      errorStatus: 503,
      since: earlier,
    },
    [
      ['delivery', { channelId: 'chn_1', eventType: 'a.*', ...deliveries }],
      ['run', { channelId: 'chn_1', eventType: 'a.*', ...runs }],
    ],
  ],
  ['deliveries', { kind: 'delivery' }, [['delivery', deliveries]]],
  ['runs', { kind: 'run' }, [['run', runs]]],
  ['a workflow', { workflowId: 'wfl_1' }, [['run', { workflowId: 'wfl_1', ...runs }]]],
  ['a subscription', { subscriptionId: 'sub_1' }, [['delivery', { subscriptionId: 'sub_1', ...deliveries }]]],
  [
    'a message',
    { messageId: 'msg_1' },
    [
      ['delivery', { messageId: 'msg_1', ...deliveries }],
      ['run', { messageId: 'msg_1', ...runs }],
    ],
  ],
  [
    'deliveries that were made in a span',
    { createdSince: earlier, createdUntil: '2026-05-07T11:00:00.000Z' },
    [['delivery', { ...deliveries, createdSince: earlier, createdUntil: '2026-05-07T11:00:00.000Z' }]],
  ],
  [
    'deliveries of a span that goes on: those that were there',
    { createdUntil: '2026-05-08T00:00:00.000Z' },
    [['delivery', deliveries]],
  ],
] as const)('the failures that a replay has left, of %s', (_, filter, expected) => {
  expect(failuresOf({ createdAt, filter: { ...filter, until } })).toEqual(expected);
});
