import { z } from 'zod';
import type { Connector } from './connector.ts';
import { client, oneOf, text } from './fields.ts';

const VALUES = 'https://sheets.googleapis.com/v4/spreadsheets/{spreadsheetId}/values/{range}';
const place = {
  spreadsheetId: text('Id of the spreadsheet, from its address.'),
  range: text('Cells in A1 notation, such as `Orders!A1:D`.'),
};
const written = {
  rows: z.array(z.array(z.unknown())).min(1).describe('Rows, each a list of the values of its cells.'),
  valueInput: oneOf(['USER_ENTERED', 'RAW'], 'Whether texts are read as if a person had typed them.').default(
    'USER_ENTERED',
  ),
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
    // Without both, Google gives a refresh token to the first consent of a person alone.
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
      description: 'Adds rows behind the table that the range stands in.',
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
