import { describe, expect, test } from '@jest/globals';
import { routes } from '../../src/routes.ts';

/** The rows of the specification §4, and the two paths of §8, with the issue that brings them where it is not this one. */
const SPECIFIED: { endpoint: string; waitsFor?: string }[] = [
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
  { endpoint: 'GET /v1/connectors/{connectorId}', waitsFor: 'connectors' },
  { endpoint: 'POST /v1/webhooks/{webhookId}' },
  { endpoint: 'POST /oauth/token' },
  { endpoint: 'POST /v1/messages/batch' },
  { endpoint: 'POST /v1/messages/transactional' },
];

/** As the specification writes them. */
const served = new Set(routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`));

describe('the specification', () => {
  test.each(SPECIFIED.filter(({ waitsFor }) => waitsFor === undefined))('$endpoint is served', ({ endpoint }) => {
    expect(served).toContain(endpoint);
  });

  // Red once the endpoint is there: then its row moves up, and this list only gets shorter.
  test.each(SPECIFIED.filter(({ waitsFor }) => waitsFor !== undefined))(
    '$endpoint is missing until the issue of $waitsFor',
    ({ endpoint }) => {
      expect(served).not.toContain(endpoint);
    },
  );
});
