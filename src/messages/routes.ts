import { type Route, route } from '../http/route.ts';
import { listMessagesQuery, publishBatchBody, publishMessageBody } from './schema.ts';

export const messageRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/messages',
    scope: 'messages:write',
    size: 'publish',
    body: publishMessageBody,
    status: 202,
    handle: (request, { messages }) => messages.publish(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/messages/batch',
    scope: 'messages:write',
    bucket: 'batch',
    size: 'publish',
    body: publishBatchBody,
    status: 202,
    handle: (request, { messages }) => messages.publishBatch(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'GET',
    path: '/v1/channels/:channelId/messages',
    scope: 'messages:read',
    query: listMessagesQuery,
    status: 200,
    handle: ({ caller, params, query }, { messages }) => messages.list(caller, params.channelId, query),
  }),
  route({
    method: 'GET',
    path: '/v1/messages/:messageId',
    scope: 'messages:read',
    status: 200,
    handle: ({ caller, params }, { messages }) => messages.get(caller, params.messageId),
  }),
];
