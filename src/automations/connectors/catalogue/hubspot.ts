import { z } from 'zod';
import type { Connector } from './connector.ts';
import { object, secret, text } from './fields.ts';

const OBJECTS = 'https://api.hubapi.com/crm/v3/objects';
const properties = object('Properties by internal name.');

export const hubspot: Connector = {
  id: 'hubspot',
  name: 'HubSpot',
  description: 'Create and update contacts and deals.',
  category: 'sales',
  colour: 'c4562f',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ token: secret('Access token of a private app.') }),
    headers: { authorization: 'Bearer {token}' },
  },
  test: { method: 'GET', url: 'https://api.hubapi.com/account-info/v3/details' },
  operations: [
    {
      id: 'create-contact',
      name: 'Create a contact',
      description: 'Creates a contact.',
      input: z.strictObject({ properties }),
      request: { method: 'POST', url: `${OBJECTS}/contacts`, json: { properties: '$properties' } },
    },
    {
      id: 'update-contact',
      name: 'Update a contact',
      description: 'Updates properties of a contact, found by email address.',
      input: z.strictObject({ email: text('Email address of the contact.'), properties }),
      request: {
        method: 'PATCH',
        url: `${OBJECTS}/contacts/{email}`,
        query: { idProperty: 'email' },
        json: { properties: '$properties' },
      },
    },
    {
      id: 'create-deal',
      name: 'Create a deal',
      description: 'Creates a deal.',
      input: z.strictObject({ properties }),
      request: { method: 'POST', url: `${OBJECTS}/deals`, json: { properties: '$properties' } },
    },
  ],
};
