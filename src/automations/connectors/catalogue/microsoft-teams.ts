import { z } from 'zod';
import type { Connector } from './connector.ts';
import { object, secretUrl, text } from './fields.ts';

const cardOf = (body: unknown) => ({
  type: 'message',
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: body }],
});

const webhookUrl = secretUrl('URL of the workflow "Post to a channel when a webhook request is received".');

export const microsoftTeams: Connector = {
  id: 'microsoft-teams',
  name: 'Microsoft Teams',
  description: 'Post messages and Adaptive Cards to a channel.',
  category: 'messaging',
  colour: '464eb8',
  auth: { type: 'none' },
  operations: [
    {
      id: 'post-message',
      name: 'Post a message',
      description: 'Posts a text to the channel.',
      input: z.strictObject({ webhookUrl, text: text('Text, with the Markdown of Adaptive Cards.') }),
      request: {
        method: 'POST',
        url: '{+webhookUrl}',
        json: cardOf({
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{ type: 'TextBlock', text: '$text', wrap: true }],
        }),
      },
    },
    {
      id: 'post-card',
      name: 'Post a card',
      description: 'Posts an Adaptive Card to the channel.',
      input: z.strictObject({ webhookUrl, card: object('The card, with its `type`, `version` and `body`.') }),
      request: { method: 'POST', url: '{+webhookUrl}', json: cardOf('$card') },
    },
  ],
};
