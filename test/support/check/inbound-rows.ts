import {
  acceptedRequestAnswer,
  inboundRequestAnswer,
  refusalAnswer,
  requestBodyAnswer,
  webhookSampleAnswer,
  sentSampleAnswer,
  webhookAnswer,
  webhookSecretsAnswer,
} from '../../../src/inbound/schema.ts';
import type { ContractRow } from './contract-row.ts';

/** Endpoints of inbound webhooks except their public addresses (people-table.ts). */
export const INBOUND_ROWS: ContractRow[] = [
  { method: 'GET', path: '/v1/webhooks', scope: 'webhooks:read', status: 200, listOf: webhookAnswer },
  {
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'webhooks:write',
    status: 201,
    answers: webhookAnswer,
    body: ({ channelId }) => ({ name: 'GitHub', channelId, provider: 'github' }),
  },
  { method: 'GET', path: '/v1/webhooks/:webhookId', scope: 'webhooks:read', status: 200, answers: webhookAnswer },
  {
    method: 'PATCH',
    path: '/v1/webhooks/:webhookId',
    scope: 'webhooks:write',
    status: 200,
    answers: webhookAnswer,
    body: () => ({ name: 'renamed' }),
  },
  { method: 'DELETE', path: '/v1/webhooks/:webhookId', scope: 'webhooks:write', status: 204 },
  {
    method: 'GET',
    path: '/v1/webhooks/:webhookId/secrets',
    // Whoever can read the secret can send in the name of the sending service, so reading it requires the right to change it.
    scope: 'webhooks:write',
    status: 200,
    answers: webhookSecretsAnswer,
  },
  {
    method: 'POST',
    path: '/v1/webhooks/:webhookId/secrets/rotate',
    scope: 'webhooks:write',
    status: 200,
    answers: webhookSecretsAnswer,
    body: () => ({ overlapHours: 1 }),
    isBodyOptional: true,
  },
  {
    method: 'GET',
    path: '/v1/webhooks/:webhookId/sample',
    scope: 'webhooks:read',
    status: 200,
    answers: webhookSampleAnswer,
  },
  {
    method: 'POST',
    path: '/v1/webhooks/:webhookId/sample',
    scope: 'webhooks:write',
    status: 200,
    answers: sentSampleAnswer,
    body: () => ({ body: '{"n": 1}' }),
    isBodyOptional: true,
  },
  {
    method: 'GET',
    path: '/v1/webhooks/:webhookId/requests',
    scope: 'webhooks:read',
    status: 200,
    listOf: inboundRequestAnswer,
  },
  {
    method: 'GET',
    path: '/v1/inbound-requests/:requestId/body',
    // A body is content, as a payload is.
    scope: 'messages:read',
    status: 200,
    answers: requestBodyAnswer,
  },
  {
    method: 'POST',
    path: '/v1/inbound-requests/:requestId/accept',
    scope: 'webhooks:write',
    status: 200,
    answers: acceptedRequestAnswer,
  },
  {
    method: 'GET',
    path: '/v1/webhooks/:webhookId/refusals',
    scope: 'webhooks:read',
    status: 200,
    listOf: refusalAnswer,
  },
];
