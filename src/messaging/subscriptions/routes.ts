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
    summary: 'Make a subscription',
    description:
      'From now on the URL gets the messages of the channel. `startFrom` adds stored ones, by a replay that the answer names. With its `secret` a receiver that comes from elsewhere stays as it is.',
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
    description: 'Subscriptions of the environment, the newest first.',
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
    description: 'Shows one subscription, with its circuit and the requests to its receiver at this moment.',
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
    description: 'Changes the fields that are given. `retryPolicy` is merged; `eventTypes` and `headers` are replaced.',
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
    description: 'Deletes the subscription. Deliveries of it that are not finished end as dead letters.',
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
    description: 'Its deliveries wait until it is resumed.',
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
    description: 'Makes a paused or disabled subscription active. Waiting deliveries go out.',
    params,
    access: { scope: 'subscriptions:write' },
    answers: { 200: subscriptionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.resume(caller, subscriptionId),
  }),
  // Reading the secret is as powerful as changing it: whoever has it can sign in our name.
  route({
    method: 'GET',
    path: `${PATH}/secret`,
    operationId: 'subscriptions.getSecret',
    summary: 'Get the signing secret',
    description: 'Shows the secret by which the subscriber verifies requests (Standard Webhooks).',
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
    description: 'Makes a new secret, or takes yours. Older ones go on signing beside it for `overlapHours`.',
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
