import { EXAMPLE_TIME, exampleId } from './example-ids.ts';
import type { OperationText } from './operation-text.ts';

/** Credentials, apps, the audit log, and tokens. */
export const accessTexts: Readonly<Record<string, OperationText>> = {
  'GET /v1/api-keys': {
    summary: 'List API keys',
    description: 'API keys of the environment, without their texts.',
    example: { query: { status: 'active' } },
  },
  'POST /v1/api-keys': {
    summary: 'Make an API key',
    description:
      "The answer shows the key, and nothing ever shows it again. The key never has more rights than its maker; fields that are left out are the maker's.",
    example: { body: { name: 'till', scopes: ['messages:write'] } },
  },
  'GET /v1/api-keys/:apiKeyId': { summary: 'Get an API key', description: 'Shows an API key without its text.' },
  'PATCH /v1/api-keys/:apiKeyId': {
    summary: 'Change an API key',
    description: 'Changes the fields that are given. Limits are merged, and null gives one back to the tier.',
    example: { body: { name: 'till 2', limits: { requestsPerMinute: 600 } } },
  },
  'DELETE /v1/api-keys/:apiKeyId': {
    summary: 'Revoke an API key',
    description: 'Ends the key for ever. The list still shows it.',
  },
  'POST /v1/api-keys/:apiKeyId/rotate': {
    summary: 'Rotate an API key',
    description: 'Gives the key a new text. The old one is taken for `overlapSeconds` more.',
    example: { body: { overlapSeconds: 3_600 } },
  },
  'GET /v1/machine-credentials': {
    summary: 'List machine credentials',
    description: 'Clients of the token endpoint, without their secrets.',
    example: { query: { status: 'active' } },
  },
  'POST /v1/machine-credentials': {
    summary: 'Make a machine credential',
    description: 'The answer shows the client secret, and nothing ever shows it again.',
    example: { body: { name: 'till', scopes: ['messages:write'] } },
  },
  'GET /v1/machine-credentials/:machineCredentialId': {
    summary: 'Get a machine credential',
    description: 'Shows a machine credential without its secrets.',
  },
  'PATCH /v1/machine-credentials/:machineCredentialId': {
    summary: 'Change a machine credential',
    description: 'Changes the fields that are given. Limits are merged, and null gives one back to the tier.',
    example: { body: { name: 'till 2' } },
  },
  'DELETE /v1/machine-credentials/:machineCredentialId': {
    summary: 'Revoke a machine credential',
    description: 'Ends the credential and its tokens for ever. The list still shows it.',
  },
  'POST /v1/machine-credentials/:machineCredentialId/rotate': {
    summary: 'Rotate a client secret',
    description:
      'Makes a new client secret. Older ones stay valid for `overlapHours`. CONFLICT while three older ones are valid, unless `overlapHours` is 0, which ends all of them.',
    example: { body: { overlapHours: 24 } },
  },
  'GET /v1/apps': {
    summary: 'List apps',
    description: 'Apps of the organisation, the newest first.',
    example: { query: { status: 'active' } },
  },
  'POST /v1/apps': {
    summary: 'Make an app',
    description: 'An app has an environment `live` and an environment `test`.',
    example: { body: { name: 'Shop', settings: { retentionDays: 30 } } },
  },
  'GET /v1/apps/:appId': { summary: 'Get an app', description: 'Shows one app with its defaults in force.' },
  'PATCH /v1/apps/:appId': {
    summary: 'Change an app',
    description: 'Changes the fields that are given. Settings are merged, and null gives one back to the service.',
    example: { body: { description: 'The shop', settings: { timeoutMs: 10_000 } } },
  },
  'GET /v1/audit': {
    summary: 'List audit entries',
    description: 'Changes in the organisation or the app, the newest first.',
    example: { query: { since: EXAMPLE_TIME } },
  },
  'GET /v1/audit/:auditEntryId': {
    summary: 'Get an audit entry',
    description: 'Shows one change as a whole.',
  },
  'GET /v1/audit/export': {
    summary: 'Export the audit log',
    description: 'Gives every entry as a line of JSON, the oldest first, so that the chain of hashes can be checked.',
    example: { query: { since: EXAMPLE_TIME } },
  },
  'POST /oauth/token': {
    summary: 'Ask for an access token',
    description:
      'The client credentials grant of RFC 6749 with a proof of RFC 9449 in the header `DPoP`. `client_secret` is an HMAC over that proof, so that the secret itself is never sent. The body is JSON or a form.',
    example: {
      body: {
        grant_type: 'client_credentials',
        client_id: exampleId('machineCredential'),
        client_secret: 'GkS5Qx9n2wqRr0v8u1eYz7mB4cD6fH3jKpLtNaVbXcE',
        scope: 'messages:write',
      },
      status: 400,
    },
  },
  'GET /.well-known/jwks.json': {
    summary: 'Get the public keys of tokens',
    description: 'Keys by which access tokens can be verified (RFC 7517).',
  },
  'GET /.well-known/oauth-authorization-server': {
    summary: 'Get the metadata of the token endpoint',
    description: 'Metadata of the authorization server (RFC 8414).',
  },
};
