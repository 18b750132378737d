import { z } from 'zod';
import type { Connector } from './connector.ts';
import { client, object, text } from './fields.ts';

const HOST = 'https://{connection.domain}.my.salesforce.com';
const API = `${HOST}/services/data/v62.0`;
const fields = object('Values by the API names of the fields.');
const type = text('API name of the object, such as `Contact`.');

export const salesforce: Connector = {
  id: 'salesforce',
  name: 'Salesforce',
  description: 'Create, update and query records.',
  category: 'sales',
  colour: '1f6fa8',
  auth: {
    type: 'oauth2',
    credentials: z.strictObject({
      domain: z
        .string()
        .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.(?:sandbox|develop|scratch))?$/i, 'must be a domain name')
        .describe('My Domain: `acme` for acme.my.salesforce.com, `acme--uat.sandbox` for a sandbox.'),
      ...client,
    }),
    authorizationUrl: `${HOST}/services/oauth2/authorize`,
    tokenUrl: `${HOST}/services/oauth2/token`,
    scope: 'api refresh_token',
    secretIn: 'body',
  },
  test: { method: 'GET', url: `${API}/` },
  operations: [
    {
      id: 'create-record',
      name: 'Create a record',
      description: 'Creates a record of an object type.',
      input: z.strictObject({ type, fields }),
      request: { method: 'POST', url: `${API}/sobjects/{type}`, json: '$fields' },
    },
    {
      id: 'update-record',
      name: 'Update a record',
      description: 'Updates some fields of a record.',
      input: z.strictObject({ type, recordId: text('Id of the record.'), fields }),
      request: { method: 'PATCH', url: `${API}/sobjects/{type}/{recordId}`, json: '$fields' },
    },
    {
      id: 'query',
      name: 'Query records',
      description: 'Reads records with a SOQL query.',
      input: z.strictObject({ soql: text('SOQL query.') }),
      request: { method: 'GET', url: `${API}/query`, query: { q: '$soql' } },
    },
  ],
};
