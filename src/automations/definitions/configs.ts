import { z } from 'zod';
import {
  completeRetryPolicy,
  RETRY_BOUNDS,
  type RetryPolicy,
  retryPolicyProblem,
} from '../../contract/retry-policy.ts';
import {
  type Action,
  type OnError,
  type StepType,
  type TriggerType,
  WORKFLOW_BOUNDS,
} from '../../contract/run-outline.ts';
import { MAX_EXPRESSION_LENGTH } from '../../filters/expressions/rules.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPE_LENGTH, MAX_EVENT_TYPES } from '../../kernel/event-types.ts';
import { controlCharacterProblem } from '../../kernel/plain-text.ts';
import { durationMs, showDuration } from './duration.ts';

/*
 * The `config` of every kind of trigger and step, strict where its kind is known, and as the engine reads it: durations in ms, defaults
 * filled in. Ids, expressions and the ways between steps are checked elsewhere (problems.ts).
 */

/** Retries of a step whose author says nothing of them: three, after 1, 2 and 4 s. */
const STEP_RETRY_POLICY: RetryPolicy = { maxRetries: 3, initialDelay: 1_000, maxDelay: 60_000, backoffMultiplier: 2 };
/** Longest try of an action, and its default, in ms. */
const ACTION_TIMEOUT = { min: 1_000, max: 300_000, default: 30_000 };

const expression = z.string().min(1).max(MAX_EXPRESSION_LENGTH);
const target = z.string().nullable();
const template = z.unknown();
const templates = z.record(z.string(), template);

const duration = ({ min, max }: { min: number; max: number }) =>
  z.union([z.string(), z.number()]).transform((value, context): number => {
    const milliseconds = durationMs(value);
    if (milliseconds !== undefined && milliseconds >= min && milliseconds <= max) return milliseconds;
    const message =
      milliseconds === undefined
        ? 'is not a duration (e.g. "5m")'
        : `must be at least ${showDuration(min)} and at most ${showDuration(max)}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const bounded = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max).exactOptional();

const retryPolicy = z
  .strictObject({
    maxRetries: bounded(RETRY_BOUNDS.maxRetries),
    initialDelay: bounded(RETRY_BOUNDS.initialDelay),
    maxDelay: bounded(RETRY_BOUNDS.maxDelay),
    backoffMultiplier: bounded(RETRY_BOUNDS.backoffMultiplier),
    nonRetryableErrors: z.array(z.string().min(1).max(100)).max(20).exactOptional(),
  })
  .superRefine((given, context) => {
    const problem = retryPolicyProblem(completeRetryPolicy(given, STEP_RETRY_POLICY));
    if (problem !== undefined) context.addIssue({ code: 'custom', path: [problem.field], message: problem.reason });
  });

const onError = z.union([
  z.enum(['fail', 'continue', 'pause']),
  z
    .array(z.strictObject({ errors: z.array(z.string().min(1).max(100)).min(1).max(20), next: z.string() }))
    .min(1)
    .max(10),
]);

/** Fields that every step's config may have. */
const common = {
  label: z.string().min(1).max(200).exactOptional(),
  if: expression.exactOptional(),
  timeout: duration(ACTION_TIMEOUT).exactOptional(),
  output: template.optional(),
  retryPolicy: retryPolicy.exactOptional(),
  onError: onError.exactOptional(),
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
const status = z.number().int().min(100).max(599);

const http = z.strictObject({
  ...common,
  action: z.literal('http'),
  method: z.enum(METHODS).default('POST'),
  url: z.string().min(1).max(2_048),
  headers: templates.default({}),
  query: templates.default({}),
  body: template.optional(),
  expectStatus: z
    .union([status, z.array(status).min(1).max(20)])
    .transform((given) => [given].flat())
    .default([]),
});

const publish = z.strictObject({
  ...common,
  action: z.literal('publish'),
  channelId: z.string(),
  eventType: z.string().min(1).max(MAX_EVENT_TYPE_LENGTH),
  payload: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
  metadata: templates.default({}),
  idempotencyKey: z.string().min(1).max(255).exactOptional(),
});

const log = z.looseObject({ ...common, action: z.literal('log') });
/** An action that says of no kind what it does, and so does nothing: its config is kept as sent, whatever it holds. */
const nothing = z.record(z.string(), z.unknown());

const ofSteps = {
  // oxlint-disable-next-line unicorn/no-thenable -- the author's name for the way; nobody awaits a schema
  condition: z.strictObject({ ...common, expression, then: target.exactOptional(), else: target.exactOptional() }),
  switch: z.strictObject({
    ...common,
    cases: z
      .array(z.strictObject({ when: expression, next: target }))
      .min(1)
      .max(WORKFLOW_BOUNDS.cases),
    default: target.exactOptional(),
  }),
  filter: z.strictObject({ ...common, expression }),
  transform: z.strictObject({ ...common, set: templates.default({}), assign: templates.default({}) }),
  delay: z
    .strictObject({
      ...common,
      for: duration({ min: 0, max: WORKFLOW_BOUNDS.waitMs }).exactOptional(),
      until: z.string().min(1).exactOptional(),
    })
    .refine((given) => (given.for === undefined) !== (given.until === undefined), 'must hold one of for and until'),
  foreach: z.strictObject({
    ...common,
    items: expression,
    body: z.string(),
    concurrency: z.number().int().min(1).max(WORKFLOW_BOUNDS.concurrency).default(1),
    maxItems: z.number().int().min(1).max(WORKFLOW_BOUNDS.items).default(WORKFLOW_BOUNDS.items),
    onItemError: z.enum(['fail', 'continue']).default('fail'),
    collect: expression.exactOptional(),
  }),
  parallel: z.strictObject({
    ...common,
    branches: z.array(z.string()).min(2).max(WORKFLOW_BOUNDS.branches),
    mode: z.enum(['all', 'race']).default('all'),
  }),
  end: z.strictObject({
    ...common,
    status: z.enum(['completed', 'failed', 'cancelled']).default('completed'),
    error: z.strictObject({ code: z.string().min(1).max(100), message: z.string().max(1_000) }).exactOptional(),
  }),
} as const;

/** Kinds that are taken. Others of the contract are refused as not supported yet. */
export type SupportedStep = 'action' | keyof typeof ofSteps;
export const SUPPORTED_STEPS: readonly StepType[] = ['action', ...(Object.keys(ofSteps) as (keyof typeof ofSteps)[])];
export const SUPPORTED_ACTIONS: readonly Action[] = ['http', 'publish', 'log'];

/** Configs by kind, as they are read. */
export type Configs = { [Kind in keyof typeof ofSteps]: z.output<(typeof ofSteps)[Kind]> } & {
  http: z.output<typeof http>;
  publish: z.output<typeof publish>;
  log: z.output<typeof log>;
};

/** The schema of a step's config. An action without `config.action` is kept as it is; one of another kind than these is refused before. */
export function stepConfigOf(type: SupportedStep, config: unknown): z.ZodType {
  if (type !== 'action') return ofSteps[type];
  const action: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, 'action') : undefined;
  return action === 'http' ? http : action === 'publish' ? publish : action === 'log' ? log : nothing;
}

const eventTypes = z
  .array(
    z
      .string()
      .min(1)
      .max(MAX_EVENT_TYPE_LENGTH)
      .superRefine((value, context) => {
        const problem = controlCharacterProblem(value) ?? eventTypePatternProblem(value);
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
      }),
  )
  .max(MAX_EVENT_TYPES);

const ofTriggers = {
  event: z
    .strictObject({
      channelId: z.string().exactOptional(),
      channelIds: z.array(z.string()).min(1).max(100).exactOptional(),
      eventType: eventTypes.element.exactOptional(),
      eventTypes: eventTypes.exactOptional(),
      filter: expression.exactOptional(),
      ...Object.fromEntries(
        ['dedupe', 'concurrency', 'cancelOn', 'debounce', 'batch', 'rateLimit', 'source'].map((name) => [
          name,
          z.never({ error: 'is not supported yet' }).exactOptional(),
        ]),
      ),
    })
    .superRefine((given, context) => {
      for (const [one, many] of [
        ['channelId', 'channelIds'],
        ['eventType', 'eventTypes'],
      ] as const)
        if (given[one] !== undefined && given[many] !== undefined)
          context.addIssue({ code: 'custom', path: [one], message: `must be left out beside ${many}` });
    }),
  manual: z.strictObject({}),
} as const;

export const SUPPORTED_TRIGGERS: readonly TriggerType[] = ['event', 'manual'];
export type SupportedTrigger = keyof typeof ofTriggers;
export type EventTriggerConfig = z.output<typeof ofTriggers.event>;

export const triggerConfigOf = (type: SupportedTrigger): z.ZodType => ofTriggers[type];

/** The parts of a step that all kinds share, completed. */
export function commonOf(config: z.output<z.ZodObject<typeof common>>): {
  onError: OnError;
  timeoutMs: number;
  retryPolicy: RetryPolicy;
  nonRetryableErrors: readonly string[];
} {
  const { nonRetryableErrors = [], ...given } = config.retryPolicy ?? {};
  return {
    onError: config.onError ?? 'fail',
    timeoutMs: config.timeout ?? ACTION_TIMEOUT.default,
    retryPolicy: completeRetryPolicy(given, STEP_RETRY_POLICY),
    nonRetryableErrors,
  };
}
