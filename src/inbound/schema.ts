import { z } from 'zod';
import { MAX_EXPRESSION_LENGTH } from '../messaging/filters/expressions/rules.ts';
import { idOf, time, wholeNumber } from '../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../api/http/reading/fields.ts';
import { enumQuery, namedQuery, pageQuery, windowQuery } from '../api/http/reading/query.ts';
import { nameProblem } from '../kernel/values/text.ts';
import { publishedEventType } from '../messaging/messages/schema.ts';
import { pointerProblem } from './schemes/pointer.ts';
import { PROVIDER_NAMES } from './providers/names.ts';
import { SCHEMES, SIGNATURE_PROBLEMS } from './schemes/scheme.ts';
import {
  headerName,
  type SignatureSettings,
  signatureSettings,
  signatureShape,
  visible,
} from './schemes/signature-settings.ts';

const WEBHOOK_STATUSES = ['active', 'disabled'] as const;

/** A request is refused for the first of these that holds, in their order but for the state of app, webhook and channel. */
const REFUSAL_REASONS = [
  'secret_missing',
  ...SIGNATURE_PROBLEMS,
  'body_invalid',
  'mapping_failed',
  'payload_refused',
  'webhook_disabled',
  'app_suspended',
  'channel_archived',
  'channel_deleted',
  'crashed',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Secrets that a new webhook may be given: two while the sender changes its secret. */
const MAX_GIVEN_SECRETS = 2;
const MAX_SECRET_LENGTH = 1_024;
const MAX_POINTER_LENGTH = 256;
const MAX_FIELDS = 50;
const MAX_FIELD_LENGTH = 128;

const name = z.string().min(1).max(200);
const status = z.enum(WEBHOOK_STATUSES);
const pointer = z
  .string()
  .max(MAX_POINTER_LENGTH)
  .superRefine((text, context) => {
    const problem = pointerProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
const secret = visible(MAX_SECRET_LENGTH).min(1);

/** Exactly one of the members, as callers give it: null is the same as leaving one out. */
const oneOf = <S extends Record<string, z.ZodType>>(shape: S, what: string) =>
  fieldsOf(shape)
    .refine((value) => Object.keys(value).length === 1, `must have one of ${Object.keys(shape).join(', ')}: ${what}`)
    .meta({ takesNull: true });

const eventIdShape = {
  header: headerName.exactOptional().describe('Header with the id.'),
  pointer: pointer.exactOptional().describe('JSON Pointer to the id in the body.'),
};
const eventId = z.strictObject(eventIdShape);
const givenEventId = oneOf(eventIdShape, 'where the id of the event stands');

const eventTypeShape = {
  literal: publishedEventType.exactOptional().describe('This type for every message.'),
  pointer: pointer.exactOptional().describe('JSON Pointer to the type in the body.'),
  header: headerName.exactOptional().describe('Header with the type.'),
  cel: z
    .string()
    .min(1)
    .max(MAX_EXPRESSION_LENGTH)
    .exactOptional()
    .describe('CEL expression that gives a text, over `payload`, `metadata`, `eventType`.'),
};
const eventType = z.strictObject(eventTypeShape);
const givenEventType = oneOf(eventTypeShape, 'where the event type comes from');

const payloadShape = {
  pointer: pointer.exactOptional().describe('JSON Pointer to the object that becomes the payload.'),
  fields: z
    .record(z.string().min(1).max(MAX_FIELD_LENGTH), pointer)
    .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `must have at most ${MAX_FIELDS} fields`)
    .meta({ maxProperties: MAX_FIELDS })
    .exactOptional()
    .describe('Fields of the payload, each with a JSON Pointer to its value. One that leads nowhere is left out.'),
};
const payload = z.strictObject(payloadShape);
const givenPayload = oneOf(payloadShape, 'what of the body becomes the payload');

const resource: ResourceFields = { moved: ['updatedAt', 'url'], rules: { name: nameProblem } };
const ROTATION = 'POST /v1/webhooks/{webhookId}/secrets/rotate sets a new one';

/** Parts of a webhook beside its sender. */
export type WebhookSettings = {
  signature?: SignatureSettings;
  eventId?: z.output<typeof eventId>;
  eventType?: z.output<typeof eventType>;
  payload?: z.output<typeof payload>;
};

const givenSignature = fieldsOf(signatureShape);

export const createWebhookBody = fieldsOf(
  {
    name: name.describe('Name for people.'),
    channelId: z.string().describe('Channel that its messages are published to.'),
    scheme: z
      .enum(SCHEMES)
      .exactOptional()
      .describe('Way in which requests prove who sent them. Default: that of the provider, else `body`.'),
    provider: z.enum(PROVIDER_NAMES).exactOptional().describe('Service that sends, where it is a known one.'),
    status: status.default('active').describe('Status to have.'),
    secrets: z
      .array(secret)
      .min(1)
      .max(MAX_GIVEN_SECRETS)
      .exactOptional()
      .describe('Secrets that are taken, the newest first. Made where none is given and the service lets you choose.'),
    signature: givenSignature.exactOptional().describe('Form of the signature, with the schemes `hmac` and `token`.'),
    eventId: givenEventId.exactOptional().describe('Place of the id of an event. Default: where the provider puts it.'),
    eventType: givenEventType
      .exactOptional()
      .describe('Source of the event type. Default: where the provider puts it.'),
    payload: givenPayload.exactOptional().describe('Part of the body that becomes the payload. Default: all of it.'),
  },
  { ...resource, identity: { id: sameText(), createdAt: sameTime() } },
).meta({ typeName: 'CreateWebhook' });
export type CreateWebhook = z.output<typeof createWebhookBody>;

/** Null brings the provider's own mapping back. */
export const webhookChange = changeOf(
  {
    name: name.exactOptional().describe('Name for people.'),
    status: status.exactOptional().describe('Status to have.'),
    signature: givenSignature.exactOptional().describe('Form of the signature, with the schemes `hmac` and `token`.'),
    eventId: givenEventId
      .nullable()
      .exactOptional()
      .describe('Where the event id is. Null: where the provider puts it.'),
    eventType: givenEventType
      .nullable()
      .exactOptional()
      .describe('Where the event type comes from. Null: where the provider puts it.'),
    payload: givenPayload
      .nullable()
      .exactOptional()
      .describe('Part of the body that becomes the payload. Null: the whole body.'),
  },
  {
    ...resource,
    identity: {
      id: sameText(),
      channelId: sameText(),
      scheme: sameText('cannot change: make another webhook'),
      provider: sameText('cannot change: make another webhook'),
      createdAt: sameTime(),
    },
    elsewhere: {
      secrets: `are not changed here; ${ROTATION}`,
    },
  },
);
export const updateWebhookBody = webhookChange.body.meta({ typeName: 'UpdateWebhook' });
export type UpdateWebhook = z.output<typeof updateWebhookBody>;

/** Hours for which the secret before is taken beside the new one; 0 ends it at once. At most a week. */
const DEFAULT_OVERLAP_HOURS = 24;
export const rotateWebhookSecretBody = fieldsOf({
  secret: secret.exactOptional().describe('The new secret. Made where it is left out and the service lets you choose.'),
  overlapHours: z
    .number()
    .int()
    .min(0)
    .max(168)
    .default(DEFAULT_OVERLAP_HOURS)
    .describe('Hours for which older secrets stay valid beside the new one, at most.'),
})
  .default({
    overlapHours: DEFAULT_OVERLAP_HOURS,
  })
  .meta({ typeName: 'RotateWebhookSecret' });
export type RotateWebhookSecret = z.output<typeof rotateWebhookSecretBody>;

export const listWebhooksQuery = pageQuery
  .extend({
    channelId: z.string().optional().describe('Only of this channel.'),
    status: enumQuery(WEBHOOK_STATUSES).optional().describe('Status to have.'),
    ...namedQuery('webhook'),
  })
  .meta({ typeName: 'ListWebhooks' });
export type ListWebhooks = z.output<typeof listWebhooksQuery>;

export const listRefusalsQuery = pageQuery
  .extend({ reason: enumQuery(REFUSAL_REASONS).optional().describe('Only with this reason.') })
  .meta({ typeName: 'ListRefusals' });
export type ListRefusals = z.output<typeof listRefusalsQuery>;

const webhookId = idOf('webhook').describe('Prefix `whk_` and 26 characters, of 128 random bits.');

export const webhookAnswer = z
  .strictObject({
    id: webhookId,
    name: z.string().describe('Name for people.'),
    channelId: idOf('channel').describe('Channel that its messages are published to.'),
    scheme: z.enum(SCHEMES).describe('Way in which requests prove who sent them.'),
    provider: z.enum(PROVIDER_NAMES).exactOptional().describe('Service that sends. Absent for a sender of your own.'),
    status: status.describe('A disabled one refuses every request.'),
    signature: signatureSettings
      .exactOptional()
      .describe('Form of the signature, with the schemes `hmac` and `token`.'),
    eventId: eventId.exactOptional().describe('Place of the id of an event. Absent: where the provider puts it.'),
    eventType: eventType.exactOptional().describe('Source of the event type. Absent: where the provider puts it.'),
    payload: payload.exactOptional().describe('Part of the body that becomes the payload. Absent: all of it.'),
    url: z.string().describe('Address to give to the service.'),
    createdAt: time.describe('When it was made.'),
    updatedAt: time.describe('When it was last changed.'),
  })
  .meta({ typeName: 'Webhook' });
export type Webhook = z.output<typeof webhookAnswer>;

export const webhookSecretsAnswer = z
  .strictObject({
    secrets: z
      .array(
        z.strictObject({
          secret: z.string().describe('The secret, or the public key of a service that signs by its own.'),
          createdAt: time.describe('When it was set.'),
          expiresAt: time.exactOptional().describe('When it ends, since a newer one was set.'),
        }),
      )
      .describe(
        'Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. None before the first one is set.',
      ),
  })
  .meta({ typeName: 'WebhookSecrets' });
export type WebhookSecrets = z.output<typeof webhookSecretsAnswer>;

const hasBody = z
  .boolean()
  .describe('Whether its body is kept, and it can be accepted. True only where its signature was good.');
const acceptedAs = idOf('message').exactOptional().describe('Message that it became when it was accepted.');

export const refusalAnswer = z
  .strictObject({
    id: idOf('inboundRefusal'),
    webhookId: webhookId.describe('Webhook that refused it.'),
    reason: z.enum(REFUSAL_REASONS).describe('Why it became no message.'),
    detail: z.string().describe('The same in words, with the field where one is at fault.'),
    address: z.string().describe('IP address that it came from.'),
    userAgent: z
      .string()
      .exactOptional()
      .describe('Its `User-Agent`, up to 300 characters; `posthorn-sample`: a sample.'),
    eventId: z.string().exactOptional().describe('Id of the event, of a request whose signature was good.'),
    bytes: wholeNumber.describe('Length of its body.'),
    hasBody,
    messageId: acceptedAs,
    refusedAt: time.describe('When it was refused.'),
  })
  .meta({ typeName: 'InboundRefusal' });
export type Refusal = z.output<typeof refusalAnswer>;

/** Stands as the agent in refusals of samples. Others may call themselves so: theirs is left out. */
export const SAMPLE_AGENT = 'posthorn-sample';

/** `repeated`: an earlier request had the same id of the event. */
const REQUEST_OUTCOMES = ['received', 'repeated', 'refused'] as const;

export const listInboundRequestsQuery = pageQuery
  .extend({
    outcome: enumQuery(REQUEST_OUTCOMES).optional().describe('Only with this outcome.'),
    ...windowQuery,
  })
  .meta({ typeName: 'ListInboundRequests' });
export type ListInboundRequests = z.output<typeof listInboundRequestsQuery>;

export const inboundRequestAnswer = z
  .strictObject({
    id: idOf('inboundReceipt', 'inboundRefusal'),
    webhookId: webhookId.describe('Webhook that it came to.'),
    outcome: z
      .enum(REQUEST_OUTCOMES)
      .describe('`received`: it became a message. `repeated`: an earlier request had the same id of the event.'),
    isSample: z.boolean().describe('Whether this service has signed and sent it as a sample.'),
    eventId: z
      .string()
      .exactOptional()
      .describe('Id of the event, where its signature was good and the service has ids.'),
    messageId: idOf('message')
      .exactOptional()
      .describe('Message that its event became, now or the first time; of a refused one, when it was accepted.'),
    eventType: z
      .string()
      .exactOptional()
      .describe('Event type of that message. Absent while it waits for a paused channel, and once it is removed.'),
    reason: z.enum(REFUSAL_REASONS).exactOptional().describe('Why it was refused.'),
    detail: z.string().exactOptional().describe('The same in words.'),
    address: z.string().exactOptional().describe('IP address that it came from, where it was refused.'),
    bytes: wholeNumber.exactOptional().describe('Length of its body, where it was refused.'),
    hasBody: hasBody.exactOptional(),
    receivedAt: time.describe('When it came.'),
  })
  .meta({ typeName: 'InboundRequest' });
export type ListedRequest = z.output<typeof inboundRequestAnswer>;

export const requestBodyAnswer = z
  .strictObject({
    requestId: idOf('inboundRefusal'),
    contentType: z.string().exactOptional().describe('Its `Content-Type`, where it had one.'),
    bytes: wholeNumber.describe('Length of the body.'),
    body: z.string().describe('Body as it came.'),
    encoding: z.enum(['text', 'base64']).describe('Form of `body`: base64 where the bytes are no UTF-8.'),
  })
  .meta({ typeName: 'RequestBody' });
export type RequestBody = z.output<typeof requestBodyAnswer>;

export const acceptedRequestAnswer = z
  .strictObject({
    outcome: z
      .enum(['received', 'repeated'])
      .describe('`repeated`: it was accepted before, or another request had the same id of the event.'),
    messageId: idOf('message').describe('Message that it became, or that its event had become before.'),
  })
  .meta({ typeName: 'AcceptedRequest' });
export type AcceptedRequest = z.output<typeof acceptedRequestAnswer>;

/** A sample is as long as a request may be. */
const MAX_SAMPLE_LENGTH = 1_048_576;
const sampleHeaders = z
  .record(headerName, visible(MAX_SECRET_LENGTH))
  .refine((headers) => Object.keys(headers).length <= MAX_FIELDS, `must have at most ${MAX_FIELDS}`);

export const sendSampleBody = fieldsOf({
  body: z
    .string()
    .max(MAX_SAMPLE_LENGTH)
    .exactOptional()
    .describe('Exact text; with the scheme `body`, of its `payload`.'),
  headers: sampleHeaders
    .meta({ maxProperties: MAX_FIELDS })
    .exactOptional()
    .describe('Headers beside the signature, over those of the sample: the event type of many services stands there.'),
})
  .default({})
  .meta({ typeName: 'SendSample' });
export type SendSample = z.output<typeof sendSampleBody>;

export const webhookSampleAnswer = z
  .strictObject({
    isSignable: z.boolean().describe('Whether this service can sign in the name of the sender.'),
    reason: z.string().exactOptional().describe('Why it cannot.'),
    body: z.string().exactOptional().describe('Its body; with the scheme `body`, its `payload`. Ids in it are new.'),
    headers: z.record(z.string(), z.string()).exactOptional().describe('Headers beside its signature.'),
  })
  .meta({ typeName: 'WebhookSample' });
export type WebhookSample = z.output<typeof webhookSampleAnswer>;

export const sentSampleAnswer = z
  .strictObject({
    outcome: z
      .enum(['received', 'repeated', 'handshake', 'refused'])
      .describe('`repeated`: an earlier request had the same id of the event. A `handshake` becomes no message.'),
    status: z.int().describe('HTTP status with which the sender would be answered.'),
    messageId: idOf('message')
      .exactOptional()
      .describe('Message that it became, now or the first time its event came.'),
    reason: z.enum(REFUSAL_REASONS).exactOptional().describe('Why it was refused.'),
    detail: z.string().exactOptional().describe('The same in words.'),
  })
  .meta({ typeName: 'SentSample' });
export type SentSample = z.output<typeof sentSampleAnswer>;

/** Spec §4 Inbound webhook; and what services ask for before they send anything (docs/guides/inbound-webhooks.md). */
export const receivedAnswer = z
  .strictObject({
    received: z.boolean().exactOptional().describe('Always true. Absent in the answer to some handshakes.'),
    messageId: idOf('message')
      .exactOptional()
      .describe('Message that the event became, now or the first time it came. Absent in the answer to a handshake.'),
    challenge: z.string().exactOptional().describe('Text that Slack asks for.'),
    plainToken: z.string().exactOptional().describe('Text that Zoom asks for.'),
    encryptedToken: z.string().exactOptional().describe('HMAC of it.'),
    type: z.int().exactOptional().describe('Number that Discord asks for.'),
  })
  .meta({ typeName: 'InboundReceived' });
export type Received = z.output<typeof receivedAnswer>;
