import { z } from 'zod';
import type { Connector } from './connector.ts';
import { client, oneOf, text } from './fields.ts';

const VALUES = 'https://sheets.googleapis.com/v4/spreadsheets/{spreadsheetId}/values/{range}';
const place = {
  spreadsheetId: text('Id of the spreadsheet, from its URL.'),
  range: text('Cells in A1 notation, such as `Orders!A1:D`.'),
};
const written = {
  rows: z.array(z.array(z.unknown())).min(1).describe('Rows, each an array of cell values.'),
  valueInput: oneOf(
    ['USER_ENTERED', 'RAW'],
    '`USER_ENTERED`: values are parsed as if a person had typed them. `RAW`: they are stored as they are.',
  ).default('USER_ENTERED'),
};
const query = { valueInputOption: '$valueInput' };
const json = { majorDimension: 'ROWS', values: '$rows' };

export const googleSheets: Connector = {
  id: 'google-sheets',
  name: 'Google Sheets',
  description: 'Append, update and read rows of spreadsheets.',
  category: 'data',
  colour: '2f7d4f',
  auth: {
    type: 'oauth2',
    credentials: z.strictObject(client),
    issuer: 'https://accounts.google.com',
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    scope: 'https://www.googleapis.com/auth/spreadsheets',
    // Without both, Google returns a refresh token only for a person's first consent.
    parameters: { access_type: 'offline', prompt: 'consent' },
    secretIn: 'body',
  },
  test: {
    method: 'GET',
    url: 'https://oauth2.googleapis.com/tokeninfo',
    query: { access_token: '$connection.accessToken' },
  },
  operations: [
    {
      id: 'append-rows',
      name: 'Append rows',
      description: 'Adds rows after the table that contains the range.',
      input: z.strictObject({ ...place, ...written }),
      request: { method: 'POST', url: `${VALUES}:append`, query, json },
    },
    {
      id: 'update-rows',
      name: 'Update rows',
      description: 'Writes the cells of a range.',
      input: z.strictObject({ ...place, ...written }),
      request: { method: 'PUT', url: VALUES, query, json },
    },
    {
      id: 'get-rows',
      name: 'Read rows',
      description: 'Reads the cells of a range.',
      input: z.strictObject(place),
      request: { method: 'GET', url: VALUES },
    },
  ],
};
