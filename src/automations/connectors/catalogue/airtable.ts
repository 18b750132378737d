import { z } from 'zod';
import type { Connector } from './connector.ts';
import { flag, object, secret, text, whole } from './fields.ts';

const TABLE = 'https://api.airtable.com/v0/{baseId}/{table}';
const table = { baseId: text('Base id; begins with `app`.'), table: text('Id or name of the table.') };
const typecast = flag('Whether text values are converted to the types of the fields.').exactOptional();

export const airtable: Connector = {
  id: 'airtable',
  name: 'Airtable',
  description: 'Create, update and find records in a base.',
  category: 'data',
  colour: '1c7ab8',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ token: secret('Personal access token.') }),
    headers: { authorization: 'Bearer {token}' },
  },
  test: { method: 'GET', url: 'https://api.airtable.com/v0/meta/whoami' },
  operations: [
    {
      id: 'create-record',
      name: 'Create a record',
      description: 'Adds a record to a table.',
      input: z.strictObject({ ...table, fields: object('Values by field name.'), typecast }),
      request: { method: 'POST', url: TABLE, json: { fields: '$fields', typecast: '$typecast' } },
    },
    {
      id: 'update-record',
      name: 'Update a record',
      description: 'Updates some fields of a record.',
      input: z.strictObject({
        ...table,
        recordId: text('Record id; begins with `rec`.'),
        fields: object('Values by field name.'),
        typecast,
      }),
      request: { method: 'PATCH', url: `${TABLE}/{recordId}`, json: { fields: '$fields', typecast: '$typecast' } },
    },
    {
      id: 'find-records',
      name: 'Find records',
      description: 'Lists the records of a table that match a formula.',
      input: z.strictObject({
        ...table,
        formula: text('Airtable formula.').exactOptional(),
        maxRecords: whole('Maximum number of records.').exactOptional(),
      }),
      request: { method: 'GET', url: TABLE, query: { filterByFormula: '$formula', maxRecords: '$maxRecords' } },
    },
  ],
};
