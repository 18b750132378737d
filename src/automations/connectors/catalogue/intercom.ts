import { z } from 'zod';
import type { Connector } from './connector.ts';
import { object, oneOf, secret, text } from './fields.ts';

const API = 'https://api.intercom.io';

export const intercom: Connector = {
  id: 'intercom',
  name: 'Intercom',
  description: 'Create contacts and add notes to them.',
  category: 'support',
  colour: '2a5bd7',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ token: secret('Access token.') }),
    headers: { authorization: 'Bearer {token}' },
  },
  headers: { 'intercom-version': '2.11', accept: 'application/json' },
  test: { method: 'GET', url: `${API}/me` },
  operations: [
    {
      id: 'create-contact',
      name: 'Create a contact',
      description: 'Creates a user or a lead.',
      input: z.strictObject({
        role: oneOf(['user', 'lead'], 'Role of the contact.').default('user'),
        email: text('Email address.'),
        name: text('Name.').exactOptional(),
        customAttributes: object('Custom attributes.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/contacts`,
        json: { role: '$role', email: '$email', name: '$name', custom_attributes: '$customAttributes' },
      },
    },
    {
      id: 'add-note',
      name: 'Add a note',
      description: 'Adds a note to a contact.',
      input: z.strictObject({ contactId: text('Id of the contact.'), body: text('Text.') }),
      request: { method: 'POST', url: `${API}/contacts/{contactId}/notes`, json: { body: '$body' } },
    },
  ],
};
