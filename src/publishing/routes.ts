import { idOf } from '../http/answers/answer-fields.ts';
import { pageQuery } from '../http/reading/query.ts';
import { routesOf } from '../http/route/route.ts';
import { testSubscriptionBody } from '../subscriptions/schema.ts';
import {
  batchAnswer,
  dryRunAnswer,
  dryRunBody,
  publishAcrossBody,
  publishBatchBody,
  publishedAnswer,
  publishMessageBody,
  validateMessagesBody,
  validationAnswer,
} from './schema.ts';
import type { Publishing } from './service.ts';

const route = routesOf<{ publishing: Publishing }>();
const inChannel = { channelId: idOf('channel') };

export const publishingRoutes = [
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
    handle: (request, { publishing }) => publishing.publish(request.caller, request.params.channelId, request),
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
    handle: (request, { publishing }) => publishing.publishBatch(request.caller, request.params.channelId, request),
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
    handle: (request, { publishing }) => publishing.publishAcross(request.caller, request),
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
    handle: (request, { publishing }) => publishing.publishAcross(request.caller, request),
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
    handle: (request, { publishing }) => publishing.validate(request.caller, request.params.channelId, request),
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
    handle: (request, { publishing }) => publishing.dryRun(request.caller, request.params.channelId, request),
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
