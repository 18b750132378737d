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
  webhooks: 'Webhooks of other services, whose requests become messages.',
});
const params = { webhookId: idOf('webhook').describe('Prefix `whk_` and 26 characters (128 random bits).') };
const requestId = idOf('inboundRefusal');

export const inboundWebhookRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    operationId: 'webhooks.list',
    summary: 'List inbound webhooks',
    description: 'Inbound webhooks of the environment, newest first.',
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
    summary: 'Create an inbound webhook',
    description:
      'Creates an address to which a service sends its requests. `provider` names a known service; for others a scheme is enough. If no secret is given and the service lets you choose it, one is generated; `GET /v1/webhooks/{webhookId}/secrets` returns it. `channelId`, `scheme` and `provider` cannot change later.',
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
    description: 'Returns one inbound webhook, without its secrets.',
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
    description: 'Changes the given fields. Null restores the mapping of the provider.',
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
    description: 'Its address stops working at once. The messages it published remain.',
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
      'Returns the secrets that requests are verified with: the current one, and up to three older ones while rotations overlap.',
    params,
    // Whoever can read a secret can impersonate the service, so reading requires the scope to change it.
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
      'Sets a new secret, generated if none is given. Older ones stay valid for `overlapHours`. CONFLICT while three older ones are valid, unless `overlapHours` is 0, which ends all older ones.',
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
      "Returns an event as the webhook's service would send it, without a signature. `isSignable` is false if only the service can sign: Discord, SendGrid, Amazon SNS, and Standard Webhooks with a public key.",
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
      'Signs a sample with the newest secret, as the service does, and processes it like a request of the service. `body` is the exact text that is signed; `headers` are added to those of the sample or replace them. The message is a real one: subscriptions and workflows receive it, and its metadata has `sample`. `outcome` says what happened. If refused, it is listed with the `userAgent` `posthorn-sample`. CONFLICT if only the service can sign.',
    example: { body: {} },
    params,
    access: write,
    size: 'inbound',
    // For people only. A sample sent because of a delivery would be delivered again, in an endless loop.
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
      'Requests received, newest first, each with its outcome and, if accepted, its message. Kept as long as the channel keeps messages, refused ones for 7 days. Handshakes are not listed.',
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
      'Returns the body of a refused request whose signature was valid, exactly as received (base64 if it is not UTF-8). Kept for 7 days or until the request is accepted, up to 1,000 bodies and 64 MiB per webhook; CONFLICT otherwise.',
    params: { requestId },
    // A body is message content, like a payload.
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
      'Publishes a message from a refused request whose signature was valid, using the current settings of the webhook and its channel; correct the mapping or the schema first. Repeating it returns the first message. If the request is refused again, it has the new `reason`. CONFLICT if its body is not kept.',
    params: { requestId },
    access: write,
    // For people only. A request accepted because of a delivery could be refused and accepted in an endless loop.
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
      'Requests of the last 7 days that did not become messages, newest first. Those with `hasBody` can be accepted: their signature was valid. Without a valid signature, up to 100 per webhook and minute are recorded.',
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
      'The address to give to a service. A request whose signature is valid becomes a message of the channel. For 72 hours, a request with the same event id returns the first message. The body is JSON (64 levels) or a form (1,000 fields, not multipart) of any media type, up to 1 MiB and uncompressed. Handshakes of Slack (`url_verification`), Zoom (`endpoint.url_validation`), Discord (type 1), GitHub (`ping`) and Amazon SNS (`SubscriptionConfirmation`, whose address is visited) are verified, answered, and do not become messages. Limits: 600 requests a minute per webhook and 600 refused requests a minute per address. A webhook whose requests crashed processes three times does not accept requests for an hour (`crashed`).',
    example: { answer: { received: true, messageId: exampleId('message') }, status: 400 },
    params,
    // The signature authenticates the caller, and only the webhook knows how to verify it.
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
