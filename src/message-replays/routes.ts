import { type Route, route } from '../http/route.ts';
import { listMessageReplaysQuery, messageReplayBody } from './schema.ts';

export const messageReplayRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/replay',
    scope: 'subscriptions:write',
    isRedelivery: true,
    body: messageReplayBody,
    status: 202,
    handle: async ({ caller, params, body }, { subscriptions, messageReplays }) =>
      messageReplays.start(caller, await subscriptions.get(caller, params.subscriptionId), body),
  }),
  route({
    method: 'GET',
    path: '/v1/replays',
    scope: 'subscriptions:read',
    query: listMessageReplaysQuery,
    status: 200,
    handle: ({ caller, query }, { messageReplays }) => messageReplays.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/replays/:messageReplayId',
    scope: 'subscriptions:read',
    status: 200,
    handle: ({ caller, params }, { messageReplays }) => messageReplays.get(caller, params.messageReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/replays/:messageReplayId/cancel',
    scope: 'subscriptions:write',
    status: 202,
    handle: ({ caller, params }, { messageReplays }) => messageReplays.cancel(caller, params.messageReplayId),
  }),
];
