import { exampleId, EXAMPLE_TIME } from '../../api/openapi/examples.ts';
import { idOf, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import {
  bulkDiscardAnswer,
  bulkDiscardBody,
  bulkReplayAnswer,
  bulkReplayOrPreviewAnswer,
  bulkReplayBody,
  bulkRetryAnswer,
  bulkRetryOrPreviewAnswer,
  bulkRetryBody,
  listBulkReplaysQuery,
  listBulkRetriesQuery,
  listMessageReplaysQuery,
  messageReplayAnswer,
  messageReplayOrPreviewAnswer,
  messageReplayBody,
} from './schema.ts';
import type { Replays } from './service.ts';

/** Finds a subscription. Throws NOT_FOUND if there is none. */
type Subscriptions = { get(caller: EnvironmentCaller, id: string): Promise<{ id: string }> };

const route = routesOf<{ replays: Replays; subscriptions: Subscriptions }>({
  replays: 'Repeated delivery of stored messages.',
});
const bulkReplay = { bulkReplayId: idOf('bulkReplay') };
const bulkRetry = { bulkRetryId: idOf('bulkRetry') };
const messageReplay = { messageReplayId: idOf('messageReplay') };

export const replayRoutes = [
  route({
    method: 'POST',
    path: '/v1/dlq/replay',
    operationId: 'deadLetters.replayAll',
    summary: 'Replay many dead letters',
    description:
      'Replays the open dead letters that match a filter and failed before the request; `{}` matches ' +
      'all. `since` and `until` apply to the failure, `createdSince` and `createdUntil` to the creation ' +
      'of the delivery. `dryRun` only counts.',
    example: { body: { channelId: exampleId('channel'), reason: 'exhausted', ratePerSecond: 50 } },
    access: { scope: 'dlq:write' },
    isRedelivery: true,
    consumes: 'json',
    body: bulkReplayBody,
    answers: { 202: bulkReplayOrPreviewAnswer },
    handle: ({ caller, body }, { replays }) => replays.deadLetters.start(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/replay',
    operationId: 'deadLetters.listBulkReplays',
    summary: 'List bulk replays',
    description: 'Replays of dead letters, newest first, with their counts.',
    example: { query: { status: 'completed' } },
    access: { scope: 'dlq:read' },
    query: listBulkReplaysQuery,
    answers: { 200: pageOf(bulkReplayAnswer) },
    handle: ({ caller, query: { limit, cursor, ...filters } }, { replays }) =>
      replays.deadLetters.list(caller, filters, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/replay/:bulkReplayId',
    operationId: 'deadLetters.getBulkReplay',
    summary: 'Get a bulk replay',
    description: 'Shows the progress of a bulk replay.',
    params: bulkReplay,
    access: { scope: 'dlq:read' },
    answers: { 200: bulkReplayAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { replays }) => replays.deadLetters.get(caller, params.bulkReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/replay/:bulkReplayId/cancel',
    operationId: 'deadLetters.cancelBulkReplay',
    summary: 'Cancel a bulk replay',
    description: 'Stops the replay. Deliveries that are already due again stay so.',
    params: bulkReplay,
    access: { scope: 'dlq:write' },
    answers: { 202: bulkReplayAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { replays }) => replays.deadLetters.cancel(caller, params.bulkReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/discard',
    operationId: 'deadLetters.discardAll',
    summary: 'Discard many dead letters',
    description:
      'Discards the oldest 1,000 open dead letters that match a filter; `{}` matches all. `left` counts ' +
      'the rest: repeat the request until it is 0. `dryRun` only counts.',
    example: { body: { channelId: exampleId('channel'), errorClass: 'dns' } },
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
    operationId: 'deliveries.retryAll',
    summary: 'Retry many deliveries',
    description:
      'Retries the deliveries that match a filter and were created before the request; `{}` matches all ' +
      'that have not been delivered. A delivered one is retried only if `status` names `delivered`, and ' +
      'one whose dead letter was discarded never is. `dryRun` only counts.',
    example: { body: { channelId: exampleId('channel'), status: 'retrying', ratePerSecond: 50 } },
    access: { scope: 'dlq:write' },
    isRedelivery: true,
    consumes: 'json',
    body: bulkRetryBody,
    answers: { 202: bulkRetryOrPreviewAnswer },
    handle: ({ caller, body }, { replays }) => replays.deliveries.start(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/retry',
    operationId: 'deliveries.listBulkRetries',
    summary: 'List bulk retries',
    description: 'Bulk retries, newest first, with their counts.',
    example: { query: { status: 'completed' } },
    access: { scope: 'dlq:read' },
    query: listBulkRetriesQuery,
    answers: { 200: pageOf(bulkRetryAnswer) },
    handle: ({ caller, query: { limit, cursor, ...filters } }, { replays }) =>
      replays.deliveries.list(caller, filters, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/retry/:bulkRetryId',
    operationId: 'deliveries.getBulkRetry',
    summary: 'Get a bulk retry',
    description: 'Shows the progress of a bulk retry.',
    params: bulkRetry,
    access: { scope: 'dlq:read' },
    answers: { 200: bulkRetryAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { replays }) => replays.deliveries.get(caller, params.bulkRetryId),
  }),
  route({
    method: 'POST',
    path: '/v1/deliveries/retry/:bulkRetryId/cancel',
    operationId: 'deliveries.cancelBulkRetry',
    summary: 'Cancel a bulk retry',
    description: 'Stops the retry. Deliveries that are already due again stay so.',
    params: bulkRetry,
    access: { scope: 'dlq:write' },
    answers: { 202: bulkRetryAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { replays }) => replays.deliveries.cancel(caller, params.bulkRetryId),
  }),
  route({
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/replay',
    operationId: 'subscriptions.replay',
    summary: 'Replay stored messages',
    description:
      'Delivers stored messages to the subscription again: those published from `since` to before ' +
      '`until` that match its event types and filter today. Messages younger than 5 s are included once ' +
      'they are that old; test messages never are. At most 1,000 deliveries of a replay wait at a time.',
    example: { body: { since: EXAMPLE_TIME, onlyMissing: true } },
    params: { subscriptionId: idOf('subscription') },
    access: { scope: 'subscriptions:write' },
    isRedelivery: true,
    consumes: 'json',
    body: messageReplayBody,
    answers: { 202: messageReplayOrPreviewAnswer },
    errors: ['NOT_FOUND'],
    handle: async ({ caller, params: { subscriptionId }, body }, { subscriptions, replays }) =>
      replays.messages.start(caller, await subscriptions.get(caller, subscriptionId), body),
  }),
  route({
    method: 'GET',
    path: '/v1/replays',
    operationId: 'replays.list',
    summary: 'List message replays',
    description: 'Replays of stored messages, newest first, with their counts.',
    example: { query: { subscriptionId: exampleId('subscription') } },
    access: { scope: 'subscriptions:read' },
    query: listMessageReplaysQuery,
    answers: { 200: pageOf(messageReplayAnswer) },
    handle: ({ caller, query: { limit, cursor, ...filters } }, { replays }) =>
      replays.messages.list(caller, filters, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/v1/replays/:messageReplayId',
    operationId: 'replays.get',
    summary: 'Get a message replay',
    description: 'Shows the progress of a message replay.',
    params: messageReplay,
    access: { scope: 'subscriptions:read' },
    answers: { 200: messageReplayAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { messageReplayId } }, { replays }) => replays.messages.get(caller, messageReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/replays/:messageReplayId/cancel',
    operationId: 'replays.cancel',
    summary: 'Cancel a message replay',
    description: 'Stops the replay. Deliveries that are already due again stay so.',
    params: messageReplay,
    access: { scope: 'subscriptions:write' },
    answers: { 202: messageReplayAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { messageReplayId } }, { replays }) => replays.messages.cancel(caller, messageReplayId),
  }),
];
