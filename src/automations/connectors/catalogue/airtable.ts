import { z } from 'zod';
import type { Connector } from './connector.ts';
import { flag, object, secret, text, whole } from './fields.ts';

const TABLE = 'https://api.airtable.com/v0/{baseId}/{table}';
const table = { baseId: text('Id of the base, which begins with `app`.'), table: text('Id or name of the table.') };
const typecast = flag('Whether texts are turned into the kinds of the fields.').exactOptional();

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
      input: z.strictObject({ ...table, fields: object('Values by the names of the fields.'), typecast }),
      request: { method: 'POST', url: TABLE, json: { fields: '$fields', typecast: '$typecast' } },
    },
    {
      id: 'update-record',
      name: 'Update a record',
      description: 'Sets some fields of a record.',
      input: z.strictObject({
        ...table,
        recordId: text('Id of the record, which begins with `rec`.'),
        fields: object('Values by the names of the fields.'),
        typecast,
      }),
      request: { method: 'PATCH', url: `${TABLE}/{recordId}`, json: { fields: '$fields', typecast: '$typecast' } },
    },
    {
      id: 'find-records',
      name: 'Find records',
      description: 'Lists the records of a table that a formula lets through.',
      input: z.strictObject({
        ...table,
        formula: text('Formula of Airtable.').exactOptional(),
        maxRecords: whole('Records at most.').exactOptional(),
      }),
      request: { method: 'GET', url: TABLE, query: { filterByFormula: '$formula', maxRecords: '$maxRecords' } },
    },
  ],
};
