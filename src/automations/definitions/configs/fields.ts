import { z } from 'zod';
import {
  completeRetryPolicy,
  RETRY_BOUNDS,
  type RetryPolicy,
  retryPolicyProblem,
} from '../../../kernel/contract/retry-policy.ts';
import type { OnError } from '../../../kernel/contract/run-outline.ts';
import { MAX_EXPRESSION_LENGTH } from '../../../messaging/filters/expressions/rules.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPE_LENGTH, MAX_EVENT_TYPES } from '../../../kernel/words/event-types.ts';
import { controlCharacterProblem } from '../../../kernel/values/text.ts';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const FORM = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;

/**
 * Returns the milliseconds of a duration: `500ms`, `30s`, `5m`, `2h`, `1.5d`, or a number of ms. Undefined for anything
 * else.
 */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined;
  const [, amount, unit] = typeof value === 'string' ? (FORM.exec(value) ?? []) : [];
  // `as`: the pattern only matches known units.
  return amount === undefined ? undefined : Math.round(Number(amount) * UNITS[unit as keyof typeof UNITS]);
}

/** Formats a duration in its largest whole unit. */
export function showDuration(milliseconds: number): string {
  const [unit, size] = Object.entries(UNITS).findLast(([, each]) => milliseconds % each === 0) ?? ['ms', 1];
  return `${milliseconds / size}${unit}`;
}

/*
 * The `config` of every kind of trigger and step: strict for known kinds, and converted for the engine, with durations
 * in ms and defaults filled in. Ids, expressions and transitions between steps are checked in problems.ts.
 */

/** Default retry policy of steps: three retries, after 1, 2 and 4 s. */
const STEP_RETRY_POLICY: RetryPolicy = { maxRetries: 3, initialDelay: 1_000, maxDelay: 60_000, backoffMultiplier: 2 };
/** Limits and default of the timeout of an action's attempt, in ms. */
const ACTION_TIMEOUT = { min: 1_000, max: 300_000, default: 30_000 };

export const expression = z.string().min(1).max(MAX_EXPRESSION_LENGTH);
export const target = z.string().nullable();
export const template = z.unknown();
export const templates = z.record(z.string(), template);

export const duration = ({ min, max }: { min: number; max: number }) =>
  z.union([z.string(), z.number()]).transform((value, context): number => {
    const milliseconds = durationMs(value);
    if (milliseconds !== undefined && milliseconds >= min && milliseconds <= max) return milliseconds;
    const message =
      milliseconds === undefined
        ? 'must be a duration (e.g. "5m")'
        : `must be at least ${showDuration(min)} and at most ${showDuration(max)}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const bounded = ({ min, max }: { min: number; max: number }, kind = 'must be a whole number') =>
  z.number(kind).int().min(min).max(max).exactOptional();
const IN_MS = 'must be a number of milliseconds';

const retryPolicy = z
  .strictObject({
    maxRetries: bounded(RETRY_BOUNDS.maxRetries),
    initialDelay: bounded(RETRY_BOUNDS.initialDelay, IN_MS),
    maxDelay: bounded(RETRY_BOUNDS.maxDelay, IN_MS),
    backoffMultiplier: bounded(RETRY_BOUNDS.backoffMultiplier),
    nonRetryableErrors: z.array(z.string().min(1).max(100)).max(20).exactOptional(),
  })
  .superRefine((given, context) => {
    const problem = retryPolicyProblem(completeRetryPolicy(given, STEP_RETRY_POLICY));
    if (problem !== undefined) context.addIssue({ code: 'custom', path: [problem.field], message: problem.reason });
  });

const onError = z.union(
  [
    z.enum(['fail', 'continue', 'pause']),
    z
      .array(z.strictObject({ errors: z.array(z.string().min(1).max(100)).min(1).max(20), next: z.string() }))
      .min(1)
      .max(10),
  ],
  'must be fail, continue, pause, or an array such as [{"errors": ["HTTP_4XX"], "next": "a step"}]',
);

/** Fields that the config of any step can have. */
export const common = {
  label: z.string().min(1).max(200).exactOptional(),
  if: expression.exactOptional(),
  timeout: duration(ACTION_TIMEOUT).exactOptional(),
  output: template.optional(),
  retryPolicy: retryPolicy.exactOptional(),
  onError: onError.exactOptional(),
};

/** Returns the settings that all kinds of steps share, with defaults. */
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

/** Event types and patterns, as in subscriptions. */
export const eventTypes = z
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

/** Pairs of expressions whose values must be equal: one over the arriving message, one over the run. */
export const matches = z.array(z.strictObject({ event: expression, run: expression })).max(3);

export const channelIds = z.array(z.string()).min(1).max(100);

/** Refuses fields for one and for several values at the same time. */
export const oneOrMany =
  <One extends string, Many extends string>(...pairs: readonly (readonly [One, Many])[]) =>
  (given: object, context: z.core.$RefinementCtx): void => {
    for (const [one, many] of pairs)
      if (Reflect.get(given, one) !== undefined && Reflect.get(given, many) !== undefined)
        context.addIssue({ code: 'custom', path: [one], message: `must be left out if ${many} is set` });
  };
