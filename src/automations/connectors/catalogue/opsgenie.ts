import { z } from 'zod';
import type { Connector } from './connector.ts';
import { oneOf, secret, text, texts } from './fields.ts';

const ALERTS = 'https://{connection.host}/v2/alerts';

export const opsgenie: Connector = {
  id: 'opsgenie',
  name: 'Opsgenie',
  description: 'Raise and close alerts. A retry does not raise a second one.',
  category: 'incidents',
  colour: '1f5fc4',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({
      apiKey: secret('Key of an API integration.'),
      host: oneOf(['api.opsgenie.com', 'api.eu.opsgenie.com'], 'Region of the account.').default('api.opsgenie.com'),
    }),
    headers: { authorization: 'GenieKey {apiKey}' },
  },
  test: { method: 'GET', url: `${ALERTS}/count` },
  operations: [
    {
      id: 'create-alert',
      name: 'Raise an alert',
      description: 'Raises an alert, or increases the count of an open alert with the same alias.',
      input: z.strictObject({
        message: text('Text, up to 130 characters.'),
        alias: text('Alias of the alert. Default: the idempotency key of the step.').exactOptional(),
        description: text('Details.').exactOptional(),
        priority: oneOf(['P1', 'P2', 'P3', 'P4', 'P5'], 'Priority.').exactOptional(),
        tags: texts('Tags.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: ALERTS,
        json: {
          message: '$message',
          alias: '$alias ?? $idempotencyKey',
          description: '$description',
          priority: '$priority',
          tags: '$tags',
        },
      },
    },
    {
      id: 'close-alert',
      name: 'Close an alert',
      description: 'Closes the alert with this alias.',
      input: z.strictObject({ alias: text('Alias of the alert.'), note: text('Note.').exactOptional() }),
      request: {
        method: 'POST',
        url: `${ALERTS}/{alias}/close`,
        query: { identifierType: 'alias' },
        json: { note: '$note' },
      },
    },
  ],
};
