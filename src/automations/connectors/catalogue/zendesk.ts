import { z } from 'zod';
import type { Connector } from './connector.ts';
import { flag, label, oneOf, secret, text, texts, whole } from './fields.ts';

const API = 'https://{connection.subdomain}.zendesk.com/api/v2';

export const zendesk: Connector = {
  id: 'zendesk',
  name: 'Zendesk',
  description: 'Create tickets and comment on them. A retry does not create a second one.',
  category: 'support',
  colour: '17494d',
  auth: {
    type: 'basic',
    credentials: z.strictObject({
      subdomain: label('Name of the account: `acme` for acme.zendesk.com.'),
      email: text('Email address of an agent.'),
      apiToken: secret('API token.'),
    }),
    username: '{email}/token',
    password: '{apiToken}',
  },
  test: { method: 'GET', url: `${API}/users/me.json` },
  operations: [
    {
      id: 'create-ticket',
      name: 'Create a ticket',
      description: 'Creates a ticket with its first comment.',
      input: z.strictObject({
        subject: text('Subject.'),
        body: text('Text of the first comment.'),
        requesterId: whole('Id of the requester.').exactOptional(),
        priority: oneOf(['urgent', 'high', 'normal', 'low'], 'Priority.').exactOptional(),
        tags: texts('Tags.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/tickets.json`,
        json: {
          ticket: {
            subject: '$subject',
            comment: { body: '$body' },
            requester_id: '$requesterId',
            priority: '$priority',
            tags: '$tags',
          },
        },
        idempotencyHeader: 'idempotency-key',
      },
    },
    {
      id: 'comment-ticket',
      name: 'Comment on a ticket',
      description: 'Adds a comment. The customer can see it unless `isPublic` is false.',
      input: z.strictObject({
        ticketId: whole('Id of the ticket.'),
        body: text('Text.'),
        isPublic: flag('Whether the customer can see the comment.').default(true),
      }),
      request: {
        method: 'PUT',
        url: `${API}/tickets/{ticketId}.json`,
        json: { ticket: { comment: { body: '$body', public: '$isPublic' } } },
      },
    },
  ],
};
