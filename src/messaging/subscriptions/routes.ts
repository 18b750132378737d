import { exampleId } from '../../api/openapi/examples.ts';
import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import {
  createdSubscriptionAnswer,
  createSubscriptionBody,
  listSubscriptionsQuery,
  rotateSecretBody,
  secretAnswer,
  subscriptionAnswer,
  updateSubscriptionBody,
} from './schema.ts';
import type { Subscriptions } from './service.ts';

const PATH = '/v1/subscriptions/:subscriptionId';

const route = routesOf<{ subscriptions: Subscriptions }>({
  subscriptions: 'Webhooks that receive the messages of a channel.',
});
const params = { subscriptionId: idOf('subscription') };

export const subscriptionRoutes = [
  route({
    method: 'POST',
    path: '/v1/subscriptions',
    operationId: 'subscriptions.create',
    summary: 'Create a subscription',
    description:
      'The URL receives the messages of the channel from now on. With `startFrom`, stored messages are ' +
      'delivered too, by the replay named in the response. With `secret`, a receiver that you move here ' +
      'keeps its signing secret.',
    example: {
      body: {
        channelId: exampleId('channel'),
        webhookUrl: 'https://example.com/hooks/orders',
        eventTypes: ['order.*'],
        filter: 'payload.total > 10',
        retryPolicy: { maxRetries: 8 },
      },
    },
    access: { scope: 'subscriptions:write' },
    // With startFrom.
    isRedelivery: true,
    consumes: 'json',
    body: createSubscriptionBody,
    answers: { 201: createdSubscriptionAnswer },
    errors: ['CONFLICT'],
    handle: ({ caller, body }, { subscriptions }) => subscriptions.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/subscriptions',
    operationId: 'subscriptions.list',
    summary: 'List subscriptions',
    description:
      'Subscriptions of the environment, newest first. With `name`, each page scans 5,000 rows; if ' +
      '`hasMore` is true, continue with the cursor even if the page is not full.',
    example: { query: { channelId: exampleId('channel') } },
    access: { scope: 'subscriptions:read' },
    query: listSubscriptionsQuery,
    answers: { 200: pageOf(subscriptionAnswer) },
    handle: ({ caller, query }, { subscriptions }) => subscriptions.list(caller, query),
  }),
  route({
    method: 'GET',
    path: PATH,
    operationId: 'subscriptions.get',
    summary: 'Get a subscription',
    description: 'Shows a subscription with its circuit breaker and the current requests to its receiver.',
    params,
    access: { scope: 'subscriptions:read' },
    answers: { 200: subscriptionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.get(caller, subscriptionId),
  }),
  route({
    method: 'PATCH',
    path: PATH,
    operationId: 'subscriptions.update',
    summary: 'Change a subscription',
    description:
      'Changes the fields that are given. `retryPolicy` is merged; `eventTypes` and `headers` are ' +
      'replaced; null clears `owner`, `filter`, `maxConcurrency` and `rateLimit`. `circuitBreaker: ' +
      'false` closes an open circuit, and its waiting deliveries are due at once.',
    example: { body: { retryPolicy: { maxDelay: 600_000 }, timeoutMs: 5_000 } },
    params,
    access: { scope: 'subscriptions:write' },
    consumes: 'json',
    body: updateSubscriptionBody,
    answers: { 200: subscriptionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId }, body }, { subscriptions }) =>
      subscriptions.update(caller, subscriptionId, body),
  }),
  route({
    method: 'DELETE',
    path: PATH,
    operationId: 'subscriptions.delete',
    summary: 'Delete a subscription',
    description:
      'Deletes the subscription. Its unfinished deliveries fail with the reason `subscription_deleted` ' +
      '(the last ones of a long backlog up to a minute later). They do not become dead letters, because ' +
      'they could not be replayed.',
    params,
    access: { scope: 'subscriptions:write' },
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.delete(caller, subscriptionId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/pause`,
    operationId: 'subscriptions.pause',
    summary: 'Pause a subscription',
    description: 'Deliveries wait until the subscription is resumed.',
    params,
    access: { scope: 'subscriptions:write' },
    answers: { 200: subscriptionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.pause(caller, subscriptionId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/resume`,
    operationId: 'subscriptions.resume',
    summary: 'Resume a subscription',
    description:
      'Activates a paused or disabled subscription. Waiting deliveries are sent, oldest first, but can ' +
      'arrive in a different order.',
    params,
    access: { scope: 'subscriptions:write' },
    answers: { 200: subscriptionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.resume(caller, subscriptionId),
  }),
  // Reading the secret is as powerful as changing it: whoever has it can sign requests in our name.
  route({
    method: 'GET',
    path: `${PATH}/secret`,
    operationId: 'subscriptions.getSecret',
    summary: 'Get the signing secret',
    description: 'Returns the secret with which the receiver verifies requests (Standard Webhooks).',
    params,
    access: { scope: 'subscriptions:write' },
    isDangerous: true,
    answers: { 200: secretAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.secret(caller, subscriptionId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/secret/rotate`,
    operationId: 'subscriptions.rotateSecret',
    summary: 'Rotate the signing secret',
    description:
      'Creates a new secret, or sets the given one. Older secrets sign in addition to it for ' +
      '`overlapHours`; with 0 they end at once.',
    example: { body: { overlapHours: 24 } },
    params,
    access: { scope: 'subscriptions:write' },
    isDangerous: true,
    consumes: 'json',
    body: rotateSecretBody,
    answers: { 200: secretAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId }, body }, { subscriptions }) =>
      subscriptions.rotateSecret(caller, subscriptionId, body),
  }),
];
