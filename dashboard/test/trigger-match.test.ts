import { describe, expect, test } from '@jest/globals';
import { wantsEventType } from '../../src/kernel/words/event-types.ts';
import { hasEventType } from '../src/lib/filter-names.ts';
import { startedBy } from '../src/lib/trigger-match.ts';

describe('a published message', () => {
  const workflow = (name: string, trigger?: Record<string, unknown>) => ({
    id: `wfl_${name}`,
    name,
    ...(trigger !== undefined && { trigger }),
  });
  const event = (config?: object) => ({ type: 'event', ...(config !== undefined && { config }) });
  const workflows = [
    workflow('everything', event()),
    workflow('channel', event({ channelId: 'chn_1' })),
    workflow('channels', event({ channelIds: ['chn_2', 'chn_1'], eventTypes: ['order.*'], filter: 'payload.a' })),
    workflow('other channel', event({ channelId: 'chn_2' })),
    workflow('other type', event({ eventType: 'order.paid' })),
    workflow('webhook', { type: 'webhook', config: { webhookId: 'whk_1' } }),
    workflow('by hand', { type: 'manual' }),
    workflow('draft'),
  ];

  test('starts the workflows with an event trigger for its channel and event type', () => {
    const started = startedBy(workflows, { channelId: 'chn_1', eventType: 'order.created' });
    expect(started.map(({ workflow: { name }, hasFilter }) => [name, hasFilter])).toEqual([
      ['everything', false],
      ['channel', false],
      ['channels', true],
    ]);
  });
});

test('event types match as they do in the service', () => {
  for (const patterns of [[], ['*'], ['order.*'], ['order.created'], ['order'], ['order.*', 'invoice.paid'], ['.*']])
    for (const type of ['order.created', 'order', 'order.', 'orders.created', 'invoice.paid', ''])
      expect([patterns, type, hasEventType(patterns, type)]).toEqual([patterns, type, wantsEventType(patterns, type)]);
});
