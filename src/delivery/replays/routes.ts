import { idOf, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import {
  bulkDiscardAnswer,
  bulkDiscardBody,
  bulkReplayAnswer,
  bulkReplayAskedAnswer,
  bulkReplayBody,
  bulkRetryAnswer,
  bulkRetryAskedAnswer,
  bulkRetryBody,
  listBulkReplaysQuery,
  listBulkRetriesQuery,
  listMessageReplaysQuery,
  messageReplayAnswer,
  messageReplayAskedAnswer,
  messageReplayBody,
} from './schema.ts';
import type { Replays } from './service.ts';

/** Finds a subscription, or throws NOT_FOUND. */
type Subscriptions = { get(caller: EnvironmentCaller, id: string): Promise<{ id: string }> };

const route = routesOf<{ replays: Replays; subscriptions: Subscriptions }>();
const bulkReplay = { bulkReplayId: idOf('bulkReplay') };
const bulkRetry = { bulkRetryId: idOf('bulkRetry') };
const messageReplay = { messageReplayId: idOf('messageReplay') };

export const replayRoutes = [
  route({
    method: 'POST',
    path: '/v1/dlq/replay',
    access: { scope: 'dlq:write' },
    isRedelivery: true,
    consumes: 'json',
    body: bulkReplayBody,
    answers: { 202: bulkReplayAskedAnswer },
    handle: ({ caller, body }, { replays }) => replays.deadLetters.start(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/replay',
    access: { scope: 'dlq:read' },
    query: listBulkReplaysQuery,
    answers: { 200: pageOf(bulkReplayAnswer) },
    handle: ({ caller, query: { limit, cursor, ...filters } }, { replays }) =>
      replays.deadLetters.list(caller, filters, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/replay/:bulkReplayId',
    params: bulkReplay,
    access: { scope: 'dlq:read' },
    answers: { 200: bulkReplayAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { replays }) => replays.deadLetters.get(caller, params.bulkReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/replay/:bulkReplayId/cancel',
    params: bulkReplay,
    access: { scope: 'dlq:write' },
    answers: { 202: bulkReplayAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { replays }) => replays.deadLetters.cancel(caller, params.bulkReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/discard',
    access: { scope: 'dlq:write' },
    isDangerous: true,
    consumes: 'json',
    body: bulkDiscardBody,
    answers: { 200: bulkDiscardAnswer },
    handle: ({ caller, body }, { replays }) => replays.deadLetters.discard(caller, body),
  }),
  route({
    method: 'POST',
    path: '/v1/deliveries/retry',
    access: { scope: 'dlq:write' },
    isRedelivery: true,
    consumes: 'json',
    body: bulkRetryBody,
    answers: { 202: bulkRetryAskedAnswer },
    handle: ({ caller, body }, { replays }) => replays.deliveries.start(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/retry',
    access: { scope: 'dlq:read' },
    query: listBulkRetriesQuery,
    answers: { 200: pageOf(bulkRetryAnswer) },
    handle: ({ caller, query: { limit, cursor, ...filters } }, { replays }) =>
      replays.deliveries.list(caller, filters, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/retry/:bulkRetryId',
    params: bulkRetry,
    access: { scope: 'dlq:read' },
    answers: { 200: bulkRetryAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { replays }) => replays.deliveries.get(caller, params.bulkRetryId),
  }),
  route({
    method: 'POST',
    path: '/v1/deliveries/retry/:bulkRetryId/cancel',
    params: bulkRetry,
    access: { scope: 'dlq:write' },
    answers: { 202: bulkRetryAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { replays }) => replays.deliveries.cancel(caller, params.bulkRetryId),
  }),
  route({
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/replay',
    params: { subscriptionId: idOf('subscription') },
    access: { scope: 'subscriptions:write' },
    isRedelivery: true,
    consumes: 'json',
    body: messageReplayBody,
    answers: { 202: messageReplayAskedAnswer },
    errors: ['NOT_FOUND'],
    handle: async ({ caller, params: { subscriptionId }, body }, { subscriptions, replays }) =>
      replays.messages.start(caller, await subscriptions.get(caller, subscriptionId), body),
  }),
  route({
    method: 'GET',
    path: '/v1/replays',
    access: { scope: 'subscriptions:read' },
    query: listMessageReplaysQuery,
    answers: { 200: pageOf(messageReplayAnswer) },
    handle: ({ caller, query: { limit, cursor, ...filters } }, { replays }) =>
      replays.messages.list(caller, filters, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/v1/replays/:messageReplayId',
    params: messageReplay,
    access: { scope: 'subscriptions:read' },
    answers: { 200: messageReplayAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { messageReplayId } }, { replays }) => replays.messages.get(caller, messageReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/replays/:messageReplayId/cancel',
    params: messageReplay,
    access: { scope: 'subscriptions:write' },
    answers: { 202: messageReplayAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { messageReplayId } }, { replays }) => replays.messages.cancel(caller, messageReplayId),
  }),
];
