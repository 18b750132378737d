import { exampleId } from '../api/openapi/examples.ts';
import { idOf, noBody, pageOf } from '../api/http/answers/answer-fields.ts';
import { readForeignJson as readJson } from '../api/http/reading/parse-body.ts';
import { ANY_TYPE } from '../api/http/reading/raw-bytes.ts';
import { routesOf } from '../api/http/route/route.ts';
import {
  acceptedRequestAnswer,
  createWebhookBody,
  inboundRequestAnswer,
  listRefusalsQuery,
  listInboundRequestsQuery,
  listWebhooksQuery,
  receivedAnswer,
  requestBodyAnswer,
  refusalAnswer,
  rotateWebhookSecretBody,
  webhookSampleAnswer,
  sendSampleBody,
  sentSampleAnswer,
  updateWebhookBody,
  webhookAnswer,
  webhookSecretsAnswer,
} from './schema.ts';
import type { InboundWebhooks } from './service.ts';

const COLLECTION = '/v1/webhooks';
const ONE = '/v1/webhooks/:webhookId';
const REFUSED = '/v1/inbound-requests/:requestId';
const read = { scope: 'webhooks:read' } as const;
const write = { scope: 'webhooks:write' } as const;

const route = routesOf<{ inboundWebhooks: InboundWebhooks }>({
  webhooks: 'Webhooks from other services, which become messages.',
});
const params = { webhookId: idOf('webhook').describe('Prefix `whk_` and 26 characters, of 128 random bits.') };
const requestId = idOf('inboundRefusal');

export const inboundWebhookRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    operationId: 'webhooks.list',
    summary: 'List inbound webhooks',
    description: 'Inbound webhooks of the environment, the newest first.',
    example: { query: { channelId: exampleId('channel') } },
    access: read,
    query: listWebhooksQuery,
    answers: { 200: pageOf(webhookAnswer) },
    handle: ({ caller, query }, { inboundWebhooks }) => inboundWebhooks.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    operationId: 'webhooks.create',
    summary: 'Make an inbound webhook',
    description:
      'Gives an address where a service sends its requests. `provider` names a known one; a scheme is enough for others. A secret is ' +
      'made where none is given and the service lets you choose it: `GET /v1/webhooks/{webhookId}/secrets` shows it.',
    example: { body: { name: 'GitHub', channelId: exampleId('channel'), provider: 'github' } },
    access: write,
    consumes: 'json',
    body: createWebhookBody,
    answers: { 201: webhookAnswer },
    errors: ['CONFLICT'],
    handle: ({ caller, body }, { inboundWebhooks }) => inboundWebhooks.create(caller, body),
  }),
  route({
    method: 'GET',
    path: ONE,
    operationId: 'webhooks.get',
    summary: 'Get an inbound webhook',
    description: 'Shows one inbound webhook, without its secrets.',
    params,
    access: read,
    answers: { 200: webhookAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { webhookId } }, { inboundWebhooks }) => inboundWebhooks.get(caller, webhookId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    operationId: 'webhooks.update',
    summary: 'Change an inbound webhook',
    description: 'Changes the fields that are given. Null for a mapping brings the one of the provider back.',
    example: { body: { eventType: { literal: 'build.finished' } } },
    params,
    access: write,
    consumes: 'json',
    body: updateWebhookBody,
    answers: { 200: webhookAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { webhookId }, body }, { inboundWebhooks }) =>
      inboundWebhooks.update(caller, webhookId, body),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    operationId: 'webhooks.delete',
    summary: 'Delete an inbound webhook',
    description: 'Its address is unknown from now on. Messages that it has made stay.',
    params,
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { webhookId } }, { inboundWebhooks }) => inboundWebhooks.delete(caller, webhookId),
  }),
  route({
    method: 'GET',
    path: `${ONE}/secrets`,
    operationId: 'webhooks.getSecrets',
    summary: 'Get the secrets',
    description:
      'Shows the secrets by which requests are verified: the current one, and up to three older ones while rotations overlap.',
    params,
    // A reader of a secret can send in the name of the service, so reading takes the right to change it.
    access: write,
    isDangerous: true,
    answers: { 200: webhookSecretsAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { webhookId } }, { inboundWebhooks }) => inboundWebhooks.secrets(caller, webhookId),
  }),
  route({
    method: 'POST',
    path: `${ONE}/secrets/rotate`,
    operationId: 'webhooks.rotateSecret',
    summary: 'Rotate the secret',
    description:
      'Sets a new secret, made here where none is given. Older ones stay valid beside it for `overlapHours`. CONFLICT while three older ones are valid, unless `overlapHours` is 0, which ends all of them.',
    example: { body: { overlapHours: 24 } },
    params,
    access: write,
    isDangerous: true,
    consumes: 'json',
    body: rotateWebhookSecretBody,
    answers: { 200: webhookSecretsAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { webhookId }, body }, { inboundWebhooks }) =>
      inboundWebhooks.rotateSecret(caller, webhookId, body),
  }),
  route({
    method: 'GET',
    path: `${ONE}/sample`,
    operationId: 'webhooks.getSample',
    summary: 'Get a sample',
    description:
      'Shows an event as the service of the webhook would send it, without its signature. `isSignable` is false where only the service ' +
      'can sign: Discord, SendGrid and Amazon SNS, and public keys of Standard Webhooks.',
    params,
    access: read,
    answers: { 200: webhookSampleAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { webhookId } }, { inboundWebhooks }) => inboundWebhooks.sample(caller, webhookId),
  }),
  route({
    method: 'POST',
    path: `${ONE}/sample`,
    operationId: 'webhooks.sendSample',
    summary: 'Send a signed sample',
    description:
      'Signs a sample by the newest secret, as the service does, and takes it like any request of the service. The message that it ' +
      'becomes is a real one: subscriptions and workflows get it, and its metadata has `sample`. `outcome` says what became of it. ' +
      'CONFLICT where only the service can sign.',
    example: { body: {} },
    params,
    access: write,
    size: 'inbound',
    // Sent by hand. A sample that a delivery causes would be delivered, and would come round for ever.
    isRedelivery: true,
    consumes: 'json',
    body: sendSampleBody,
    answers: { 200: sentSampleAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { webhookId }, body, visit }, { inboundWebhooks }) =>
      inboundWebhooks.sendSample(caller, webhookId, { ...body, readJson, address: visit().address }),
  }),
  route({
    method: 'GET',
    path: `${ONE}/requests`,
    operationId: 'webhooks.listRequests',
    summary: 'List requests',
    description:
      'Requests that have come, the newest first, with what became of each and the message of those that were taken. They are kept as ' +
      'long as their channel keeps messages, refused ones for 7 days. Handshakes are left out.',
    example: { query: { outcome: 'received' } },
    params,
    access: read,
    query: listInboundRequestsQuery,
    answers: { 200: pageOf(inboundRequestAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { webhookId }, query }, { inboundWebhooks }) =>
      inboundWebhooks.requests(caller, webhookId, query),
  }),
  route({
    method: 'GET',
    path: `${REFUSED}/body`,
    operationId: 'webhooks.getRequestBody',
    summary: 'Get the body of a refused request',
    description:
      'Shows the body of a refused request whose signature was good, as it came. It is kept for 7 days, or until the request is ' +
      'accepted: CONFLICT otherwise.',
    params: { requestId },
    // A body is content as a payload is.
    access: { scope: 'messages:read' },
    answers: { 200: requestBodyAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { requestId: id } }, { inboundWebhooks }) => inboundWebhooks.requestBody(caller, id),
  }),
  route({
    method: 'POST',
    path: `${REFUSED}/accept`,
    operationId: 'webhooks.acceptRequest',
    summary: 'Accept a refused request',
    description:
      'Makes a message of a refused request whose signature was good, by what the webhook and its channel say now: correct the ' +
      'mapping or the schema first. It becomes one message: a second call answers with the first. If it is refused again, the request ' +
      'lists the new `reason`. CONFLICT where its body is not kept.',
    params: { requestId },
    access: write,
    // Accepted by hand. A request that a delivery has accepted could be refused and accepted for ever.
    isRedelivery: true,
    consumes: 'none',
    answers: { 200: acceptedRequestAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { requestId: id } }, { inboundWebhooks }) =>
      inboundWebhooks.acceptRequest(caller, id, readJson),
  }),
  route({
    method: 'GET',
    path: `${ONE}/refusals`,
    operationId: 'webhooks.listRefusals',
    summary: 'List refused requests',
    description:
      'Requests of the last 7 days that became no message, the newest first. `hasBody` says which of them can be accepted: those whose ' +
      'signature was good.',
    example: { query: { reason: 'signature_wrong' } },
    params,
    access: read,
    query: listRefusalsQuery,
    answers: { 200: pageOf(refusalAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { webhookId }, query }, { inboundWebhooks }) =>
      inboundWebhooks.refusals(caller, webhookId, query),
  }),
  route({
    method: 'POST',
    path: ONE,
    operationId: 'webhooks.receive',
    summary: 'Receive a request of a service',
    description:
      'The address that a service is given. A request that proves who sent it becomes a message of the channel. A second one with the ' +
      'same id of the event answers with the first message for 72 hours. The body is JSON or a form, up to 1 MiB, in any media type.',
    example: { answer: { received: true, messageId: exampleId('message') }, status: 400 },
    params,
    // The signature says who asks, and only the webhook knows how it is made.
    access: 'public',
    consumes: { raw: [ANY_TYPE] },
    size: 'inbound',
    isOthers: true,
    isPublish: true,
    ownLimit: { name: 'webhook', parameter: 'webhookId', kind: 'webhook', perMinute: 600 },
    answers: { 200: receivedAnswer },
    errors: ['NOT_FOUND', 'CONFLICT', 'UNAUTHORIZED'],
    handle: ({ params: { webhookId }, head, bytes, visit, hops }, { inboundWebhooks }) => {
      const { target, header, rawHeaders } = head();
      const { address, userAgent } = visit();
      return inboundWebhooks.receive(webhookId, {
        target,
        header,
        rawHeaders,
        bytes,
        readJson,
        address,
        userAgent,
        hops,
      });
    },
  }),
];
