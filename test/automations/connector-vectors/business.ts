import { basic, type ConnectorVectors, KEY } from './vector.ts';

/** Connectors for data, sales, commerce, support and models, and the generic one. */
export const BUSINESS_VECTORS: Record<string, ConnectorVectors> = {
  notion: {
    credentials: { token: 'ntn_1' },
    headers: { authorization: 'Bearer ntn_1', 'notion-version': '2022-06-28' },
    operations: {
      'create-page': {
        params: { databaseId: 'd1', properties: { Name: { title: [] } } },
        method: 'POST',
        to: 'api.notion.com/v1/pages',
        json: { parent: { database_id: 'd1' }, properties: { Name: { title: [] } } },
      },
      'append-blocks': {
        params: { blockId: 'b1', children: [{ type: 'divider', divider: {} }] },
        method: 'PATCH',
        to: 'api.notion.com/v1/blocks/b1/children',
        json: { children: [{ type: 'divider', divider: {} }] },
      },
      'query-database': {
        params: { databaseId: 'd1', filter: { property: 'Done', checkbox: { equals: true } }, pageSize: 5 },
        method: 'POST',
        to: 'api.notion.com/v1/databases/d1/query',
        json: { filter: { property: 'Done', checkbox: { equals: true } }, page_size: 5 },
      },
    },
  },
  airtable: {
    credentials: { token: 'pat1' },
    headers: { authorization: 'Bearer pat1' },
    operations: {
      'create-record': {
        params: { baseId: 'app1', table: 'Orders 7', fields: { Total: 7 }, typecast: true },
        method: 'POST',
        to: 'api.airtable.com/v0/app1/Orders%207',
        json: { fields: { Total: 7 }, typecast: true },
      },
      'update-record': {
        params: { baseId: 'app1', table: 'tbl1', recordId: 'rec1', fields: { Total: 8 } },
        method: 'PATCH',
        to: 'api.airtable.com/v0/app1/tbl1/rec1',
        json: { fields: { Total: 8 } },
      },
      'find-records': {
        params: { baseId: 'app1', table: 'tbl1', formula: '{Total}>7', maxRecords: 3 },
        method: 'GET',
        to: 'api.airtable.com/v0/app1/tbl1?filterByFormula=%7BTotal%7D%3E7&maxRecords=3',
      },
    },
  },
  hubspot: {
    credentials: { token: 'pat-1' },
    headers: { authorization: 'Bearer pat-1' },
    operations: {
      'create-contact': {
        params: { properties: { email: 'a@example.com' } },
        method: 'POST',
        to: 'api.hubapi.com/crm/v3/objects/contacts',
        json: { properties: { email: 'a@example.com' } },
      },
      'update-contact': {
        params: { email: 'a@example.com', properties: { phone: '7' } },
        method: 'PATCH',
        to: 'api.hubapi.com/crm/v3/objects/contacts/a%40example.com?idProperty=email',
        json: { properties: { phone: '7' } },
      },
      'create-deal': {
        params: { properties: { dealname: 'Till' } },
        method: 'POST',
        to: 'api.hubapi.com/crm/v3/objects/deals',
        json: { properties: { dealname: 'Till' } },
      },
    },
  },
  stripe: {
    credentials: { secretKey: 'sk_1' },
    headers: { authorization: 'Bearer sk_1' },
    operations: {
      'create-customer': {
        params: { email: 'a@example.com', metadata: { order: '7' } },
        method: 'POST',
        to: 'api.stripe.com/v1/customers',
        headers: { 'idempotency-key': KEY },
        form: { email: 'a@example.com', 'metadata[order]': '7' },
      },
      'create-payment-intent': {
        params: { amount: 1999, currency: 'eur', customer: 'cus_1' },
        method: 'POST',
        to: 'api.stripe.com/v1/payment_intents',
        headers: { 'idempotency-key': KEY },
        form: { amount: '1999', currency: 'eur', customer: 'cus_1' },
      },
      'refund-payment': {
        params: { paymentIntent: 'pi_1', reason: 'duplicate' },
        method: 'POST',
        to: 'api.stripe.com/v1/refunds',
        headers: { 'idempotency-key': KEY },
        form: { payment_intent: 'pi_1', reason: 'duplicate' },
      },
      'get-customer': { params: { customer: 'cus_1' }, method: 'GET', to: 'api.stripe.com/v1/customers/cus_1' },
    },
  },
  shopify: {
    credentials: { shop: 'acme', accessToken: 'shpat_1' },
    headers: { 'x-shopify-access-token': 'shpat_1' },
    operations: {
      'get-order': {
        params: { id: 'gid://shopify/Order/7' },
        method: 'POST',
        to: 'acme.myshopify.com/admin/api/2025-07/graphql.json',
        json: {
          query:
            'query($id: ID!) { order(id: $id) { id name email tags displayFinancialStatus displayFulfillmentStatus } }',
          variables: { id: 'gid://shopify/Order/7' },
        },
      },
      graphql: {
        params: { query: '{ shop { name } }' },
        method: 'POST',
        to: 'acme.myshopify.com/admin/api/2025-07/graphql.json',
        json: { query: '{ shop { name } }' },
      },
    },
  },
  zendesk: {
    credentials: { subdomain: 'acme', email: 'ann@example.com', apiToken: 'zt' },
    headers: { authorization: basic('ann@example.com/token', 'zt') },
    operations: {
      'create-ticket': {
        params: { subject: 'Help', body: 'The till is broken', priority: 'high' },
        method: 'POST',
        to: 'acme.zendesk.com/api/v2/tickets.json',
        headers: { 'idempotency-key': KEY },
        json: { ticket: { subject: 'Help', comment: { body: 'The till is broken' }, priority: 'high' } },
      },
      'comment-ticket': {
        params: { ticketId: 7, body: 'Mended' },
        method: 'PUT',
        to: 'acme.zendesk.com/api/v2/tickets/7.json',
        json: { ticket: { comment: { body: 'Mended', public: true } } },
      },
    },
  },
  intercom: {
    credentials: { token: 'intercom-1' },
    headers: { authorization: 'Bearer intercom-1', 'intercom-version': '2.11', accept: 'application/json' },
    operations: {
      'create-contact': {
        params: { email: 'a@example.com', customAttributes: { tier: 'pro' } },
        method: 'POST',
        to: 'api.intercom.io/contacts',
        json: { role: 'user', email: 'a@example.com', custom_attributes: { tier: 'pro' } },
      },
      'add-note': {
        params: { contactId: 'c1', body: 'Called' },
        method: 'POST',
        to: 'api.intercom.io/contacts/c1/notes',
        json: { body: 'Called' },
      },
    },
  },
  openai: {
    credentials: { apiKey: 'sk-1' },
    headers: { authorization: 'Bearer sk-1' },
    operations: {
      'create-response': {
        params: { model: 'm', input: 'Why?', maxOutputTokens: 64 },
        method: 'POST',
        to: 'api.openai.com/v1/responses',
        json: { model: 'm', input: 'Why?', max_output_tokens: 64 },
      },
      'create-embeddings': {
        params: { model: 'm', input: ['a', 'b'] },
        method: 'POST',
        to: 'api.openai.com/v1/embeddings',
        json: { model: 'm', input: ['a', 'b'] },
      },
      moderate: {
        params: { input: 'a' },
        method: 'POST',
        to: 'api.openai.com/v1/moderations',
        json: { input: 'a' },
      },
    },
  },
  anthropic: {
    credentials: { apiKey: 'sk-ant-1' },
    headers: { 'x-api-key': 'sk-ant-1', 'anthropic-version': '2023-06-01' },
    operations: {
      'create-message': {
        params: { model: 'm', prompt: 'Why?', system: 'Be short' },
        method: 'POST',
        to: 'api.anthropic.com/v1/messages',
        json: { model: 'm', max_tokens: 1024, system: 'Be short', messages: [{ role: 'user', content: 'Why?' }] },
      },
      'count-tokens': {
        params: { model: 'm', messages: [{ role: 'user', content: 'Why?' }] },
        method: 'POST',
        to: 'api.anthropic.com/v1/messages/count_tokens',
        json: { model: 'm', messages: [{ role: 'user', content: 'Why?' }] },
      },
    },
  },
  http: {
    credentials: { baseUrl: 'https://crm.example.com/v2', header: 'X-Key', value: 'crm-key' },
    headers: { 'x-key': 'crm-key' },
    operations: {
      get: { params: { path: '/deals', query: { page: 2 } }, method: 'GET', to: 'crm.example.com/v2/deals?page=2' },
      post: {
        params: { path: '/deals', body: [1] },
        method: 'POST',
        to: 'crm.example.com/v2/deals',
        headers: { 'idempotency-key': KEY },
        json: [1],
      },
      put: {
        params: { path: '/deals/7', body: { total: 7 } },
        method: 'PUT',
        to: 'crm.example.com/v2/deals/7',
        headers: { 'idempotency-key': KEY },
        json: { total: 7 },
      },
      patch: {
        params: { path: '/deals/7', body: { total: 7 } },
        method: 'PATCH',
        to: 'crm.example.com/v2/deals/7',
        headers: { 'idempotency-key': KEY },
        json: { total: 7 },
      },
      delete: {
        params: { path: '/deals/7' },
        method: 'DELETE',
        to: 'crm.example.com/v2/deals/7',
        headers: { 'idempotency-key': KEY },
      },
    },
  },
};
