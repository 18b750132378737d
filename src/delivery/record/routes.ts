import { exampleId } from '../../api/openapi/examples.ts';
import { idOf, pageOf } from '../../api/http/answers/answer-fields.ts';
import { pageQuery } from '../../api/http/reading/query.ts';
import { routesOf } from '../../api/http/route/route.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { attemptAnswer, deliveryAnswer, listDeliveriesQuery, replayMessageBody } from './schema.ts';
import type { Deliveries, ReplayedMessage } from './service.ts';

/** Finds a message. Throws NOT_FOUND if there is none. */
type Messages = { get(caller: EnvironmentCaller, id: string): Promise<ReplayedMessage> };

const route = routesOf<{ deliveries: Deliveries; messages: Messages }>({
  deliveries: 'Deliveries of messages to subscriptions, with every attempt.',
});
const params = { deliveryId: idOf('delivery') };

export const deliveryRoutes = [
  route({
    method: 'GET',
    path: '/v1/deliveries',
    operationId: 'deliveries.list',
    summary: 'List deliveries',
    description:
      'Deliveries of the environment, newest first. `errorClass`, `errorStatus`, `minLatencyMs` and ' +
      '`held` are checked row by row, 5,000 rows of a status per page: a page can be short or empty and ' +
      'still have a cursor.',
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
    description: 'Shows a delivery.',
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
    description: 'Lists every request sent for the delivery, with its response or error.',
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
    description:
      'Makes a failed delivery due again, in a new round with the full retry policy. CONFLICT for an ' +
      'unfinished delivery, unless it is on hold because of an internal error.',
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
    summary: 'Replay a message',
    description:
      'Delivers a stored message to one subscription of its channel, whatever its event types and filter ' +
      'are. An existing delivery starts a new round and its dead letter is closed; otherwise a delivery ' +
      'is created. CONFLICT while the delivery is in progress (`details` names it), or if the message is ' +
      'erased or not published yet.',
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
