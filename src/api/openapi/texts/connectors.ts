import type { OperationText } from './operation-text.ts';

/** Connectors and their connections. */
export const connectorTexts: Readonly<Record<string, OperationText>> = {
  'GET /v1/connectors': {
    summary: 'List connectors',
    description: 'Services that steps of workflows can ask, by their names.',
    example: { query: { category: 'email' } },
  },
  'GET /v1/connectors/:connectorId': {
    summary: 'Get a connector',
    description: 'Shows a connector with its operations, and the JSON Schemas of their parameters and of credentials.',
  },
  'POST /v1/connections': {
    summary: 'Make a connection',
    description: 'Keeps credentials for a connector sealed. No answer shows them again.',
    example: {
      body: {
        connectorId: 'http',
        name: 'CRM',
        credentials: { baseUrl: 'https://crm.example.com', value: 'Bearer a token' },
      },
    },
  },
  'GET /v1/connections': {
    summary: 'List connections',
    description:
      'Connections of the environment and those that the other one of its app shares, the newest first, without their credentials.',
    example: { query: { connectorId: 'slack' } },
  },
  'GET /v1/connections/:connectionId': {
    summary: 'Get a connection',
    description:
      'Shows one connection, without its credentials. The other environment of the app may see it if it is shared.',
  },
  'PATCH /v1/connections/:connectionId': {
    summary: 'Change a connection',
    description:
      'Changes the name, shares it with the other environment of the app, or replaces all credentials. Attempts of steps use new ones from now on. FORBIDDEN for a connection that the other environment shares.',
    example: { body: { name: 'CRM of the shop' } },
  },
  'DELETE /v1/connections/:connectionId': {
    summary: 'Delete a connection',
    description:
      'Removes a connection for good. A step that still names it fails with the code CONNECTION_MISSING. FORBIDDEN for a connection that the other environment shares.',
  },
  'POST /v1/connections/:connectionId/test': {
    summary: 'Test a connection',
    description:
      'Sends a request that changes nothing, and says whether the service takes the credentials. CONFLICT where the service has no such request.',
  },
  'POST /v1/connections/:connectionId/authorize': {
    summary: 'Authorize a connection',
    description:
      'Gives the address at the provider where somebody consents, good once and for ten minutes. CONFLICT where the connector needs no authorization, FORBIDDEN for a connection that the other environment shares.',
  },
  'GET /oauth/connections/callback': {
    summary: 'Return from a provider',
    description:
      'The redirect URI of clients at providers, which send browsers back here with parameters of their own. The browser is sent on to a page that says how it went.',
    example: { query: { state: 'of the authorization', code: 'of the provider' } },
  },
};
