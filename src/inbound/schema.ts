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

/**
 * A request is refused for the first of these that applies. They are checked in this order, except the state of app,
 * webhook and channel.
 */
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

/** Secrets that a new webhook can be given: two while the sender is changing its secret. */
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

/** An object with exactly one of the members. Null is the same as leaving a member out. */
const oneOf = <S extends Record<string, z.ZodType>>(shape: S, what: string) =>
  fieldsOf(shape)
    .refine((value) => Object.keys(value).length === 1, `must have one of ${Object.keys(shape).join(', ')}: ${what}`)
    .meta({ takesNull: true });

const eventIdShape = {
  header: headerName.exactOptional().describe('Header that has the event id.'),
  pointer: pointer.exactOptional().describe('JSON Pointer to the event id in the body.'),
};
const eventId = z.strictObject(eventIdShape);
const givenEventId = oneOf(eventIdShape, 'where the event id is');

const eventTypeShape = {
  literal: publishedEventType.exactOptional().describe('Event type of every message.'),
  pointer: pointer.exactOptional().describe('JSON Pointer to the event type in the body.'),
  header: headerName.exactOptional().describe('Header that has the event type.'),
  cel: z
    .string()
    .min(1)
    .max(MAX_EXPRESSION_LENGTH)
    .exactOptional()
    .describe('CEL expression that returns a string, over `payload`, `metadata` and `eventType`.'),
};
const eventType = z.strictObject(eventTypeShape);
const givenEventType = oneOf(eventTypeShape, 'where the event type is');

const payloadShape = {
  pointer: pointer.exactOptional().describe('JSON Pointer to the object that becomes the payload.'),
  fields: z
    .record(z.string().min(1).max(MAX_FIELD_LENGTH), pointer)
    .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `must have at most ${MAX_FIELDS} fields`)
    .meta({ maxProperties: MAX_FIELDS })
    .exactOptional()
    .describe(
      'Fields of the payload, each with a JSON Pointer to its value. A field is left out if its pointer finds nothing.',
    ),
};
const payload = z.strictObject(payloadShape);
const givenPayload = oneOf(payloadShape, 'what part of the body becomes the payload');

const resource: ResourceFields = { moved: ['updatedAt', 'url'], rules: { name: nameProblem } };
const ROTATION = 'POST /v1/webhooks/{webhookId}/secrets/rotate sets a new one';

/** Settings of a webhook other than its sender. */
export type WebhookSettings = {
  signature?: SignatureSettings;
  eventId?: z.output<typeof eventId>;
  eventType?: z.output<typeof eventType>;
  payload?: z.output<typeof payload>;
};

const givenSignature = fieldsOf(signatureShape);

export const createWebhookBody = fieldsOf(
  {
    name: name.describe('Display name.'),
    channelId: z.string().describe('Channel to publish to. Cannot change later.'),
    scheme: z
      .enum(SCHEMES)
      .exactOptional()
      .describe('How requests are authenticated. Default: the scheme of the provider, otherwise `body`.'),
    provider: z.enum(PROVIDER_NAMES).exactOptional().describe('Service that sends the requests, if it is a known one.'),
    status: status.default('active').describe('Status of the new webhook.'),
    secrets: z
      .array(secret)
      .min(1)
      .max(MAX_GIVEN_SECRETS)
      .exactOptional()
      .describe(
        'Secrets to accept, newest first. If none is given and the service lets you choose it, one is generated.',
      ),
    signature: givenSignature.exactOptional().describe('Signature format, for the schemes `hmac` and `token`.'),
    eventId: givenEventId.exactOptional().describe('Where the event id is. Default: where the provider puts it.'),
    eventType: givenEventType
      .exactOptional()
      .describe('Where the event type comes from. Default: where the provider puts it.'),
    payload: givenPayload.exactOptional().describe('Part of the body that becomes the payload. Default: all of it.'),
  },
  { ...resource, identity: { id: sameText(), createdAt: sameTime() } },
).meta({ typeName: 'CreateWebhook' });
export type CreateWebhook = z.output<typeof createWebhookBody>;

/** Null restores the mapping of the provider. */
export const webhookChange = changeOf(
  {
    name: name.exactOptional().describe('Display name.'),
    status: status.exactOptional().describe('New status.'),
    signature: givenSignature.exactOptional().describe('Signature format, for the schemes `hmac` and `token`.'),
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
      scheme: sameText('cannot change; create another webhook'),
      provider: sameText('cannot change; create another webhook'),
      createdAt: sameTime(),
    },
    elsewhere: {
      secrets: `cannot be changed here; ${ROTATION}`,
    },
  },
);
export const updateWebhookBody = webhookChange.body.meta({ typeName: 'UpdateWebhook' });
export type UpdateWebhook = z.output<typeof updateWebhookBody>;

/** Hours for which the previous secret stays valid; 0 ends it at once. At most a week. */
const DEFAULT_OVERLAP_HOURS = 24;
export const rotateWebhookSecretBody = fieldsOf({
  secret: secret
    .exactOptional()
    .describe('New secret. If it is left out and the service lets you choose, one is generated.'),
  overlapHours: z
    .number()
    .int()
    .min(0)
    .max(168)
    .default(DEFAULT_OVERLAP_HOURS)
    .describe('Hours for which older secrets stay valid, at most.'),
})
  .default({
    overlapHours: DEFAULT_OVERLAP_HOURS,
  })
  .meta({ typeName: 'RotateWebhookSecret' });
export type RotateWebhookSecret = z.output<typeof rotateWebhookSecretBody>;

export const listWebhooksQuery = pageQuery
  .extend({
    channelId: z.string().optional().describe('Only webhooks of this channel.'),
    status: enumQuery(WEBHOOK_STATUSES).optional().describe('Only webhooks with this status.'),
    ...namedQuery('webhook'),
  })
  .meta({ typeName: 'ListWebhooks' });
export type ListWebhooks = z.output<typeof listWebhooksQuery>;

export const listRefusalsQuery = pageQuery
  .extend({ reason: enumQuery(REFUSAL_REASONS).optional().describe('Only requests refused for this reason.') })
  .meta({ typeName: 'ListRefusals' });
export type ListRefusals = z.output<typeof listRefusalsQuery>;

const webhookId = idOf('webhook').describe('Prefix `whk_` and 26 characters (128 random bits).');

export const webhookAnswer = z
  .strictObject({
    id: webhookId,
    name: z.string().describe('Display name.'),
    channelId: idOf('channel').describe('Channel that its messages are published to.'),
    scheme: z.enum(SCHEMES).describe('How requests are authenticated.'),
    provider: z
      .enum(PROVIDER_NAMES)
      .exactOptional()
      .describe('Service that sends the requests. Absent for a sender of your own.'),
    status: status.describe('`disabled`: every request is refused.'),
    signature: signatureSettings.exactOptional().describe('Signature format, for the schemes `hmac` and `token`.'),
    eventId: eventId.exactOptional().describe('Where the event id is. Absent: where the provider puts it.'),
    eventType: eventType
      .exactOptional()
      .describe('Where the event type comes from. Absent: where the provider puts it.'),
    payload: payload.exactOptional().describe('Part of the body that becomes the payload. Absent: all of it.'),
    url: z.string().describe('Address to give to the service.'),
    createdAt: time.describe('When it was created.'),
    updatedAt: time.describe('When it was last changed.'),
  })
  .meta({ typeName: 'Webhook' });
export type Webhook = z.output<typeof webhookAnswer>;

export const webhookSecretsAnswer = z
  .strictObject({
    secrets: z
      .array(
        z.strictObject({
          secret: z.string().describe('The secret, or the public key of a service that signs with its own key.'),
          createdAt: time.describe('When it was set.'),
          expiresAt: time
            .exactOptional()
            .describe('When it stops being valid because a newer one was set. Absent for the current one.'),
        }),
      )
      .describe(
        'Valid secrets, newest first: the current one, and up to three older ones while rotations overlap. Empty until a secret is set.',
      ),
  })
  .meta({ typeName: 'WebhookSecrets' });
export type WebhookSecrets = z.output<typeof webhookSecretsAnswer>;

const hasBody = z
  .boolean()
  .describe('Whether its body is kept and the request can be accepted. Only if its signature was valid.');
const acceptedAs = idOf('message')
  .exactOptional()
  .describe('Message that was published when the request was accepted.');

export const refusalAnswer = z
  .strictObject({
    id: idOf('inboundRefusal'),
    webhookId: webhookId.describe('Webhook that refused it.'),
    reason: z.enum(REFUSAL_REASONS).describe('Why it did not become a message.'),
    detail: z.string().describe('The reason in words, with the field if one is the cause.'),
    address: z.string().describe('IP address of the sender.'),
    userAgent: z
      .string()
      .exactOptional()
      .describe('Its `User-Agent`, up to 300 characters; `posthorn-sample` for a sample.'),
    eventId: z.string().exactOptional().describe('Event id. Absent if the signature was not valid.'),
    bytes: wholeNumber.describe('Length of its body in bytes.'),
    hasBody,
    messageId: acceptedAs,
    refusedAt: time.describe('When it was refused.'),
  })
  .meta({ typeName: 'InboundRefusal' });
export type Refusal = z.output<typeof refusalAnswer>;

/** Marks refused samples in `userAgent`. If another sender uses this name, its user agent is left out. */
export const SAMPLE_AGENT = 'posthorn-sample';

/** `repeated`: an earlier request had the same event id. */
const REQUEST_OUTCOMES = ['received', 'repeated', 'refused'] as const;

export const listInboundRequestsQuery = pageQuery
  .extend({
    outcome: enumQuery(REQUEST_OUTCOMES).optional().describe('Only requests with this outcome.'),
    ...windowQuery,
  })
  .meta({ typeName: 'ListInboundRequests' });
export type ListInboundRequests = z.output<typeof listInboundRequestsQuery>;

export const inboundRequestAnswer = z
  .strictObject({
    id: idOf('inboundReceipt', 'inboundRefusal'),
    webhookId: webhookId.describe('Webhook that received it.'),
    outcome: z
      .enum(REQUEST_OUTCOMES)
      .describe('`received`: it became a message. `repeated`: an earlier request had the same event id.'),
    isSample: z.boolean().describe('Whether it is a sample signed by this service.'),
    eventId: z
      .string()
      .exactOptional()
      .describe('Event id. Absent if the signature was not valid or the service has no event ids.'),
    messageId: idOf('message')
      .exactOptional()
      .describe(
        'Message published for the event by this request or an earlier one; for a refused request, when it was accepted.',
      ),
    eventType: z
      .string()
      .exactOptional()
      .describe(
        'Event type of the message. Absent while the message waits for a paused channel, and once it is removed.',
      ),
    reason: z.enum(REFUSAL_REASONS).exactOptional().describe('Why it was refused.'),
    detail: z.string().exactOptional().describe('The reason in words.'),
    address: z.string().exactOptional().describe('IP address of the sender, if refused.'),
    bytes: wholeNumber.exactOptional().describe('Length of its body in bytes, if refused.'),
    hasBody: hasBody.exactOptional(),
    receivedAt: time.describe('When it was received.'),
  })
  .meta({ typeName: 'InboundRequest' });
export type ListedRequest = z.output<typeof inboundRequestAnswer>;

export const requestBodyAnswer = z
  .strictObject({
    requestId: idOf('inboundRefusal'),
    contentType: z.string().exactOptional().describe('Its `Content-Type`. Absent if it had none.'),
    bytes: wholeNumber.describe('Length of the body in bytes.'),
    body: z.string().describe('Body as it was received.'),
    encoding: z.enum(['text', 'base64']).describe('Encoding of `body`: base64 if the bytes are not UTF-8.'),
  })
  .meta({ typeName: 'RequestBody' });
export type RequestBody = z.output<typeof requestBodyAnswer>;

export const acceptedRequestAnswer = z
  .strictObject({
    outcome: z
      .enum(['received', 'repeated'])
      .describe('`repeated`: it was accepted before, or another request had the same event id.'),
    messageId: idOf('message').describe('Message published for the request or for an earlier one with its event id.'),
  })
  .meta({ typeName: 'AcceptedRequest' });
export type AcceptedRequest = z.output<typeof acceptedRequestAnswer>;

/** Same as the limit for requests. */
const MAX_SAMPLE_LENGTH = 1_048_576;
const sampleHeaders = z
  .record(headerName, visible(MAX_SECRET_LENGTH))
  .refine((headers) => Object.keys(headers).length <= MAX_FIELDS, `must have at most ${MAX_FIELDS}`);

export const sendSampleBody = fieldsOf({
  body: z
    .string()
    .max(MAX_SAMPLE_LENGTH)
    .exactOptional()
    .describe('Exact text to sign; with the scheme `body`, the text of its `payload`.'),
  headers: sampleHeaders
    .meta({ maxProperties: MAX_FIELDS })
    .exactOptional()
    .describe(
      'Headers to send in addition to the signature. They replace those of the sample; many services put the event type in a header.',
    ),
})
  .default({})
  .meta({ typeName: 'SendSample' });
export type SendSample = z.output<typeof sendSampleBody>;

export const webhookSampleAnswer = z
  .strictObject({
    isSignable: z.boolean().describe('Whether Posthorn can sign for the sender.'),
    reason: z.string().exactOptional().describe('Why it cannot sign.'),
    body: z
      .string()
      .exactOptional()
      .describe('Body of the sample; with the scheme `body`, its `payload`. Each sample has new ids.'),
    headers: z.record(z.string(), z.string()).exactOptional().describe('Headers other than the signature.'),
  })
  .meta({ typeName: 'WebhookSample' });
export type WebhookSample = z.output<typeof webhookSampleAnswer>;

export const sentSampleAnswer = z
  .strictObject({
    outcome: z
      .enum(['received', 'repeated', 'handshake', 'refused'])
      .describe('`repeated`: an earlier request had the same event id. `handshake`: it did not become a message.'),
    status: z.int().describe('HTTP status that the sender would receive.'),
    messageId: idOf('message')
      .exactOptional()
      .describe('Message published for the event by this request or an earlier one.'),
    reason: z.enum(REFUSAL_REASONS).exactOptional().describe('Why it was refused.'),
    detail: z.string().exactOptional().describe('The reason in words.'),
  })
  .meta({ typeName: 'SentSample' });
export type SentSample = z.output<typeof sentSampleAnswer>;

/**
 * Response to a request of a service (spec §4 Inbound webhook), or to the handshake that some services require before
 * they send (docs/guides/inbound-webhooks.md).
 */
export const receivedAnswer = z
  .strictObject({
    received: z.boolean().exactOptional().describe('Always true. Absent in responses to some handshakes.'),
    messageId: idOf('message')
      .exactOptional()
      .describe(
        'Message published for the event by this request or an earlier one. Absent in responses to handshakes.',
      ),
    challenge: z.string().exactOptional().describe('Challenge, for Slack.'),
    plainToken: z.string().exactOptional().describe('Token, for Zoom.'),
    encryptedToken: z.string().exactOptional().describe('HMAC of the token, for Zoom.'),
    type: z.int().exactOptional().describe('Response type, for Discord.'),
  })
  .meta({ typeName: 'InboundReceived' });
export type Received = z.output<typeof receivedAnswer>;
