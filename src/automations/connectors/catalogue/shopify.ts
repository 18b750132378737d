import { z } from 'zod';
import type { Connector } from './connector.ts';
import { label, object, secret, text, graphQlRefusal } from './fields.ts';

const url = 'https://{connection.shop}.myshopify.com/admin/api/2025-07/graphql.json';

export const shopify: Connector = {
  id: 'shopify',
  name: 'Shopify',
  description: 'Read orders, and query the Admin API.',
  category: 'commerce',
  colour: '4f7f34',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({
      shop: label('Name of the shop: `acme` for acme.myshopify.com.'),
      accessToken: secret('Admin API access token of a custom app.'),
    }),
    headers: { 'x-shopify-access-token': '{accessToken}' },
  },
  test: { method: 'POST', url, json: { query: '{ shop { id } }' } },
  refusal: graphQlRefusal,
  operations: [
    {
      id: 'get-order',
      name: 'Get an order',
      description: 'Returns an order.',
      input: z.strictObject({ id: text('Order id, such as `gid://shopify/Order/7`.') }),
      request: {
        method: 'POST',
        url,
        json: {
          query:
            'query($id: ID!) { order(id: $id) { id name email tags displayFinancialStatus displayFulfillmentStatus } }',
          variables: { id: '$id' },
        },
      },
    },
    {
      id: 'graphql',
      name: 'Query the Admin API',
      description: 'Sends any query or mutation of the Admin API.',
      input: z.strictObject({
        query: text('Query or mutation, in GraphQL.'),
        variables: object('Variables of the query.').exactOptional(),
      }),
      request: { method: 'POST', url, json: { query: '$query', variables: '$variables' } },
    },
  ],
};
