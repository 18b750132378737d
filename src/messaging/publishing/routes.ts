import { exampleId } from '../../api/openapi/examples.ts';
import { idOf } from '../../api/http/answers/answer-fields.ts';
import { pageQuery } from '../../api/http/reading/query.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { MESSAGE_LIMITS } from '../messages/schema.ts';
import type { Messages } from '../messages/service.ts';
import {
  batchAnswer,
  dryRunAnswer,
  dryRunBody,
  messageRoutingAnswer,
  filterTestAnswer,
  filterTestBody,
  publishAcrossBody,
  publishBatchBody,
  publishedAnswer,
  publishMessageBody,
  testSubscriptionBody,
  validateMessagesBody,
  payloadValidationAnswer,
} from './schema.ts';
import type { Publishing } from './service.ts';

const EXAMPLE_MESSAGE = {
  eventType: 'order.created',
  payload: { number: 1, total: 12.5 },
  metadata: { source: 'shop' },
};
const EXAMPLE_ACROSS = { ...EXAMPLE_MESSAGE, channelId: exampleId('channel') };

const route = routesOf<{ publishing: Publishing; messages: Pick<Messages, 'get'> }>();
const MESSAGE_BOUNDS = { messages: MESSAGE_LIMITS.batch, payloadBytes: MESSAGE_LIMITS.payloadBytes };
const inChannel = { channelId: idOf('channel') };

export const publishingRoutes = [
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/messages',
    operationId: 'messages.publish',
    summary: 'Publish a message',
    description:
      'The answer comes after one transaction has stored the message and its deliveries. With `deliverAt` or `delay` the message waits for its time.',
    example: { body: EXAMPLE_MESSAGE },
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
    operationId: 'messages.publishBatch',
    summary: 'Publish several messages',
    description: 'Publishes 1 to 100 messages to one channel, all of them or none.',
    example: { body: { messages: [EXAMPLE_MESSAGE, { ...EXAMPLE_MESSAGE, payload: { number: 2 } }] } },
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
    operationId: 'messages.publishAcross',
    summary: 'Publish to several channels',
    description: 'Publishes 1 to 100 messages, each to the channel that it names, all of them or none.',
    example: { body: { messages: [EXAMPLE_ACROSS] } },
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
    operationId: 'messages.publishTransactional',
    summary: 'Publish in one transaction',
    description: 'Does the same as the batch path, under a limit of its own.',
    example: { body: { messages: [EXAMPLE_ACROSS] } },
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
    operationId: 'messages.validate',
    summary: 'Try payloads on the schemas',
    description:
      'Says whether the schemas of the channel would take each payload, or those of the request in their place. Nothing is published or saved.',
    example: { body: { eventType: 'order.created', payload: { number: 1 } } },
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
    operationId: 'messages.dryRun',
    summary: 'Ask who would get a message',
    description:
      'Shows the fate of a message if it were published now, with a page of the subscriptions. Name a stored message instead of a sample, or give a filter to try.',
    example: { body: { eventType: 'order.created', payload: { number: 1 }, filter: 'payload.number > 0' } },
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
    path: '/v1/messages/:messageId/routing',
    operationId: 'messages.getRouting',
    summary: 'Ask who would get a stored message now',
    description:
      'Says of up to 100 subscriptions of its channel, the newest first, whether they would get it now and why, and names the delivery of each that has one.',
    params: { messageId: idOf('message') },
    // Who may read the message may know why somebody did not get it. No filter can be given, so nothing is found out by trying.
    access: { scope: 'messages:read' },
    answers: { 200: messageRoutingAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params }, { publishing, messages }) =>
      publishing.verdictsOn(await messages.get(caller, params.messageId)),
  }),
  route({
    method: 'POST',
    path: '/v1/channels/:channelId/filter-test',
    operationId: 'messages.testFilter',
    summary: 'Try a filter on the newest messages',
    description:
      'Says of up to 50 of the newest messages of the channel whether a filter would let them through, in one request. Nothing is stored.',
    example: { body: { filter: "eventType == 'order.created'", limit: 20 } },
    params: inChannel,
    // The answer tells of stored messages, and nothing changes.
    access: { scope: 'messages:read' },
    consumes: 'json',
    body: filterTestBody,
    answers: { 200: filterTestAnswer },
    errors: ['NOT_FOUND'],
    handle: (request, { publishing }) => publishing.testFilter(request.caller, request.params.channelId, request.body),
  }),
  route({
    method: 'POST',
    path: '/v1/subscriptions/:subscriptionId/test',
    operationId: 'subscriptions.test',
    summary: 'Send a test message',
    description: 'Publishes a message to this subscription alone. Body and fields may be left out.',
    example: { body: { eventType: 'order.tested', payload: { number: 1 } } },
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
