import { z } from 'zod';
import type { Connector } from './connector.ts';
import { object, objects, secret, text, whole } from './fields.ts';

const API = 'https://api.notion.com/v1';

export const notion: Connector = {
  id: 'notion',
  name: 'Notion',
  description: 'Create pages, append blocks, and query databases.',
  category: 'data',
  colour: '2f2f2f',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({ token: secret('Token of an internal integration.') }),
    headers: { authorization: 'Bearer {token}' },
  },
  headers: { 'notion-version': '2022-06-28' },
  test: { method: 'GET', url: `${API}/users/me` },
  operations: [
    {
      id: 'create-page',
      name: 'Create a page',
      description: 'Adds a page to a database.',
      input: z.strictObject({
        databaseId: text('Id of the database.'),
        properties: object("Properties of the page, in Notion's format."),
        children: objects('Blocks of the page.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/pages`,
        json: { parent: { database_id: '$databaseId' }, properties: '$properties', children: '$children' },
      },
    },
    {
      id: 'append-blocks',
      name: 'Append blocks',
      description: 'Adds blocks to the end of a page.',
      input: z.strictObject({ blockId: text('Id of the page or block.'), children: objects('Blocks.') }),
      request: { method: 'PATCH', url: `${API}/blocks/{blockId}/children`, json: { children: '$children' } },
    },
    {
      id: 'query-database',
      name: 'Query a database',
      description: 'Finds pages in a database.',
      input: z.strictObject({
        databaseId: text('Id of the database.'),
        filter: object("Filter, in Notion's format.").exactOptional(),
        sorts: objects('Order of the pages.').exactOptional(),
        pageSize: whole('Maximum number of pages, up to 100.').exactOptional(),
      }),
      request: {
        method: 'POST',
        url: `${API}/databases/{databaseId}/query`,
        json: { filter: '$filter', sorts: '$sorts', page_size: '$pageSize' },
      },
    },
  ],
};
