import { isId, type IdKind } from '../../src/shared/ids.ts';

/** What is wrong with a value, each with its place; nothing when all is right. */
type Check = (value: unknown, path: string) => string[];

const when =
  (what: string, isRight: (value: unknown) => boolean): Check =>
  (value, path) =>
    isRight(value) ? [] : [`${path} is ${JSON.stringify(value)}, not ${what}`];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = when('a string', (value) => typeof value === 'string');
const integer = when('a whole number', Number.isSafeInteger);
const json = when('an object', isObject);
// Exactly what Date writes: UTC, milliseconds, Z.
const yesOrNo = when('true or false', (value) => typeof value === 'boolean');
const time = when(
  'an ISO 8601 time in UTC',
  (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value,
);
const id = (kind: IdKind): Check =>
  when(`an id of a ${kind}`, (value) => typeof value === 'string' && isId(kind, value));
const oneOf = (...words: string[]): Check =>
  when(`one of ${words.join(', ')}`, (value) => words.some((word) => word === value));

const listOf =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => check(item, `${path}[${index}]`))
      : [`${path} is ${JSON.stringify(value)}, not an array`];

const mapOf =
  (check: Check): Check =>
  (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, member]) => check(member, `${path}.${key}`))
      : [`${path} is ${JSON.stringify(value)}, not an object`];

/** An object with these fields and no others. A name ending in `?` may be absent; null is never right. */
const fields =
  (checks: Record<string, Check>): Check =>
  (value, path) => {
    if (!isObject(value)) return [`${path} is ${JSON.stringify(value)}, not an object`];
    const known = new Map(Object.entries(checks).map(([name, check]) => [name.replace('?', ''), check]));
    const missing = Object.keys(checks).filter((name) => !name.endsWith('?') && !Object.hasOwn(value, name));
    return [
      ...missing.map((name) => `${path}.${name} is missing`),
      ...Object.entries(value).flatMap(
        ([name, member]) => known.get(name)?.(member, `${path}.${name}`) ?? [`${path}.${name} is in no document`],
      ),
    ];
  };

const ERROR_CLASSES = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'status',
  'blocked_address',
  'protocol',
  'crashed',
  'internal',
];

const response = { status: integer, body: text, latencyMs: integer };

const message = {
  id: id('message'),
  channelId: id('channel'),
  eventType: text,
  publishedAt: time,
  'deliverAt?': time,
  'cancelledAt?': time,
  'cancelReason?': oneOf('requested', 'erased', 'channel_deleted'),
  'erasedAt?': time,
  deliveryStatus: oneOf('pending', 'delivered', 'failed', 'unrouted', 'scheduled', 'cancelled'),
};

const apiKey = {
  id: id('apiKey'),
  name: text,
  environment: oneOf('live', 'test'),
  tier: oneOf('free', 'starter', 'pro', 'enterprise'),
  // Each of them can be set per key, and its owner must see what is in force.
  limits: fields({ requestsPerMinute: integer, burst: integer, concurrent: integer, batchPerMinute: integer }),
  scopes: listOf(text),
  prefix: when('the first 12 characters of a key', (value) => /^svc_(live|test)_\w{3}$/.test(String(value))),
  last4: when('the last 4 characters of a key', (value) => /^\w{4}$/.test(String(value))),
  status: oneOf('active', 'expired', 'revoked'),
  createdAt: time,
  'expiresAt?': time,
  'lastUsedAt?': time,
};

const SHAPES = {
  // The specification §2.
  channel: fields({
    id: id('channel'),
    name: text,
    'description?': text,
    status: oneOf('active', 'paused', 'archived'),
    'schema?': json,
    // Beyond the specification: docs/decisions.md "Schemas".
    'schemas?': mapOf(json),
    'schemaMode?': oneOf('enforce', 'warn'),
    retentionDays: integer,
    createdAt: time,
    updatedAt: time,
  }),
  message: (value, path) => [
    ...fields({
      ...message,
      'payload?': json,
      'metadata?': mapOf(text),
      'warnings?': listOf(fields({ field: text, reason: text })),
    })(value, path),
    ...(isObject(value) && Object.hasOwn(value, 'payload') === Object.hasOwn(value, 'erasedAt')
      ? [`${path} has both payload and erasedAt, or neither`]
      : []),
  ],
  // Beyond the specification: docs/decisions.md "Scheduled messages".
  cancelledMessage: fields({ ...message, deliveryStatus: oneOf('cancelled') }),
  subscription: fields({
    id: id('subscription'),
    channelId: id('channel'),
    name: text,
    webhookUrl: text,
    status: oneOf('active', 'paused', 'disabled'),
    eventTypes: listOf(text),
    // Beyond the specification: docs/decisions.md "Filters".
    'filter?': text,
    retryPolicy: fields({ maxRetries: integer, initialDelay: integer, maxDelay: integer, backoffMultiplier: integer }),
    headers: mapOf(text),
    // Beyond the specification.
    timeoutMs: integer,
    // What holds deliveries back.
    'maxConcurrency?': integer,
    'rateLimit?': integer,
    circuitBreaker: yesOrNo,
    // Beyond the specification: docs/decisions.md "Secrets and keys".
    'secretUnreadableSince?': time,
    circuit: fields({ state: oneOf('closed', 'open', 'half_open'), 'openedAt?': time, 'nextProbeAt?': time }),
    'concurrency?': fields({ limit: integer, inFlight: integer, 'latencyMs?': integer }),
    createdAt: time,
    updatedAt: time,
  }),
  delivery: fields({
    id: id('delivery'),
    messageId: id('message'),
    subscriptionId: id('subscription'),
    status: oneOf('pending', 'delivered', 'failed', 'retrying'),
    attempts: integer,
    'lastAttemptAt?': time,
    'nextRetryAt?': time,
    'response?': fields(response),
    // Beyond the specification: deliveries of what was deleted end with the reason subscription_deleted.
    'reason?': oneOf('exhausted', 'gone', 'cancelled', 'circuit', 'internal', 'subscription_deleted', 'erased'),
    // Beyond the specification: docs/decisions.md "Delivering".
    'held?': fields({
      reason: oneOf('paused', 'disabled', 'circuit', 'rate_limit', 'secret_unreadable', 'internal'),
      since: time,
      'until?': time,
    }),
    'error?': fields({ class: oneOf(...ERROR_CLASSES), message: text }),
    createdAt: time,
  }),
  attempt: fields({
    id: id('attempt'),
    deliveryId: id('delivery'),
    number: integer,
    startedAt: time,
    durationMs: integer,
    outcome: oneOf('delivered', 'failed', 'held'),
    'errorClass?': oneOf(...ERROR_CLASSES),
    // A class alone does not say what to mend; the dead letter's lastError has the same text.
    'errorMessage?': text,
    'response?': fields({ ...response, headers: mapOf(text) }),
    carrier: text,
  }),
  deadLetter: fields({
    id: id('deadLetter'),
    kind: oneOf('delivery', 'run'),
    status: oneOf('open', 'replayed', 'discarded'),
    channelId: id('channel'),
    messageId: id('message'),
    subscriptionId: id('subscription'),
    deliveryId: id('delivery'),
    eventType: text,
    reason: oneOf('exhausted', 'gone', 'cancelled', 'circuit', 'internal', 'failed_step'),
    lastError: fields({ 'class?': text, 'message?': text, 'status?': integer }),
    attempts: integer,
    failedAt: time,
    'replayedAt?': time,
    'replayedBy?': id('apiKey'),
  }),
  apiKey: fields(apiKey),
  newApiKey: fields({
    ...apiKey,
    key: when('a whole key', (value) => /^svc_(live|test)_\w{40,}$/.test(String(value))),
  }),
  // Answers of bulk replays.
  bulkReplay: fields({
    id: id('bulkReplay'),
    status: oneOf('pending', 'running', 'completed', 'cancelled', 'failed'),
    matched: integer,
    replayed: integer,
    failed: integer,
    // The filter tells one bulk replay of a list from another.
    filter: fields({
      'channelId?': id('channel'),
      'subscriptionId?': id('subscription'),
      'messageId?': id('message'),
      'eventType?': text,
      'kind?': oneOf('delivery', 'run'),
      'reason?': text,
      'since?': time,
      until: time,
    }),
    createdAt: time,
    'finishedAt?': time,
  }),
  messageReplay: fields({
    id: id('messageReplay'),
    subscriptionId: id('subscription'),
    status: oneOf('pending', 'running', 'completed', 'cancelled', 'failed'),
    since: time,
    until: time,
    eventTypes: listOf(text),
    onlyMissing: when('a boolean', (value) => typeof value === 'boolean'),
    ratePerSecond: integer,
    matched: integer,
    replayed: integer,
    'upTo?': time,
    createdAt: time,
    'finishedAt?': time,
  }),
  // The specification §4 Messages, and GET …/secret.
  batch: fields({
    count: integer,
    ids: listOf(id('message')),
    status: oneOf('accepted'),
    'warnings?': listOf(fields({ field: text, reason: text })),
  }),
  validation: fields({
    valid: yesOrNo,
    results: listOf(fields({ valid: yesOrNo, errors: listOf(fields({ field: text, reason: text })) })),
  }),
  dryRun: fields({
    channel: fields({
      status: oneOf('active', 'paused', 'archived', 'system'),
      accepts: yesOrNo,
      errors: listOf(fields({ field: text, reason: text })),
    }),
    'filter?': fields({ matches: yesOrNo, 'error?': text }),
    data: listOf(
      fields({
        subscriptionId: id('subscription'),
        name: text,
        wouldReceive: yesOrNo,
        reason: oneOf('no_filter', 'filter_matches', 'event_type', 'filter_does_not_match', 'filter_failed'),
        'detail?': text,
        'heldBy?': oneOf('paused', 'disabled', 'circuit'),
      }),
    ),
    pagination: fields({ 'cursor?': text, hasMore: yesOrNo }),
  }),
  secret: fields({ secret: when('a secret', (value) => /^whsec_[\w+/=-]{40,}$/.test(String(value))) }),
} satisfies Record<string, Check>;

export type ResourceName = keyof typeof SHAPES;

/** Where a resource, as it came over the wire, differs from its documented fields. */
export const mismatches = (name: ResourceName, value: unknown): string[] => SHAPES[name](value, name);

/** The same for a page of a list (spec §4 common rule 2): the cursor is there exactly when there is more. */
export function pageMismatches(name: ResourceName, value: unknown): string[] {
  const page = fields({
    data: listOf(SHAPES[name]),
    pagination: fields({ 'cursor?': text, hasMore: yesOrNo }),
  });
  const problems = page(value, 'page');
  if (problems.length > 0) return problems;
  // `as`: `page` has just found it so.
  const { pagination } = value as { pagination: { cursor?: string; hasMore: boolean } };
  return pagination.hasMore === Object.hasOwn(pagination, 'cursor')
    ? []
    : ['page.pagination.cursor and hasMore differ'];
}
