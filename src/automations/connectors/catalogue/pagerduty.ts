import { z } from 'zod';
import type { Connector } from './connector.ts';
import { object, oneOf, secret, text } from './fields.ts';

const url = 'https://events.pagerduty.com/v2/enqueue';

/** Uses the Events API v2. It has no request that only tests a key, because every request changes something. */
export const pagerduty: Connector = {
  id: 'pagerduty',
  name: 'PagerDuty',
  description: 'Raise and resolve alerts. A retry does not raise a second one.',
  category: 'incidents',
  colour: '1b7a3d',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ routingKey: secret('Integration key of a service.') }),
  },
  operations: [
    {
      id: 'trigger',
      name: 'Raise an alert',
      description: 'Raises an alert, or adds to the alert with the same key.',
      input: z.strictObject({
        summary: text('Text of the alert.'),
        source: text('Affected system.'),
        severity: oneOf(['critical', 'error', 'warning', 'info'], 'Severity.'),
        dedupKey: text('Key of the alert. Default: the idempotency key of the step.').exactOptional(),
        details: object('Further details.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url,
        json: {
          routing_key: '$connection.routingKey',
          event_action: 'trigger',
          dedup_key: '$dedupKey ?? $idempotencyKey',
          payload: { summary: '$summary', source: '$source', severity: '$severity', custom_details: '$details' },
        },
      },
    },
    {
      id: 'resolve',
      name: 'Resolve an alert',
      description: 'Resolves the alert with this key.',
      input: z.strictObject({ dedupKey: text('Key of the alert.') }),
      request: {
        method: 'POST',
        url,
        json: { routing_key: '$connection.routingKey', event_action: 'resolve', dedup_key: '$dedupKey' },
      },
    },
  ],
};
