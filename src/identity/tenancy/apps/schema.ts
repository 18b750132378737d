import { z } from 'zod';
import { idOf, time, wholeNumber } from '../../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, type ResourceFields, sameText, sameTime } from '../../../api/http/reading/fields.ts';
import { enumQuery, pageQuery } from '../../../api/http/reading/query.ts';
import { completeRetryPolicy, RETRY_BOUNDS, type RetryPolicy } from '../../../kernel/contract/retry-policy.ts';
import { controlCharacterProblem, nameProblem } from '../../../kernel/values/text.ts';
import { RETENTION_DAYS, TIMEOUT_MS } from '../../../kernel/rules/resource-bounds.ts';
import { APP_STATUSES } from '../../../kernel/words/statuses.ts';

const name = z.string().min(1).max(200);
const description = z.string().max(1_000);
const status = z.enum(APP_STATUSES);

/** Slugs appear in URLs and command lines, so they have no blanks or capitals. No generated id has this form. */
export const MAX_SLUG_LENGTH = 63;
const slug = z
  .string()
  .max(MAX_SLUG_LENGTH)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must consist of a-z and 0-9, with single hyphens between them');

const within = ({ min, max }: { min: number; max: number }) => z.int().min(min).max(max);
const retryPolicy = {
  maxRetries: within(RETRY_BOUNDS.maxRetries).exactOptional().describe('Retries after the first attempt.'),
  initialDelay: within(RETRY_BOUNDS.initialDelay).exactOptional().describe('Milliseconds before the first retry.'),
  maxDelay: within(RETRY_BOUNDS.maxDelay)
    .exactOptional()
    .describe('Maximum delay between two attempts, in milliseconds.'),
  backoffMultiplier: within(RETRY_BOUNDS.backoffMultiplier)
    .exactOptional()
    .describe('Factor by which each delay is longer than the previous one.'),
};

/** Defaults set on the app. */
export type AppSettings = {
  retentionDays?: number;
  retryPolicy?: RetryPolicy;
  timeoutMs?: number;
  circuitBreaker?: boolean;
};

/** Effective defaults: the app's own, or else those of the service. */
export const settingsInForce = (own: AppSettings): Required<AppSettings> => ({
  retentionDays: own.retentionDays ?? RETENTION_DAYS.default,
  // JSONB has its own key order; show a policy with its fields in the same order everywhere.
  retryPolicy: completeRetryPolicy(own.retryPolicy ?? {}),
  timeoutMs: own.timeoutMs ?? TIMEOUT_MS.default,
  circuitBreaker: own.circuitBreaker ?? true,
});

const resource: ResourceFields = {
  identity: { id: sameText(), organisationId: sameText(), createdAt: sameTime() },
  moved: ['updatedAt'],
  rules: { name: nameProblem, description: controlCharacterProblem },
};

/** Without `slug`, one is derived from the name. */
export const createAppBody = fieldsOf(
  {
    name: name.describe('Display name.'),
    slug: slug
      .exactOptional()
      .describe(
        'Name in URLs and command lines: up to 63 of a-z, 0-9 and single hyphens, unique in the ' +
          'organisation. Default: derived from the name.',
      ),
    description: description.exactOptional().describe('Free-text description.'),
    status: status.default('active').describe('Status.'),
    settings: fieldsOf({
      retentionDays: within(RETENTION_DAYS).exactOptional().describe('Days after which a message is removed.'),
      retryPolicy: fieldsOf(retryPolicy)
        .exactOptional()
        .describe('When a failed delivery is retried. Omitted fields keep their defaults.'),
      timeoutMs: within(TIMEOUT_MS).exactOptional().describe('Maximum duration of an attempt, in milliseconds.'),
      circuitBreaker: z.boolean().exactOptional().describe('Whether the circuit breaker is on.'),
    })
      .exactOptional()
      .describe('Defaults for resources created from now on.'),
  },
  resource,
).meta({ typeName: 'CreateApp' });
export type CreateApp = z.output<typeof createAppBody>;

/** Settings are merged. Null resets one of them, or all of them, to the defaults of the service. */
export const appChange = changeOf(
  {
    name: name.exactOptional().describe('Display name.'),
    slug: slug
      .exactOptional()
      .describe('Name in URLs and command lines: up to 63 of a-z, 0-9 and single hyphens, unique in the organisation.'),
    description: description.nullable().exactOptional().describe('Free-text description.'),
    status: status.exactOptional().describe('New status.'),
    settings: z
      .strictObject({
        retentionDays: within(RETENTION_DAYS)
          .nullable()
          .exactOptional()
          .describe('Days after which a message is removed.'),
        retryPolicy: z
          .strictObject(retryPolicy)
          .nullable()
          .exactOptional()
          .describe('When a failed delivery is retried. Omitted fields keep their defaults.'),
        timeoutMs: within(TIMEOUT_MS)
          .nullable()
          .exactOptional()
          .describe('Maximum duration of an attempt, in milliseconds.'),
        circuitBreaker: z.boolean().nullable().exactOptional().describe('Whether the circuit breaker is on.'),
      })
      .nullable()
      .exactOptional()
      .describe('Defaults for resources created from now on.'),
  },
  resource,
);
export const updateAppBody = appChange.body.meta({ typeName: 'UpdateApp' });
export type UpdateApp = z.output<typeof updateAppBody>;

export const listAppsQuery = pageQuery
  .extend({ status: enumQuery(APP_STATUSES).optional().describe('Only apps with this status.') })
  .meta({ typeName: 'ListApps' });
export type ListApps = z.output<typeof listAppsQuery>;

/** Spec §2. */
export const appAnswer = z
  .strictObject({
    id: idOf('app'),
    organisationId: idOf('organisation').describe('Organisation it belongs to.'),
    name: z.string().describe('Display name. Several apps can have the same name.'),
    slug: z.string().describe('Name in URLs and command lines, unique in the organisation.'),
    description: z.string().exactOptional().describe('Free-text description.'),
    status: z
      .enum(APP_STATUSES)
      .describe(
        'While an app is suspended, its credentials are refused within 5 seconds, deliveries ' +
          '(`app_suspended`) and scheduled messages wait, and schedules start no runs. Runs in progress ' +
          'continue. Users can change things, but requests that send something are FORBIDDEN.',
      ),
    settings: z
      .strictObject({
        retentionDays: wholeNumber.describe(
          'Default `retentionDays` of new channels, and the days for which finished runs are kept.',
        ),
        retryPolicy: z
          .strictObject({
            maxRetries: wholeNumber.describe('Retries after the first attempt.'),
            initialDelay: wholeNumber.describe('Milliseconds before the first retry.'),
            maxDelay: wholeNumber.describe('Maximum delay between two attempts, in milliseconds.'),
            backoffMultiplier: wholeNumber.describe('Factor by which each delay is longer than the previous one.'),
          })
          .describe(
            'Default `retryPolicy` of new subscriptions. It also fills in the missing fields of a partial policy.',
          ),
        timeoutMs: wholeNumber.describe('Default `timeoutMs` of new subscriptions.'),
        circuitBreaker: z.boolean().describe('Default `circuitBreaker` of new subscriptions.'),
      })
      .describe("Effective defaults for resources created from now on: the app's own, or else those of the service."),
    createdAt: time.describe('When the app was created.'),
    updatedAt: time.describe('When the app was last changed.'),
  })
  .meta({ typeName: 'App' });
export type App = z.output<typeof appAnswer>;
