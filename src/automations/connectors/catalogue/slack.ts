import { z } from 'zod';
import type { Connector } from './connector.ts';
import { objects, secret, text } from './fields.ts';

/** Slack reports refusals with status 200 and `ok: false`. */
export const slack: Connector = {
  id: 'slack',
  name: 'Slack',
  description: 'Post and update messages, and find people.',
  category: 'messaging',
  colour: '5b3a6b',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ token: secret('Bot token; begins with `xoxb-`.') }),
    headers: { authorization: 'Bearer {token}' },
  },
  test: { method: 'POST', url: 'https://slack.com/api/auth.test' },
  refusal: (body) => {
    const { ok, error } = (body ?? {}) as { ok?: unknown; error?: unknown };
    return ok === false ? String(error) : undefined;
  },
  operations: [
    {
      id: 'post-message',
      name: 'Post a message',
      description: 'Posts to a channel, or to a thread in it.',
      input: z.strictObject({
        channel: text('Id or name of the channel, or the id of a person.'),
        text: text('Text of the message; with blocks, the text of its notification.'),
        blocks: objects('Blocks of Block Kit.').exactOptional(),
        threadTs: text('`ts` of the message to reply to in a thread.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: 'https://slack.com/api/chat.postMessage',
        json: { channel: '$channel', text: '$text', blocks: '$blocks', thread_ts: '$threadTs' },
      },
    },
    {
      id: 'update-message',
      name: 'Update a message',
      description: 'Replaces the text of a message that the bot posted.',
      input: z.strictObject({
        channel: text('Id of the channel.'),
        ts: text('`ts` of the message.'),
        text: text('New text.'),
      }),
      request: {
        method: 'POST',
        url: 'https://slack.com/api/chat.update',
        json: { channel: '$channel', ts: '$ts', text: '$text' },
      },
    },
    {
      id: 'find-person',
      name: 'Find a person',
      description: 'Finds a member of the workspace by email address.',
      input: z.strictObject({ email: text('Email address.') }),
      request: { method: 'GET', url: 'https://slack.com/api/users.lookupByEmail', query: { email: '$email' } },
    },
  ],
};
