import { idOf } from '../../api/http/answers/answer-fields.ts';
import { pageQuery } from '../../api/http/reading/query.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { MESSAGE_LIMITS } from '../messages/schema.ts';
import type { Messages } from '../messages/service.ts';
import {
  batchAnswer,
  dryRunAnswer,
  dryRunBody,
  messageVerdictsAnswer,
  filterTrialAnswer,
  filterTrialBody,
  publishAcrossBody,
  publishBatchBody,
  publishedAnswer,
  publishMessageBody,
  testSubscriptionBody,
  validateMessagesBody,
  payloadValidationAnswer,
} from './schema.ts';
import type { Publishing } from './service.ts';

const route = routesOf<{ publishing: Publishing; messages: Pick<Messages, 'get'> }>();
const MESSAGE_BOUNDS = { messages: MESSAGE_LIMITS.batch, payloadBytes: MESSAGE_LIMITS.payloadBytes };
const inChannel = { channelId: idOf('channel') };

export const publishingRoutes = [
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/messages',
    params: inChannel,
    access: { scope: 'messages:write' },
    size: 'publish',
    messageBounds: MESSAGE_BOUNDS,
    isPublish: true,
    consumes: 'json',
    body: publishMessageBody,
    answers: { 202: publishedAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: (request, { publishing }) => publishing.publish(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/messages/batch',
    params: inChannel,
    access: { scope: 'messages:write' },
    bucket: 'batch',
    size: 'publish',
    messageBounds: MESSAGE_BOUNDS,
    isPublish: true,
    consumes: 'json',
    body: publishBatchBody,
    answers: { 202: batchAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: (request, { publishing }) => publishing.publishBatch(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/batch',
    access: { scope: 'messages:write' },
    bucket: 'batch',
    size: 'publish',
    messageBounds: MESSAGE_BOUNDS,
    isPublish: true,
    consumes: 'json',
    body: publishAcrossBody,
    answers: { 202: batchAnswer },
    errors: ['CONFLICT'],
    handle: (request, { publishing }) => publishing.publishAcross(request.caller, request),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/transactional',
    access: { scope: 'messages:write' },
    bucket: 'transactional',
    size: 'publish',
    messageBounds: MESSAGE_BOUNDS,
    isPublish: true,
    consumes: 'json',
    body: publishAcrossBody,
    answers: { 202: batchAnswer },
    errors: ['CONFLICT'],
    handle: (request, { publishing }) => publishing.publishAcross(request.caller, request),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/validate',
    params: inChannel,
    // A publisher may try it; the schemas themselves are read with channels:read.
    access: { scope: 'messages:write' },
    size: 'publish',
    messageBounds: MESSAGE_BOUNDS,
    consumes: 'json',
    body: validateMessagesBody,
    answers: { 200: payloadValidationAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: (request, { publishing }) => publishing.validate(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/dry-run',
    params: inChannel,
    // As trying a payload: whoever may publish may ask who would get it. The answer names no address that anything is sent to.
    access: { scope: 'messages:write' },
    size: 'publish',
    messageBounds: MESSAGE_BOUNDS,
    query: pageQuery,
    consumes: 'json',
    body: dryRunBody,
    answers: { 200: dryRunAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: (request, { publishing }) => publishing.dryRun(request.caller, request.params.channelId, request),
  }),
  route({
    method: 'GET',
    path: '/v1/messages/:messageId/verdicts',
    params: { messageId: idOf('message') },
    // Who may read the message may know why somebody did not get it. No filter can be given, so nothing is found out by trying.
    access: { scope: 'messages:read' },
    answers: { 200: messageVerdictsAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params }, { publishing, messages }) =>
      publishing.verdictsOn(await messages.get(caller, params.messageId)),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/filter-trial',
    params: inChannel,
    // The answer tells of stored messages, and nothing changes.
    access: { scope: 'messages:read' },
    consumes: 'json',
    body: filterTrialBody,
    answers: { 200: filterTrialAnswer },
    errors: ['NOT_FOUND'],
    handle: (request, { publishing }) => publishing.tryFilter(request.caller, request.params.channelId, request.body),
  }),
  route({
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/test',
    params: { subscriptionId: idOf('subscription') },
    access: { scope: 'subscriptions:write' },
    isPublish: true,
    consumes: 'json',
    body: testSubscriptionBody,
    answers: { 202: publishedAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: (request, { publishing }) => publishing.publishTest(request.caller, request.params.subscriptionId, request),
  }),
];
