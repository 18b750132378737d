import { z } from 'zod';
import { fieldProblem, idOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../api/http/reading/fields.ts';
import {
  checkEventTypePattern,
  enumQuery,
  instantField,
  namedQuery,
  namePartQuery,
  pageQuery,
} from '../../api/http/reading/query.ts';
import { CIRCUIT_STATES } from '../../kernel/rules/circuit.ts';
import { DISABLED_REASONS } from '../../kernel/rules/failing.ts';
import { MAX_EVENT_TYPE_LENGTH, MAX_EVENT_TYPES } from '../../kernel/words/event-types.ts';
import { MAX_EXPRESSION_LENGTH } from '../filters/expressions/rules.ts';
import { CONCURRENCY, RATE_LIMIT, TIMEOUT_MS } from '../../kernel/rules/resource-bounds.ts';
import { controlCharacterProblem, hasControlCharacter, nameProblem } from '../../kernel/values/text.ts';
import { MAX_RETRY_AFTER, RETRY_BOUNDS } from '../../kernel/contract/retry-policy.ts';
import { isSymmetricSecret } from '../../kernel/rules/secrets.ts';
import { SUBSCRIPTION_STATUSES } from '../../kernel/words/statuses.ts';

// Event types are printed and matched in many places, none of which expects control characters.
const eventType = z
  .string()
  .min(1)
  .max(MAX_EVENT_TYPE_LENGTH)
  .refine((text) => !hasControlCharacter(text), { error: 'must not hold control characters' });

/** One entry of eventTypes: an event type, `*`, or a prefix pattern such as `order.*`. */
const eventTypePattern = eventType.check(checkEventTypePattern);

const bounded = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max).exactOptional();

/** Delays are in milliseconds. */
const retryPolicyFields = {
  maxRetries: bounded(RETRY_BOUNDS.maxRetries).describe('Retries after the first attempt.'),
  initialDelay: bounded(RETRY_BOUNDS.initialDelay).describe('Milliseconds before the first retry.'),
  maxDelay: bounded(RETRY_BOUNDS.maxDelay).describe('Maximum delay between two attempts, in milliseconds.'),
  backoffMultiplier: bounded(RETRY_BOUNDS.backoffMultiplier).describe(
    'Factor by which each delay is longer than the previous one.',
  ),
};

const name = z.string().min(1).max(200);
/** The address guard checks scheme, host and port. 2,048 UTF-16 units is its limit, too. */
const webhookUrl = z.string().min(1).max(2_048);
const eventTypes = z.array(eventTypePattern).max(MAX_EVENT_TYPES);
/** The service checks whether this is a valid filter expression. */
const filter = z.string().min(1).max(MAX_EXPRESSION_LENGTH);
const headers = z.record(z.string(), z.string());
/** Maximum duration of an attempt, in ms. */
const timeoutMs = z.number().int().min(TIMEOUT_MS.min).max(TIMEOUT_MS.max);
/** Longest Retry-After that is respected, in ms. */
const maxRetryAfter = z.number().int().min(MAX_RETRY_AFTER.min).max(MAX_RETRY_AFTER.max);

/**
 * Concurrent requests and attempts per second, whether first attempts or retries, in workflows or sent directly. Each
 * worker gets an equal share (some get one slot more), but at least 1, so the limit is exceeded if there are more
 * workers than that.
 */
const maxConcurrency = z.number().int().min(CONCURRENCY.min).max(CONCURRENCY.max);
const rateLimit = z.number().int().min(RATE_LIMIT.min).max(RATE_LIMIT.max);

/** The publisher's own id for a customer. */
const owner = z.string().min(1).max(128);

/** Standard Webhooks, "Signature scheme". */
const secret = z.string().refine(isSymmetricSecret, 'must be whsec_ and the base64 of 24 to 64 bytes');

/** Accepts `disabled` too, so that a subscription can be sent back as it was read. */
const status = z.enum(SUBSCRIPTION_STATUSES);

const SECRET_ELSEWHERE = {
  secret: 'cannot be set here; POST /v1/subscriptions/{subscriptionId}/secret/rotate sets a new one',
};
const rules: ResourceFields['rules'] = {
  name: nameProblem,
  owner: controlCharacterProblem,
  status: (value) => (value === 'disabled' ? 'must be active or paused; only the service sets disabled' : undefined),
};
const identity = { id: sameText(), createdAt: sameTime() };
const moved = [
  'statusChangedAt',
  'disabledReason',
  'circuit',
  'concurrency',
  'secretUnreadableSince',
  'warnings',
  'updatedAt',
];

export const createSubscriptionBody = fieldsOf(
  {
    channelId: z.string().describe('Channel whose messages it receives.'),
    name: name.exactOptional().describe('Display name.'),
    owner: owner
      .exactOptional()
      .describe('Your own id for the customer it belongs to, to filter lists by. It does not affect routing.'),
    webhookUrl: webhookUrl.describe('URL that messages are sent to: https, or http if the operator allows it.'),
    status: status.default('active').describe('Status.'),
    eventTypes: eventTypes.default([]).describe('Event types or patterns such as `order.*`. An empty list means all.'),
    filter: filter
      .exactOptional()
      .describe('CEL expression over `payload`, `metadata` and `eventType` that selects messages.'),
    retryPolicy: fieldsOf(retryPolicyFields)
      .default({})
      .describe('When a failed delivery is retried. Omitted fields keep their defaults.'),
    headers: headers
      .default({})
      .describe(
        'Headers sent with every request, up to 20. Names that the service, the protocol or a proxy sets ' +
          'are rejected.',
      ),
    /** Default: that of the app, as for circuitBreaker and retryPolicy. */
    timeoutMs: timeoutMs.exactOptional().describe('Maximum duration of an attempt, in milliseconds.'),
    maxRetryAfter: maxRetryAfter
      .exactOptional()
      .describe(
        'Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. ' +
          'Default: a day.',
      ),
    maxConcurrency: maxConcurrency
      .exactOptional()
      .describe(
        'Maximum requests in flight, 1 to 1,000. If not set, the limit starts at 20 and adapts to the ' + 'receiver.',
      ),
    rateLimit: rateLimit.exactOptional().describe('Maximum attempts per second. If not set, there is no limit.'),
    circuitBreaker: z.boolean().exactOptional().describe('Whether the circuit breaker is on.'),
    startFrom: instantField.exactOptional().describe('Also delivers stored messages published at or after this time.'),
    /** The secret of a receiver that already has one. Default: a new one. */
    secret: secret
      .exactOptional()
      .describe(
        'Signing secret that the receiver already has: `whsec_` and the base64 of 24 to 64 bytes. If ' +
          'omitted, a new one is created.',
      ),
  },
  { identity, moved, rules },
).meta({ typeName: 'CreateSubscription' });
export type CreateSubscription = z.output<typeof createSubscriptionBody>;

/** `retryPolicy` is merged; `eventTypes` and `headers` are replaced; null clears `owner`, `filter` or a limit. */
export const subscriptionChange = changeOf(
  {
    name: name.exactOptional().describe('Display name.'),
    owner: owner
      .nullable()
      .exactOptional()
      .describe('Your own id for the customer it belongs to, to filter lists by. It does not affect routing.'),
    webhookUrl: webhookUrl
      .exactOptional()
      .describe('URL that messages are sent to: https, or http if the operator allows it.'),
    status: status.exactOptional().describe('New status.'),
    eventTypes: eventTypes
      .exactOptional()
      .describe('Event types or patterns such as `order.*`. An empty list means all.'),
    filter: filter
      .nullable()
      .exactOptional()
      .describe('CEL expression over `payload`, `metadata` and `eventType` that selects messages.'),
    retryPolicy: z
      .strictObject(retryPolicyFields)
      .exactOptional()
      .describe('When a failed delivery is retried. Omitted fields keep their defaults.'),
    headers: headers.exactOptional().describe('Headers sent with every request, up to 20.'),
    timeoutMs: timeoutMs.exactOptional().describe('Maximum duration of an attempt, in milliseconds.'),
    maxRetryAfter: maxRetryAfter
      .exactOptional()
      .describe(
        'Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. ' +
          'Default: a day.',
      ),
    maxConcurrency: maxConcurrency
      .nullable()
      .exactOptional()
      .describe('Maximum requests in flight. If not set, the limit adapts to the receiver.'),
    rateLimit: rateLimit
      .nullable()
      .exactOptional()
      .describe('Maximum attempts per second. If not set, there is no limit.'),
    circuitBreaker: z.boolean().exactOptional().describe('Whether the circuit breaker is on.'),
  },
  {
    identity: { ...identity, channelId: sameText('cannot change; create a new subscription instead') },
    // In the response to creation.
    moved: [...moved, 'replayId'],
    rules,
    elsewhere: SECRET_ELSEWHERE,
  },
);
export const updateSubscriptionBody = subscriptionChange.body.meta({ typeName: 'UpdateSubscription' });
export type UpdateSubscription = z.output<typeof updateSubscriptionBody>;

/** An unknown channelId gives an empty list. */
export const listSubscriptionsQuery = pageQuery
  .extend({
    channelId: z.string().exactOptional().describe('Only subscriptions of this channel.'),
    owner: owner.exactOptional().describe('Only subscriptions with this `owner`.'),
    status: z.enum(SUBSCRIPTION_STATUSES).exactOptional().describe('Only subscriptions with this status.'),
    failing: enumQuery(['true', 'false'])
      .exactOptional()
      .describe(
        '`true`: only subscriptions that need attention, because they are disabled, their receiver is ' +
          'failing (`failingSince` of their statistics), their circuit is not closed, or their secrets ' +
          'cannot be decrypted. `false`: only the others.',
      ),
    ...namedQuery('subscription'),
    name: namePartQuery.exactOptional().describe('Part of the name or of the host of the URL, case-insensitive.'),
  })
  .meta({ typeName: 'ListSubscriptions' });
export type ListSubscriptions = z.output<typeof listSubscriptionsQuery>;

/** Hours for which older secrets sign in addition to the new one. 0 ends them at once; the maximum is a week. */
export const rotateSecretBody = fieldsOf({
  overlapHours: z
    .number()
    .int()
    .min(0)
    .max(168)
    .default(24)
    .describe('Maximum hours for which older secrets stay valid alongside the new one.'),
  secret: secret
    .exactOptional()
    .describe('The new secret: `whsec_` and the base64 of 24 to 64 bytes. If omitted, one is created.'),
})
  .default({ overlapHours: 24 })
  .meta({ typeName: 'RotateSubscriptionSecret' });
export type RotateSecret = z.output<typeof rotateSecretBody>;

/** Current requests to a receiver, over all live workers. */
const concurrency = z.strictObject({
  limit: wholeNumber.describe('Maximum requests in flight.'),
  inFlight: wholeNumber.describe('Requests in flight.'),
  latencyMs: wholeNumber
    .exactOptional()
    .describe('Mean latency of recent successful responses, in milliseconds. Absent before the first one.'),
});
export type Concurrency = z.output<typeof concurrency>;

/** Spec §2. Does not include the signing secret, which has an endpoint of its own. */
export const subscriptionAnswer = z
  .strictObject({
    id: idOf('subscription'),
    channelId: idOf('channel').describe('Channel whose messages it receives.'),
    name: z.string().describe('Display name.'),
    owner: z
      .string()
      .exactOptional()
      .describe(
        'Your own id for the customer it belongs to, to filter lists by. It does not affect routing: the ' +
          'subscription receives the messages of its channel whatever their owner. Absent if none was given.',
      ),
    webhookUrl: z.string().describe('URL that messages are sent to.'),
    status: z
      .enum(SUBSCRIPTION_STATUSES)
      .describe('Deliveries wait unless it is active. Only the service sets `disabled`.'),
    statusChangedAt: time
      .exactOptional()
      .describe('Since when it has this status. Absent if the change was not recorded.'),
    disabledReason: z
      .enum(DISABLED_REASONS)
      .exactOptional()
      .describe(
        'Why it is disabled: its receiver responded 410, or no delivery has succeeded for five days. ' +
          'Absent if unknown.',
      ),
    eventTypes: z
      .array(z.string())
      .describe('Event types that it receives, or patterns such as `order.*`. An empty list means all.'),
    filter: z
      .string()
      .exactOptional()
      .describe('CEL expression that selects messages of these event types. Absent if it receives all of them.'),
    retryPolicy: z
      .strictObject({
        maxRetries: wholeNumber.describe('Retries after the first attempt.'),
        initialDelay: wholeNumber.describe('Milliseconds before the first retry.'),
        maxDelay: wholeNumber.describe('Maximum delay between two attempts, in milliseconds.'),
        backoffMultiplier: wholeNumber.describe('Factor by which each delay is longer than the previous one.'),
      })
      .describe('When a failed delivery is retried.'),
    headers: z.record(z.string(), z.string()).describe('Headers sent with every request.'),
    timeoutMs: wholeNumber.describe('Maximum duration of an attempt, in milliseconds.'),
    maxRetryAfter: wholeNumber.describe(
      'Longest wait in milliseconds that the receiver can request by `Retry-After` with a 429 or 503. ' +
        'Such a wait may be longer than `maxDelay`.',
    ),
    maxConcurrency: wholeNumber
      .exactOptional()
      .describe('Maximum requests in flight. Absent if not set: the limit adapts to the receiver.'),
    rateLimit: wholeNumber.exactOptional().describe('Maximum attempts per second. Absent if there is no limit.'),
    circuitBreaker: z.boolean().describe('Whether the circuit breaker is on.'),
    circuit: z
      .strictObject({
        state: z
          .enum(CIRCUIT_STATES)
          .describe(
            '`open`, after at least 20 attempts within 5 minutes of which 90 % failed: nothing is sent for 30 ' +
              's. `half_open`: a probe decides whether it closes.',
          ),
        openedAt: time.exactOptional().describe('When it last opened. Absent while it is closed.'),
        nextProbeAt: time.exactOptional().describe('When the next probe can be sent. Absent while it is closed.'),
      })
      .describe('Circuit breaker of the receiver.'),
    concurrency: concurrency
      .exactOptional()
      .describe('Current requests to its receiver over all workers, at most two seconds old. Absent in lists.'),
    secretUnreadableSince: time
      .exactOptional()
      .describe(
        'Since when deliveries are on hold because none of the signing secrets can be decrypted. Rotating ' +
          'the secret ends it.',
      ),
    warnings: z
      .array(fieldProblem)
      .exactOptional()
      .describe(
        'Settings that do not work as they may seem to: stored values that stricter rules now reject and ' +
          'that are not used, a host name that cannot exist in the public DNS and does not resolve (not in ' +
          'lists), and an `owner`, because it does not affect routing.',
      ),
    createdAt: time.describe('When the subscription was created.'),
    updatedAt: time.describe('When the subscription was last changed.'),
  })
  .meta({ typeName: 'Subscription' });
export type Subscription = z.output<typeof subscriptionAnswer>;

/** Response to creation. */
export const createdSubscriptionAnswer = subscriptionAnswer
  .extend({
    replayId: idOf('messageReplay')
      .exactOptional()
      .describe('Replay of the stored messages since `startFrom`. Absent without `startFrom`.'),
  })
  .meta({ typeName: 'CreatedSubscription' });
export type CreatedSubscription = z.output<typeof createdSubscriptionAnswer>;

export const secretAnswer = z
  .strictObject({
    secret: z
      .string()
      .regex(/^whsec_[\w+/=-]{40,}$/)
      .describe('Signing secret (Standard Webhooks): `whsec_` and the base64 of its bytes.'),
    createdAt: time.describe('Since when it signs requests.'),
    older: z
      .array(
        z.strictObject({
          createdAt: time.describe('Since when it signs requests.'),
          expiresAt: time.describe('Until when it signs in addition to newer ones.'),
        }),
      )
      .describe('Older secrets that still sign, newest first. The secrets themselves are not shown.'),
  })
  .meta({ typeName: 'SubscriptionSecret' });
export type SubscriptionSecret = z.output<typeof secretAnswer>;
