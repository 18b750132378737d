import { z } from 'zod';
import type { Connector } from './connector.ts';
import { objects, secretUrl, text } from './fields.ts';

export const discord: Connector = {
  id: 'discord',
  name: 'Discord',
  description: 'Post messages to a channel through its webhook URL.',
  category: 'messaging',
  colour: '4a55c7',
  auth: { type: 'none' },
  operations: [
    {
      id: 'post-message',
      name: 'Post a message',
      description: 'Posts to the channel and returns the message.',
      input: z.strictObject({
        webhookUrl: secretUrl('Webhook URL, from the settings of the channel.'),
        content: text('Text of the message, up to 2,000 characters.'),
        username: text('Display name of the sender.').exactOptional(),
        embeds: objects('Embeds.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: '{+webhookUrl}',
        query: { wait: 'true' },
        json: { content: '$content', username: '$username', embeds: '$embeds' },
      },
    },
  ],
};
