import { EventStream } from '../http/event-stream.ts';
import { pageQuery } from '../http/query.ts';
import { type Route, route } from '../http/route.ts';
import {
  dryRunBody,
  listMessagesQuery,
  listScheduledQuery,
  publishAcrossBody,
  publishBatchBody,
  publishMessageBody,
  streamMessagesQuery,
  validateMessagesBody,
} from './schema.ts';

export const messageRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/messages',
    scope: 'messages:write',
    size: 'publish',
    isPublish: true,
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
    isPublish: true,
    body: publishBatchBody,
    status: 202,
    handle: (request, { messages }) => messages.publishBatch(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/batch',
    scope: 'messages:write',
    bucket: 'batch',
    size: 'publish',
    isPublish: true,
    body: publishAcrossBody,
    status: 202,
    handle: (request, { messages }) => messages.publishAcross(request.caller, request),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/transactional',
    scope: 'messages:write',
    bucket: 'transactional',
    size: 'publish',
    isPublish: true,
    body: publishAcrossBody,
    status: 202,
    handle: (request, { messages }) => messages.publishAcross(request.caller, request),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/validate',
    // Whoever may publish may try it; the schemas themselves are read with channels:read.
    scope: 'messages:write',
    size: 'publish',
    body: validateMessagesBody,
    status: 200,
    handle: (request, { messages }) => messages.validate(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/dry-run',
    // As trying a payload: whoever may publish may ask who would get it. It names no address that anything is sent to.
    scope: 'messages:write',
    size: 'publish',
    query: pageQuery,
    body: dryRunBody,
    status: 200,
    handle: (request, { messages }) => messages.dryRun(request.caller, request.params.channelId, request),
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
    path: '/v1/channels/:channelId/scheduled',
    scope: 'messages:read',
    query: listScheduledQuery,
    status: 200,
    handle: ({ caller, params, query }, { messages }) => messages.listScheduled(caller, params.channelId, query),
  }),
  route({
    method: 'GET',
    path: '/v1/channels/:channelId/stream',
    scope: 'messages:read',
    query: streamMessagesQuery,
    status: 200,
    handle: async ({ caller, params, query, header }, { messages }) => {
      const lastEventId = header('last-event-id');
      const request = { ...query, ...(lastEventId !== undefined && { lastEventId }) };
      return new EventStream(await messages.stream(caller, params.channelId, request));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/messages/:messageId',
    scope: 'messages:read',
    status: 200,
    handle: ({ caller, params }, { messages }) => messages.get(caller, params.messageId),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/:scheduledMessageId/cancel',
    scope: 'messages:write',
    status: 200,
    handle: ({ caller, params }, { messages }) => messages.cancel(caller, params.scheduledMessageId),
  }),
  route({
    method: 'DELETE',
    path: '/v1/messages/:messageId',
    scope: 'messages:write',
    status: 204,
    handle: ({ caller, params }, { messages }) => messages.erase(caller, params.messageId),
  }),
];
