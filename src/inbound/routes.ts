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

const route = routesOf<{ inboundWebhooks: InboundWebhooks }>();
const params = { webhookId: idOf('webhook').describe('Prefix `whk_` and 26 characters, of 128 random bits.') };
const requestId = idOf('inboundRefusal');

export const inboundWebhookRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: read,
    query: listWebhooksQuery,
    answers: { 200: pageOf(webhookAnswer) },
    handle: ({ caller, query }, { inboundWebhooks }) => inboundWebhooks.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
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
    params,
    access: read,
    answers: { 200: webhookAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { webhookId } }, { inboundWebhooks }) => inboundWebhooks.get(caller, webhookId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
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
    params,
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { webhookId } }, { inboundWebhooks }) => inboundWebhooks.delete(caller, webhookId),
  }),
  route({
    method: 'GET',
    path: `${ONE}/secrets`,
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
    params,
    access: read,
    answers: { 200: webhookSampleAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { webhookId } }, { inboundWebhooks }) => inboundWebhooks.sample(caller, webhookId),
  }),
  route({
    method: 'POST',
    path: `${ONE}/sample`,
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
