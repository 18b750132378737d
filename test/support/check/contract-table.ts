import { z } from 'zod';
import { withIds } from '../make/example-bodies.ts';
import { routes } from '../../../src/process/routes.ts';
import { channelAnswer } from '../../../src/messaging/channels/schema.ts';
import { deadLetterAnswer, deadLetterGroupsAnswer } from '../../../src/delivery/dead-letters/schema.ts';
import { attemptAnswer, deliveryAnswer } from '../../../src/delivery/record/schema.ts';
import { searchResultsAnswer } from '../../../src/insight/search/schema.ts';
import { messageAnswer, messageSummaryAnswer, tracedMessageAnswer } from '../../../src/messaging/messages/schema.ts';
import {
  batchAnswer,
  dryRunAnswer,
  filterTestAnswer,
  messageRoutingAnswer,
  publishedAnswer,
  payloadValidationAnswer,
} from '../../../src/messaging/publishing/schema.ts';
import { cancelledMessageAnswer } from '../../../src/messaging/scheduling/schema.ts';
import {
  backlogAnswer,
  channelStatsAnswer,
  runStatsAnswer,
  statsAnswer,
  subscriptionStatsAnswer,
  webhookStatsAnswer,
  workflowStatsAnswer,
} from '../../../src/insight/stats/schema.ts';
import { secretAnswer, subscriptionAnswer } from '../../../src/messaging/subscriptions/schema.ts';
import { IDENTITY } from './contract-identity.ts';
import type { ContractRow, ResourceIds } from './contract-row.ts';
import { AUTOMATION_ROWS } from './automation-rows.ts';
import { CONNECTOR_ROWS } from './connector-rows.ts';
import { CREDENTIAL_ROWS } from './credential-rows.ts';
import { INBOUND_ROWS } from './inbound-rows.ts';
import { INSPECTOR_ROWS } from './inspector-rows.ts';
import { SERVICE_ROWS } from './service-rows.ts';
import { REPLAY_ROWS } from './replay-rows.ts';
import { SECRET_ROWS } from './secret-rows.ts';

export type { ContractRow, ResourceIds };

const message = { eventType: 'order.created', payload: { n: 1 } };

const WRITTEN: ContractRow[] = [
  {
    method: 'POST',
    path: '/v1/channels',
    scope: 'channels:write',
    status: 201,
    answers: channelAnswer,
    body: () => ({ name: 'orders' }),
  },
  { method: 'GET', path: '/v1/channels', scope: 'channels:read', status: 200, listOf: channelAnswer },
  { method: 'GET', path: '/v1/channels/:channelId', scope: 'channels:read', status: 200, answers: channelAnswer },
  {
    method: 'PATCH',
    path: '/v1/channels/:channelId',
    scope: 'channels:write',
    status: 200,
    answers: channelAnswer,
    body: () => ({ name: 'renamed' }),
  },
  { method: 'DELETE', path: '/v1/channels/:channelId', scope: 'channels:write', status: 204 },
  {
    method: 'POST',
    path: '/v1/channels/:channelId/messages',
    scope: 'messages:write',
    status: 202,
    answers: publishedAnswer,
    body: () => message,
    otherBodies: ({ channelId }) => [{ ...message, channelId }],
  },
  {
    method: 'POST',
    path: '/v1/channels/:channelId/messages/batch',
    scope: 'messages:write',
    status: 202,
    answers: batchAnswer,
    body: () => ({ messages: [message, message] }),
  },
  ...['/v1/messages/batch', '/v1/messages/transactional'].map(
    (path): ContractRow => ({
      method: 'POST',
      path,
      scope: 'messages:write',
      status: 202,
      answers: batchAnswer,
      body: ({ channelId }) => ({ messages: [{ ...message, channelId }] }),
    }),
  ),
  {
    method: 'POST',
    path: '/v1/channels/:channelId/validate',
    scope: 'messages:write',
    status: 200,
    answers: payloadValidationAnswer,
    body: () => message,
    otherBodies: ({ channelId }) => [{ ...message, channelId }],
  },
  {
    method: 'POST',
    path: '/v1/channels/:channelId/dry-run',
    scope: 'messages:write',
    status: 200,
    answers: dryRunAnswer,
    body: () => ({ ...message, filter: 'payload.n == 1' }),
    otherBodies: ({ subscriptionId, messageId }) => [{ ...message, subscriptionId }, { messageId }],
  },
  {
    method: 'GET',
    path: '/v1/messages/:messageId/routing',
    scope: 'messages:read',
    status: 200,
    answers: messageRoutingAnswer,
  },
  {
    method: 'POST',
    path: '/v1/channels/:channelId/filter-test',
    scope: 'messages:read',
    status: 200,
    answers: filterTestAnswer,
    body: () => ({ filter: 'payload.n == 1' }),
    otherBodies: () => [{ filter: 'payload.n == 1', limit: 3 }],
  },
  {
    method: 'GET',
    path: '/v1/channels/:channelId/messages',
    scope: 'messages:read',
    status: 200,
    listOf: messageAnswer,
  },
  {
    method: 'GET',
    path: '/v1/channels/:channelId/scheduled',
    scope: 'messages:read',
    status: 200,
    listOf: messageAnswer,
  },
  { method: 'GET', path: '/v1/messages', scope: 'messages:read', status: 200, listOf: messageSummaryAnswer },
  { method: 'GET', path: '/v1/messages/export', scope: 'messages:read', status: 200, isLines: true },
  { method: 'GET', path: '/v1/deliveries/export', scope: 'deliveries:read', status: 200, isLines: true },
  { method: 'GET', path: '/v1/dlq/export', scope: 'dlq:read', status: 200, isLines: true },
  { method: 'GET', path: '/v1/runs/export', scope: 'workflows:read', status: 200, isLines: true },
  { method: 'GET', path: '/v1/changes', scope: 'messages:read', status: 200, isStream: true },
  { method: 'GET', path: '/v1/search', scope: 'messages:read', status: 200, answers: searchResultsAnswer },
  { method: 'GET', path: '/v1/channels/:channelId/stream', scope: 'messages:read', status: 200, isStream: true },
  { method: 'GET', path: '/v1/messages/:messageId', scope: 'messages:read', status: 200, answers: tracedMessageAnswer },
  {
    method: 'POST',
    path: '/v1/messages/:scheduledMessageId/cancel',
    scope: 'messages:write',
    status: 200,
    answers: cancelledMessageAnswer,
  },
  { method: 'DELETE', path: '/v1/messages/:messageId', scope: 'messages:write', status: 204 },
  {
    method: 'POST',
    path: '/v1/subscriptions',
    scope: 'subscriptions:write',
    status: 201,
    answers: subscriptionAnswer,
    body: ({ channelId }) => ({ channelId, webhookUrl: 'https://example.com/in' }),
  },
  { method: 'GET', path: '/v1/subscriptions', scope: 'subscriptions:read', status: 200, listOf: subscriptionAnswer },
  {
    method: 'GET',
    path: '/v1/subscriptions/:subscriptionId',
    scope: 'subscriptions:read',
    status: 200,
    answers: subscriptionAnswer,
  },
  {
    method: 'PATCH',
    path: '/v1/subscriptions/:subscriptionId',
    scope: 'subscriptions:write',
    status: 200,
    answers: subscriptionAnswer,
    body: () => ({ name: 'renamed' }),
  },
  { method: 'DELETE', path: '/v1/subscriptions/:subscriptionId', scope: 'subscriptions:write', status: 204 },
  {
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/pause',
    scope: 'subscriptions:write',
    status: 200,
    answers: subscriptionAnswer,
  },
  {
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/resume',
    scope: 'subscriptions:write',
    status: 200,
    answers: subscriptionAnswer,
  },
  {
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/test',
    scope: 'subscriptions:write',
    status: 202,
    answers: publishedAnswer,
    body: () => ({ eventType: 'order.tested', payload: { n: 2 } }),
    isBodyOptional: true,
  },
  {
    method: 'GET',
    path: '/v1/subscriptions/:subscriptionId/secret',
    // Whoever can read the secret can sign in our name, so reading it requires the right to change it.
    scope: 'subscriptions:write',
    status: 200,
    answers: secretAnswer,
  },
  {
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/secret/rotate',
    scope: 'subscriptions:write',
    status: 200,
    answers: secretAnswer,
    body: () => ({ overlapHours: 1 }),
    isBodyOptional: true,
  },
  { method: 'GET', path: '/v1/deliveries', scope: 'deliveries:read', status: 200, listOf: deliveryAnswer },
  { method: 'GET', path: '/v1/deliveries/:deliveryId', scope: 'deliveries:read', status: 200, answers: deliveryAnswer },
  {
    method: 'GET',
    path: '/v1/deliveries/:deliveryId/attempts',
    scope: 'deliveries:read',
    status: 200,
    listOf: attemptAnswer,
  },
  {
    method: 'POST',
    path: '/v1/deliveries/:deliveryId/retry',
    scope: 'dlq:write',
    status: 202,
    answers: deliveryAnswer,
  },
  { method: 'GET', path: '/v1/stats', scope: 'deliveries:read', status: 200, answers: statsAnswer },
  {
    method: 'GET',
    path: '/v1/stats/subscriptions',
    scope: 'deliveries:read',
    status: 200,
    answers: subscriptionStatsAnswer,
  },
  { method: 'GET', path: '/v1/stats/channels', scope: 'deliveries:read', status: 200, answers: channelStatsAnswer },
  { method: 'GET', path: '/v1/stats/workflows', scope: 'workflows:read', status: 200, answers: workflowStatsAnswer },
  { method: 'GET', path: '/v1/stats/webhooks', scope: 'webhooks:read', status: 200, answers: webhookStatsAnswer },
  { method: 'GET', path: '/v1/stats/runs', scope: 'workflows:read', status: 200, answers: runStatsAnswer },
  { method: 'GET', path: '/v1/stats/backlog', scope: 'deliveries:read', status: 200, answers: backlogAnswer },
  { method: 'GET', path: '/v1/dlq', scope: 'dlq:read', status: 200, listOf: deadLetterAnswer },
  { method: 'GET', path: '/v1/dlq/groups', scope: 'dlq:read', status: 200, answers: deadLetterGroupsAnswer },
  { method: 'GET', path: '/v1/dlq/:deadLetterId', scope: 'dlq:read', status: 200, answers: deadLetterAnswer },
  { method: 'DELETE', path: '/v1/dlq/:deadLetterId', scope: 'dlq:write', status: 204 },
  { method: 'POST', path: '/v1/dlq/:deadLetterId/replay', scope: 'dlq:write', status: 202, answers: deliveryAnswer },
  ...REPLAY_ROWS,
  ...AUTOMATION_ROWS,
  ...INBOUND_ROWS,
  ...INSPECTOR_ROWS,
  ...SERVICE_ROWS,
  ...SECRET_ROWS,
  ...CONNECTOR_ROWS,
  ...CREDENTIAL_ROWS,
  ...IDENTITY,
];

/**
 * Rows of resources that the specification does not name. The route row says what to expect, and its example is a valid body. To
 * protect a scope or a status against an unnoticed change, write the row by hand above.
 */
const DERIVED: ContractRow[] = routes.flatMap((row): ContractRow[] => {
  const { access, method, path, status, example } = row;
  if (typeof access !== 'object' || WRITTEN.some((each) => each.method === method && each.path === path)) return [];
  const answer = row.answers[status];
  const item = answer instanceof z.ZodObject ? (answer.shape as { data?: unknown }).data : undefined;
  const body = example?.body;
  return [
    {
      method,
      path,
      scope: access.scope,
      ...(access.level !== undefined && { level: access.level }),
      // `as`: redirects need no scope.
      status: status as ContractRow['status'],
      // `as`: a list's items are a schema.
      ...(item instanceof z.ZodArray
        ? { listOf: item.element as z.ZodType }
        : status !== 204 && { answers: answer as z.ZodType }),
      // `as`: what a test posts is an object.
      ...(body !== undefined && {
        body: (ids: ResourceIds) => withIds(body, (kind) => ids[`${kind}Id`]) as Record<string, unknown>,
      }),
    },
  ];
});

export const CONTRACT: ContractRow[] = [...WRITTEN, ...DERIVED];

/** Resources that `DERIVED` can create: the path to post to, and the parameter that names the created resource. */
export const DERIVED_RESOURCES = DERIVED.flatMap(({ method, path, status, body }) => {
  const one = DERIVED.find((each) => each.path.startsWith(`${path}/:`));
  if (method !== 'POST' || status !== 201 || body === undefined || one === undefined) return [];
  return [{ path, body, parameter: parameterOf(one.path) as string }];
});

/** Returns the parameter of a path, or undefined if it has none. No path has two. */
export function parameterOf(path: string): keyof ResourceIds | undefined {
  // `as`: the tables' parameters are the ids' names; a path with another one finds no id and fails its test.
  return /:(\w+)/.exec(path)?.[1] as keyof ResourceIds | undefined;
}

/** A path with its parameter filled in, percent-encoded. */
export const fillPath = (path: string, id: string): string => path.replace(/:\w+/, encodeURIComponent(id));
