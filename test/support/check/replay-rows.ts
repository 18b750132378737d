import { deliveryAnswer } from '../../../src/delivery/record/schema.ts';
import {
  bulkDiscardAnswer,
  bulkReplayAnswer,
  bulkRetryAnswer,
  messageReplayAnswer,
} from '../../../src/delivery/replays/schema.ts';
import type { ContractRow } from './contract-row.ts';

/** Rows of the contract about bulk replays and retries. */
export const REPLAY_ROWS: ContractRow[] = [
  {
    method: 'POST',
    path: '/v1/dlq/replay',
    scope: 'dlq:write',
    status: 202,
    answers: bulkReplayAnswer,
    body: ({ channelId }) => ({ channelId }),
    otherBodies: ({ subscriptionId, messageId, workflowId }) => [{ subscriptionId }, { messageId }, { workflowId }],
  },
  {
    method: 'POST',
    path: '/v1/dlq/discard',
    scope: 'dlq:write',
    status: 200,
    answers: bulkDiscardAnswer,
    body: ({ channelId }) => ({ channelId }),
    otherBodies: ({ subscriptionId, messageId, workflowId }) => [{ subscriptionId }, { messageId }, { workflowId }],
  },
  { method: 'GET', path: '/v1/dlq/replay', scope: 'dlq:read', status: 200, listOf: bulkReplayAnswer },
  { method: 'GET', path: '/v1/dlq/replay/:bulkReplayId', scope: 'dlq:read', status: 200, answers: bulkReplayAnswer },
  {
    method: 'POST',
    path: '/v1/dlq/replay/:bulkReplayId/cancel',
    scope: 'dlq:write',
    status: 202,
    answers: bulkReplayAnswer,
  },
  {
    method: 'POST',
    path: '/v1/deliveries/retry',
    scope: 'dlq:write',
    status: 202,
    answers: bulkRetryAnswer,
    body: ({ channelId }) => ({ channelId }),
    otherBodies: ({ subscriptionId, messageId }) => [{ subscriptionId }, { messageId }],
  },
  { method: 'GET', path: '/v1/deliveries/retry', scope: 'dlq:read', status: 200, listOf: bulkRetryAnswer },
  {
    method: 'GET',
    path: '/v1/deliveries/retry/:bulkRetryId',
    scope: 'dlq:read',
    status: 200,
    answers: bulkRetryAnswer,
  },
  {
    method: 'POST',
    path: '/v1/deliveries/retry/:bulkRetryId/cancel',
    scope: 'dlq:write',
    status: 202,
    answers: bulkRetryAnswer,
  },
  {
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/replay',
    scope: 'subscriptions:write',
    status: 202,
    answers: messageReplayAnswer,
    body: () => ({ since: '2026-01-01T00:00:00Z' }),
  },
  {
    method: 'POST',
    path: '/v1/messages/:messageId/replay',
    scope: 'subscriptions:write',
    status: 202,
    answers: deliveryAnswer,
    body: ({ subscriptionId }) => ({ subscriptionId }),
  },
  { method: 'GET', path: '/v1/replays', scope: 'subscriptions:read', status: 200, listOf: messageReplayAnswer },
  {
    method: 'GET',
    path: '/v1/replays/:messageReplayId',
    scope: 'subscriptions:read',
    status: 200,
    answers: messageReplayAnswer,
  },
  {
    method: 'POST',
    path: '/v1/replays/:messageReplayId/cancel',
    scope: 'subscriptions:write',
    status: 202,
    answers: messageReplayAnswer,
  },
];
