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
      'The response is sent after the message and its deliveries have been stored in one transaction. ' +
      'With `deliverAt` or `delay`, the message waits until then. If the channel is not active, the ' +
      'response is CONFLICT; if the payload violates a schema, it is INVALID_REQUEST. After UNAVAILABLE ' +
      'with `outcome: unknown`, repeat the request with the same `id` or `Idempotency-Key`.',
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
    description:
      'Publishes 1 to 100 messages to one channel, all or nothing. Limited by the batch requests per ' +
      'minute of the credential, together with `/v1/messages/batch`. An `id` that occurs twice in a ' +
      'batch is INVALID_REQUEST.',
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
    description:
      'Publishes 1 to 100 messages, each to the channel it names, all or nothing. A channel that does ' +
      'not exist is INVALID_REQUEST and an inactive one CONFLICT, both with the field ' +
      '`messages[n].channelId`.',
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
    description: 'Does the same as `/v1/messages/batch`, with a rate limit of its own.',
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
    summary: 'Validate payloads',
    description:
      'Checks payloads against the schemas of the channel, or against `schema` and `schemas` of the ' +
      'request, which replace all schemas of the channel. Returns the first problem per payload and ' +
      'schema. Publishes and stores nothing.',
    example: { body: { eventType: 'order.created', payload: { number: 1 } } },
    params: inChannel,
    // Publishers may validate payloads. Reading the schemas requires channels:read.
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
    summary: 'Preview who would receive a message',
    description:
      'Shows what would happen to a message if it were published now, with a page of the subscriptions ' +
      'of the channel. Send a sample, or name a stored message with `messageId` (this also requires the ' +
      'scope `messages:read`). Send `filter` to test an expression. Stores nothing.',
    example: { body: { eventType: 'order.created', payload: { number: 1 }, filter: 'payload.number > 0' } },
    params: inChannel,
    // Whoever may publish may see who would receive a message, as with validation. The response contains no webhook
    // URLs.
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
    summary: 'Preview who would receive a stored message',
    description:
      'For up to 100 subscriptions of the channel, newest first: whether and why they would receive the ' +
      'message if it were published now, and their delivery if there is one. An erased message is ' +
      'CONFLICT.',
    params: { messageId: idOf('message') },
    // Whoever may read a message may see why a subscription did not receive it. The caller cannot give a filter, so
    // payloads cannot be probed with expressions.
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
    summary: 'Test a filter on recent messages',
    description:
      'Evaluates a filter on up to 50 of the most recent messages of the channel and returns which ones ' +
      'match. Erased messages are skipped. Stores nothing.',
    example: { body: { filter: "eventType == 'order.created'", limit: 20 } },
    params: inChannel,
    // Reads stored messages and changes nothing.
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
    description:
      'Publishes a message to this subscription only. The event type defaults to `posthorn.test`; a ' +
      '`payload` of your own must match the schemas of the channel. The filter is not evaluated. The ' +
      'body can be omitted.',
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
