import { describe, expect, test } from '@jest/globals';
import { routes } from '../../src/routes.ts';

/** The rows of the specification §4, and the two paths of §8. */
const SPECIFIED: { endpoint: string }[] = [
  { endpoint: 'POST /v1/channels' },
  { endpoint: 'GET /v1/channels' },
  { endpoint: 'GET /v1/channels/{channelId}' },
  { endpoint: 'PATCH /v1/channels/{channelId}' },
  { endpoint: 'POST /v1/channels/{channelId}/messages/batch' },
  { endpoint: 'GET /v1/channels/{channelId}/messages' },
  { endpoint: 'POST /v1/subscriptions' },
  { endpoint: 'PATCH /v1/subscriptions/{subscriptionId}' },
  { endpoint: 'POST /v1/subscriptions/{subscriptionId}/pause' },
  { endpoint: 'GET /v1/deliveries' },
  { endpoint: 'POST /v1/workflows' },
  { endpoint: 'GET /v1/workflows' },
  { endpoint: 'GET /v1/workflows/{workflowId}' },
  { endpoint: 'PATCH /v1/workflows/{workflowId}' },
  { endpoint: 'POST /v1/workflows/{workflowId}/activate' },
  { endpoint: 'PATCH /v1/apps/{appId}' },
  { endpoint: 'GET /v1/connectors/{connectorId}' },
  { endpoint: 'POST /v1/webhooks/{webhookId}' },
  { endpoint: 'POST /oauth/token' },
  { endpoint: 'POST /v1/messages/batch' },
  { endpoint: 'POST /v1/messages/transactional' },
];

/** As the specification writes them. */
const served = new Set(routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`));

describe('the specification', () => {
  test.each(SPECIFIED)('$endpoint is served', ({ endpoint }) => {
    expect(served).toContain(endpoint);
  });
});
