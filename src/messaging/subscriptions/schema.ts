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

// Printing or matching an eventType never meets a control character.
const eventType = z
  .string()
  .min(1)
  .max(MAX_EVENT_TYPE_LENGTH)
  .refine((text) => !hasControlCharacter(text), { error: 'must not hold control characters' });

/** One entry of eventTypes: an eventType, `*`, or a beginning such as `order.*`. */
const eventTypePattern = eventType.check(checkEventTypePattern);

const bounded = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max).exactOptional();

/** Milliseconds. */
const retryPolicyFields = {
  maxRetries: bounded(RETRY_BOUNDS.maxRetries).describe('Tries after the first one.'),
  initialDelay: bounded(RETRY_BOUNDS.initialDelay).describe('Milliseconds before the first retry.'),
  maxDelay: bounded(RETRY_BOUNDS.maxDelay).describe('Milliseconds that no delay of the policy exceeds.'),
  backoffMultiplier: bounded(RETRY_BOUNDS.backoffMultiplier).describe('Each delay is the one before, times this.'),
};

const name = z.string().min(1).max(200);
/** Scheme, host and port are the address guard's to judge; 2,048 UTF-16 units is its bound too. */
const webhookUrl = z.string().min(1).max(2_048);
const eventTypes = z.array(eventTypePattern).max(MAX_EVENT_TYPES);
/** Whether it is an expression that may be a filter is asked by the service. */
const filter = z.string().min(1).max(MAX_EXPRESSION_LENGTH);
const headers = z.record(z.string(), z.string());
/** Total time of one attempt, in ms. */
const timeoutMs = z.number().int().min(TIMEOUT_MS.min).max(TIMEOUT_MS.max);
/** Longest Retry-After that is kept to, in ms. */
const maxRetryAfter = z.number().int().min(MAX_RETRY_AFTER.min).max(MAX_RETRY_AFTER.max);

/**
 * Requests at a time, and tries per second, whatever they are: first ones, retries, drained ones. Each worker
 * process takes an equal share (some one place more), at least 1: with more workers than that the sum is exceeded.
 */
const maxConcurrency = z.number().int().min(CONCURRENCY.min).max(CONCURRENCY.max);
const rateLimit = z.number().int().min(RATE_LIMIT.min).max(RATE_LIMIT.max);

/** The publisher's own id of a customer. */
const owner = z.string().min(1).max(128);

/** Standard Webhooks, "Signature scheme". */
const secret = z.string().refine(isSymmetricSecret, 'must be whsec_ and the base64 of 24 to 64 bytes');

/** `disabled` is known, so that a subscription can be sent back as it was read. */
const status = z.enum(SUBSCRIPTION_STATUSES);

const SECRET_ELSEWHERE = {
  secret: 'is not set here; POST /v1/subscriptions/{subscriptionId}/secret/rotate sets another one',
};
const rules: ResourceFields['rules'] = {
  name: nameProblem,
  owner: controlCharacterProblem,
  status: (value) =>
    value === 'disabled' ? 'is set to disabled by the service; active and paused can be chosen' : undefined,
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
    channelId: z.string().describe('Channel whose messages it gets.'),
    name: name.exactOptional().describe('Name for people.'),
    owner: owner.exactOptional().describe('Your own id of the customer whose it is, to list by. It routes nothing.'),
    webhookUrl: webhookUrl.describe('Where messages are sent: https, or http where the operator allows it.'),
    status: status.default('active').describe('Status to have.'),
    eventTypes: eventTypes
      .default([])
      .describe('Event types, or beginnings of them such as `order.*`. An empty list: all.'),
    filter: filter
      .exactOptional()
      .describe('CEL expression over `payload`, `metadata`, `eventType` that lets through what is wanted.'),
    retryPolicy: fieldsOf(retryPolicyFields)
      .default({})
      .describe('When a failed delivery is tried again. Parts that are left out stay as they are by default.'),
    headers: headers.default({}).describe('Headers that are sent with every request.'),
    /** Default: that of its app, and so with circuitBreaker and retryPolicy. */
    timeoutMs: timeoutMs.exactOptional().describe('Milliseconds that one attempt may take.'),
    maxRetryAfter: maxRetryAfter
      .exactOptional()
      .describe(
        'Longest wait, in milliseconds, that its receiver may ask for by `Retry-After` of a 429 or 503. Default: a day.',
      ),
    maxConcurrency: maxConcurrency.exactOptional().describe('Requests at a time at most.'),
    rateLimit: rateLimit.exactOptional().describe('Tries per second at most.'),
    circuitBreaker: z.boolean().exactOptional().describe('Whether a circuit may open.'),
    /** Stored messages from this time on are delivered too. */
    startFrom: instantField.exactOptional().describe('Stored messages from this time on are delivered too.'),
    /** That of a receiver which knows one already. Default: a new one. */
    secret: secret.exactOptional().describe('Signing secret that the receiver has already. Absent: a new one.'),
  },
  { identity, moved, rules },
).meta({ typeName: 'CreateSubscription' });
export type CreateSubscription = z.output<typeof createSubscriptionBody>;

/** retryPolicy is merged, eventTypes and headers are replaced, null clears owner, filter or a limit. */
export const subscriptionChange = changeOf(
  {
    name: name.exactOptional().describe('Name for people.'),
    owner: owner
      .nullable()
      .exactOptional()
      .describe('Your own id of the customer whose it is, to list by. It routes nothing.'),
    webhookUrl: webhookUrl
      .exactOptional()
      .describe('Where messages are sent: https, or http where the operator allows it.'),
    status: status.exactOptional().describe('Status to have.'),
    eventTypes: eventTypes
      .exactOptional()
      .describe('Event types, or beginnings of them such as `order.*`. An empty list: all.'),
    filter: filter
      .nullable()
      .exactOptional()
      .describe('CEL expression over `payload`, `metadata`, `eventType` that lets through what is wanted.'),
    retryPolicy: z
      .strictObject(retryPolicyFields)
      .exactOptional()
      .describe('When a failed delivery is tried again. Parts that are left out stay as they are by default.'),
    headers: headers.exactOptional().describe('Headers that are sent with every request.'),
    timeoutMs: timeoutMs.exactOptional().describe('Milliseconds that one attempt may take.'),
    maxRetryAfter: maxRetryAfter
      .exactOptional()
      .describe(
        'Longest wait, in milliseconds, that its receiver may ask for by `Retry-After` of a 429 or 503. Default: a day.',
      ),
    maxConcurrency: maxConcurrency.nullable().exactOptional().describe('Requests at a time at most.'),
    rateLimit: rateLimit.nullable().exactOptional().describe('Tries per second at most.'),
    circuitBreaker: z.boolean().exactOptional().describe('Whether a circuit may open.'),
  },
  {
    identity: { ...identity, channelId: sameText('cannot change; make a new subscription instead') },
    // Creation answers it beside the subscription.
    moved: [...moved, 'replayId'],
    rules,
    elsewhere: SECRET_ELSEWHERE,
  },
);
export const updateSubscriptionBody = subscriptionChange.body.meta({ typeName: 'UpdateSubscription' });
export type UpdateSubscription = z.output<typeof updateSubscriptionBody>;

/** A channelId that names nothing here gives an empty list. */
export const listSubscriptionsQuery = pageQuery
  .extend({
    channelId: z.string().exactOptional().describe('Only of this channel.'),
    owner: owner.exactOptional().describe('Your own id of the customer whose it is, to list by. It routes nothing.'),
    status: z.enum(SUBSCRIPTION_STATUSES).exactOptional().describe('Status to have.'),
    failing: enumQuery(['true', 'false'])
      .exactOptional()
      .describe(
        'Only those that are disabled, whose receiver is failing (`failingSince` of their statistics), whose circuit is not closed or whose secrets cannot be opened; or only the others.',
      ),
    ...namedQuery('subscription'),
    name: namePartQuery.exactOptional().describe('Part of the name or of the host of the URL, in any case.'),
  })
  .meta({ typeName: 'ListSubscriptions' });
export type ListSubscriptions = z.output<typeof listSubscriptionsQuery>;

/** Hours for which the secrets before the new one go on signing beside it; 0 ends them at once. At most a week. */
export const rotateSecretBody = fieldsOf({
  overlapHours: z
    .number()
    .int()
    .min(0)
    .max(168)
    .default(24)
    .describe('Hours for which older secrets stay valid beside the new one, at most.'),
  secret: secret.exactOptional().describe('The new secret. Absent: the service makes it.'),
})
  .default({ overlapHours: 24 })
  .meta({ typeName: 'RotateSubscriptionSecret' });
export type RotateSecret = z.output<typeof rotateSecretBody>;

/** Requests to a receiver at this moment, over all living workers. */
const concurrency = z.strictObject({
  limit: wholeNumber.describe('Requests allowed in flight.'),
  inFlight: wholeNumber.describe('Requests in flight.'),
  latencyMs: wholeNumber.exactOptional().describe('Mean latency of late good answers. Absent before the first one.'),
});
export type Concurrency = z.output<typeof concurrency>;

/** Spec §2. The signing secret is no part of it: it has its own endpoint. */
export const subscriptionAnswer = z
  .strictObject({
    id: idOf('subscription'),
    channelId: idOf('channel').describe('Channel whose messages it gets.'),
    name: z.string().describe('Name for people.'),
    owner: z
      .string()
      .exactOptional()
      .describe(
        "The publisher's own id of the customer whose it is, to list by. It routes nothing: the subscription gets the messages of its channel for every owner. Absent: nobody's.",
      ),
    webhookUrl: z.string().describe('Where messages are sent.'),
    status: z
      .enum(SUBSCRIPTION_STATUSES)
      .describe('Deliveries wait unless it is active. The service alone disables one.'),
    statusChangedAt: time
      .exactOptional()
      .describe('Since when it has this status. Absent where that is older than the record.'),
    disabledReason: z
      .enum(DISABLED_REASONS)
      .exactOptional()
      .describe(
        'Why it is disabled: its receiver has answered 410, or taken nothing for five days. Absent where that is known no more.',
      ),
    eventTypes: z
      .array(z.string())
      .describe('Event types that it gets, or beginnings of them such as `order.*`. An empty list: all.'),
    filter: z.string().exactOptional().describe('CEL expression that lets through what of them it gets. Absent: all.'),
    retryPolicy: z
      .strictObject({
        maxRetries: wholeNumber.describe('Tries after the first one.'),
        initialDelay: wholeNumber.describe('Milliseconds before the first retry.'),
        maxDelay: wholeNumber.describe('Milliseconds that no delay of the policy exceeds.'),
        backoffMultiplier: wholeNumber.describe('Each delay is the one before, times this.'),
      })
      .describe('When a failed delivery is tried again.'),
    headers: z.record(z.string(), z.string()).describe('Headers that are sent with every request.'),
    timeoutMs: wholeNumber.describe('Milliseconds that one attempt may take.'),
    maxRetryAfter: wholeNumber.describe(
      'Longest wait, in milliseconds, that its receiver may ask for by `Retry-After` of a 429 or 503. Such a wait may be longer than `maxDelay`.',
    ),
    maxConcurrency: wholeNumber
      .exactOptional()
      .describe('Requests at a time. Absent: as many as its receiver takes well, which its workers find out.'),
    rateLimit: wholeNumber.exactOptional().describe('Tries per second. Absent: as many as it takes.'),
    circuitBreaker: z.boolean().describe('Whether a circuit may open.'),
    circuit: z
      .strictObject({
        state: z.enum(CIRCUIT_STATES).describe('Nothing is sent while it is open, but for a probe every 30 s.'),
        openedAt: time.exactOptional().describe('When it last opened. Absent while it is closed.'),
        nextProbeAt: time.exactOptional().describe('When the next probe may go. Absent while it is closed.'),
      })
      .describe('Circuit breaker of its receiver.'),
    concurrency: concurrency.exactOptional().describe('Requests to its receiver at this moment. Absent in lists.'),
    secretUnreadableSince: time
      .exactOptional()
      .describe('Since when its deliveries wait because none of its signing secrets can be opened; rotating ends it.'),
    warnings: z
      .array(fieldProblem)
      .exactOptional()
      .describe(
        'What does not work as it may seem to: stored values that a stricter rule refuses since and that are not used, a host name that the public DNS cannot have and that does not resolve yet (not in lists), and an `owner`, which routes nothing.',
      ),
    createdAt: time.describe('When the subscription was made.'),
    updatedAt: time.describe('When the subscription was last changed.'),
  })
  .meta({ typeName: 'Subscription' });
export type Subscription = z.output<typeof subscriptionAnswer>;

/** The answer to creation. */
export const createdSubscriptionAnswer = subscriptionAnswer
  .extend({
    replayId: idOf('messageReplay')
      .exactOptional()
      .describe('Replay of what was stored since `startFrom`. Absent without one.'),
  })
  .meta({ typeName: 'CreatedSubscription' });
export type CreatedSubscription = z.output<typeof createdSubscriptionAnswer>;

export const secretAnswer = z
  .strictObject({
    secret: z
      .string()
      .regex(/^whsec_[\w+/=-]{40,}$/)
      .describe('Signing secret of Standard Webhooks: `whsec_` and the base64 of its bytes.'),
    createdAt: time.describe('Since when it signs.'),
    older: z
      .array(
        z.strictObject({
          createdAt: time.describe('Since when it signs.'),
          expiresAt: time.describe('Until when it signs beside the newer ones.'),
        }),
      )
      .describe('Secrets before it that still sign, the newest first. None of them is shown again.'),
  })
  .meta({ typeName: 'SubscriptionSecret' });
export type SubscriptionSecret = z.output<typeof secretAnswer>;
