import { exampleId } from '../../api/openapi/examples.ts';

/** The workflow used in examples of the API document. */
export const EXAMPLE_TRIGGER = {
  type: 'event',
  config: { channelId: exampleId('channel'), eventTypes: ['order.created'] },
};
export const EXAMPLE_STEPS = [
  { id: 'large', type: 'filter', config: { expression: 'event.payload.total > 100' }, next: 'note' },
  { id: 'note', type: 'action', config: { action: 'log', text: 'Order {{ event.payload.id }}' } },
];
