import { exampleId } from '../../api/openapi/examples.ts';
import { idOf, pageOf } from '../../api/http/answers/answer-fields.ts';
import { pageQuery } from '../../api/http/reading/query.ts';
import { routesOf } from '../../api/http/route/route.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { attemptAnswer, deliveryAnswer, listDeliveriesQuery, replayMessageBody } from './schema.ts';
import type { Deliveries, ReplayedMessage } from './service.ts';

/** Finds a message, or throws NOT_FOUND. */
type Messages = { get(caller: EnvironmentCaller, id: string): Promise<ReplayedMessage> };

const route = routesOf<{ deliveries: Deliveries; messages: Messages }>({
  deliveries: 'Messages on their way to a subscription, with every attempt.',
});
const params = { deliveryId: idOf('delivery') };

export const deliveryRoutes = [
  route({
    method: 'GET',
    path: '/v1/deliveries',
    operationId: 'deliveries.list',
    summary: 'List deliveries',
    description: 'Deliveries of the environment, the newest first.',
    example: { query: { status: 'failed' } },
    access: { scope: 'deliveries:read' },
    query: listDeliveriesQuery,
    answers: { 200: pageOf(deliveryAnswer) },
    handle: ({ caller, query }, { deliveries }) => deliveries.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/:deliveryId',
    operationId: 'deliveries.get',
    summary: 'Get a delivery',
    description: 'Shows one delivery: a message on its way to a subscription.',
    params,
    access: { scope: 'deliveries:read' },
    answers: { 200: deliveryAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { deliveryId } }, { deliveries }) => deliveries.get(caller, deliveryId),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/:deliveryId/attempts',
    operationId: 'deliveries.listAttempts',
    summary: 'List attempts of a delivery',
    description: 'Shows every request that was made for the delivery, with its answer or its failure.',
    params,
    access: { scope: 'deliveries:read' },
    query: pageQuery,
    answers: { 200: pageOf(attemptAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { deliveryId }, query }, { deliveries }) =>
      deliveries.listAttempts(caller, deliveryId, query),
  }),
  route({
    method: 'POST',
    path: '/v1/deliveries/:deliveryId/retry',
    operationId: 'deliveries.retry',
    summary: 'Retry a delivery',
    description: 'Makes a failed delivery due again, in a new round of its policy.',
    params,
    access: { scope: 'dlq:write' },
    isRedelivery: true,
    answers: { 202: deliveryAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { deliveryId } }, { deliveries }) => deliveries.retry(caller, deliveryId),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/:messageId/replay',
    operationId: 'messages.replay',
    summary: 'Replay one message',
    description:
      'Delivers one stored message to one subscription of its channel, whatever the event types and the filter of that say. The delivery of before is sent anew, or one is made.',
    example: { body: { subscriptionId: exampleId('subscription') } },
    params: { messageId: idOf('message') },
    access: { scope: 'subscriptions:write' },
    isRedelivery: true,
    consumes: 'json',
    body: replayMessageBody,
    answers: { 202: deliveryAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params: { messageId }, body }, { messages, deliveries }) =>
      deliveries.replay(caller, await messages.get(caller, messageId), body.subscriptionId),
  }),
];
