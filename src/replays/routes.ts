import { idOf, pageOf } from '../http/answer-fields.ts';
import { routesOf } from '../http/route.ts';
import type { EnvironmentCaller } from '../identity/caller.ts';
import { listMessageReplaysQuery, messageReplayAnswer, messageReplayBody } from './schema.ts';
import type { MessageReplays } from './service.ts';

/** Finds a subscription, or throws NOT_FOUND. */
type Subscriptions = { get(caller: EnvironmentCaller, id: string): Promise<{ id: string }> };

const route = routesOf<{ messageReplays: MessageReplays; subscriptions: Subscriptions }>();
const params = { messageReplayId: idOf('messageReplay') };

export const messageReplayRoutes = [
  route({
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/replay',
    params: { subscriptionId: idOf('subscription') },
    access: { scope: 'subscriptions:write' },
    isRedelivery: true,
    consumes: 'json',
    body: messageReplayBody,
    answers: { 202: messageReplayAnswer },
    errors: ['NOT_FOUND'],
    handle: async ({ caller, params: { subscriptionId }, body }, { subscriptions, messageReplays }) =>
      messageReplays.start(caller, await subscriptions.get(caller, subscriptionId), body),
  }),
  route({
    method: 'GET',
    path: '/v1/replays',
    access: { scope: 'subscriptions:read' },
    query: listMessageReplaysQuery,
    answers: { 200: pageOf(messageReplayAnswer) },
    handle: ({ caller, query }, { messageReplays }) => messageReplays.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/replays/:messageReplayId',
    params,
    access: { scope: 'subscriptions:read' },
    answers: { 200: messageReplayAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { messageReplayId } }, { messageReplays }) =>
      messageReplays.get(caller, messageReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/replays/:messageReplayId/cancel',
    params,
    access: { scope: 'subscriptions:write' },
    answers: { 202: messageReplayAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { messageReplayId } }, { messageReplays }) =>
      messageReplays.cancel(caller, messageReplayId),
  }),
];
