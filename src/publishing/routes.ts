import { idOf, noBody, pageOf } from '../http/answer-fields.ts';
import { EventStream, eventsOf } from '../http/event-stream.ts';
import { pageQuery } from '../http/query.ts';
import { routesOf } from '../http/route.ts';
import { dryRunAnswer, dryRunBody } from './dry-run-schema.ts';
import {
  batchAnswer,
  cancelledMessageAnswer,
  listMessagesQuery,
  listScheduledQuery,
  messageAnswer,
  publishAcrossBody,
  publishBatchBody,
  publishedAnswer,
  publishMessageBody,
  streamMessagesQuery,
  validateMessagesBody,
  validationAnswer,
} from '../messages/schema.ts';
import type { Messages } from './service.ts';

const route = routesOf<{ messages: Messages }>();
const inChannel = { channelId: idOf('channel') };
const params = { messageId: idOf('message') };

export const messageRoutes = [
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/messages',
    params: inChannel,
    access: { scope: 'messages:write' },
    size: 'publish',
    isPublish: true,
    consumes: 'json',
    body: publishMessageBody,
    answers: { 202: publishedAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: (request, { messages }) => messages.publish(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/messages/batch',
    params: inChannel,
    access: { scope: 'messages:write' },
    bucket: 'batch',
    size: 'publish',
    isPublish: true,
    consumes: 'json',
    body: publishBatchBody,
    answers: { 202: batchAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: (request, { messages }) => messages.publishBatch(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/batch',
    access: { scope: 'messages:write' },
    bucket: 'batch',
    size: 'publish',
    isPublish: true,
    consumes: 'json',
    body: publishAcrossBody,
    answers: { 202: batchAnswer },
    errors: ['CONFLICT'],
    handle: (request, { messages }) => messages.publishAcross(request.caller, request),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/transactional',
    access: { scope: 'messages:write' },
    bucket: 'transactional',
    size: 'publish',
    isPublish: true,
    consumes: 'json',
    body: publishAcrossBody,
    answers: { 202: batchAnswer },
    errors: ['CONFLICT'],
    handle: (request, { messages }) => messages.publishAcross(request.caller, request),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/validate',
    params: inChannel,
    // A publisher may try it; the schemas themselves are read with channels:read.
    access: { scope: 'messages:write' },
    size: 'publish',
    consumes: 'json',
    body: validateMessagesBody,
    answers: { 200: validationAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: (request, { messages }) => messages.validate(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/dry-run',
    params: inChannel,
    // As trying a payload: whoever may publish may ask who would get it. The answer names no address that anything is sent to.
    access: { scope: 'messages:write' },
    size: 'publish',
    query: pageQuery,
    consumes: 'json',
    body: dryRunBody,
    answers: { 200: dryRunAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: (request, { messages }) => messages.dryRun(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'GET',
    path: '/v1/channels/:channelId/messages',
    params: inChannel,
    access: { scope: 'messages:read' },
    query: listMessagesQuery,
    answers: { 200: pageOf(messageAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params, query }, { messages }) => messages.list(caller, params.channelId, query),
  }),
  route({
    method: 'GET',
    path: '/v1/channels/:channelId/scheduled',
    params: inChannel,
    access: { scope: 'messages:read' },
    query: listScheduledQuery,
    answers: { 200: pageOf(messageAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params, query }, { messages }) => messages.listScheduled(caller, params.channelId, query),
  }),
  route({
    method: 'GET',
    path: '/v1/channels/:channelId/stream',
    params: inChannel,
    access: { scope: 'messages:read' },
    query: streamMessagesQuery,
    answers: { 200: eventsOf(messageAnswer) },
    errors: ['NOT_FOUND'],
    handle: async ({ caller, params, query, header }, { messages }) => {
      const lastEventId = header('last-event-id');
      const request = { ...query, ...(lastEventId !== undefined && { lastEventId }) };
      return new EventStream(await messages.stream(caller, params.channelId, request));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/messages/:messageId',
    params,
    access: { scope: 'messages:read' },
    answers: { 200: messageAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { messages }) => messages.get(caller, params.messageId),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/:scheduledMessageId/cancel',
    params: { scheduledMessageId: idOf('message') },
    access: { scope: 'messages:write' },
    answers: { 200: cancelledMessageAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { messages }) => messages.cancel(caller, params.scheduledMessageId),
  }),
  route({
    method: 'DELETE',
    path: '/v1/messages/:messageId',
    params,
    access: { scope: 'messages:write' },
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { messages }) => messages.erase(caller, params.messageId),
  }),
];
