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

/** Addresses and command lines hold slugs: no blanks, no other case. No id of ours has this form. */
export const MAX_SLUG_LENGTH = 63;
const slug = z
  .string()
  .max(MAX_SLUG_LENGTH)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must consist of a-z and 0-9, with single hyphens between them');

const within = ({ min, max }: { min: number; max: number }) => z.int().min(min).max(max);
const retryPolicy = {
  maxRetries: within(RETRY_BOUNDS.maxRetries).exactOptional().describe('Tries after the first one.'),
  initialDelay: within(RETRY_BOUNDS.initialDelay).exactOptional().describe('Milliseconds before the first retry.'),
  maxDelay: within(RETRY_BOUNDS.maxDelay).exactOptional().describe('Milliseconds that no delay of the policy exceeds.'),
  backoffMultiplier: within(RETRY_BOUNDS.backoffMultiplier)
    .exactOptional()
    .describe('Each delay is the one before, times this.'),
};

/** Defaults that an app has of its own. */
export type AppSettings = {
  retentionDays?: number;
  retryPolicy?: RetryPolicy;
  timeoutMs?: number;
  circuitBreaker?: boolean;
};

/** Defaults in force: an app's own, then those of the service. */
export const settingsInForce = (own: AppSettings): Required<AppSettings> => ({
  retentionDays: own.retentionDays ?? RETENTION_DAYS.default,
  // JSONB has an order of its own; a policy is shown in that of its fields everywhere.
  retryPolicy: completeRetryPolicy(own.retryPolicy ?? {}),
  timeoutMs: own.timeoutMs ?? TIMEOUT_MS.default,
  circuitBreaker: own.circuitBreaker ?? true,
});

const resource: ResourceFields = {
  identity: { id: sameText(), organisationId: sameText(), createdAt: sameTime() },
  moved: ['updatedAt'],
  rules: { name: nameProblem, description: controlCharacterProblem },
};

/** Without a slug the app gets one made of its name. */
export const createAppBody = fieldsOf(
  {
    name: name.describe('Name for people.'),
    slug: slug.exactOptional().describe('Name for addresses and command lines. Default: made of the name.'),
    description: description.exactOptional().describe('Text for people.'),
    status: status.default('active').describe('Status to have.'),
    settings: fieldsOf({
      retentionDays: within(RETENTION_DAYS).exactOptional().describe('Days after which a message is removed.'),
      retryPolicy: fieldsOf(retryPolicy)
        .exactOptional()
        .describe('When a failed delivery is tried again. Parts that are left out stay as they are by default.'),
      timeoutMs: within(TIMEOUT_MS).exactOptional().describe('Milliseconds that one attempt may take.'),
      circuitBreaker: z.boolean().exactOptional().describe('Whether a circuit may open.'),
    })
      .exactOptional()
      .describe('Defaults for resources that are made from now on.'),
  },
  resource,
).meta({ typeName: 'CreateApp' });
export type CreateApp = z.output<typeof createAppBody>;

/** Settings are merged. Null gives one of them, or all of them, back to the service's defaults. */
export const appChange = changeOf(
  {
    name: name.exactOptional().describe('Name for people.'),
    slug: slug.exactOptional().describe('Name for addresses and command lines. Default: made of the name.'),
    description: description.nullable().exactOptional().describe('Text for people.'),
    status: status.exactOptional().describe('Status to have.'),
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
          .describe('When a failed delivery is tried again. Parts that are left out stay as they are by default.'),
        timeoutMs: within(TIMEOUT_MS).nullable().exactOptional().describe('Milliseconds that one attempt may take.'),
        circuitBreaker: z.boolean().nullable().exactOptional().describe('Whether a circuit may open.'),
      })
      .nullable()
      .exactOptional()
      .describe('Defaults for resources that are made from now on.'),
  },
  resource,
);
export const updateAppBody = appChange.body.meta({ typeName: 'UpdateApp' });
export type UpdateApp = z.output<typeof updateAppBody>;

export const listAppsQuery = pageQuery
  .extend({ status: enumQuery(APP_STATUSES).optional().describe('Status to have.') })
  .meta({ typeName: 'ListApps' });
export type ListApps = z.output<typeof listAppsQuery>;

/** Spec §2. */
export const appAnswer = z
  .strictObject({
    id: idOf('app'),
    organisationId: idOf('organisation').describe('Organisation that it belongs to.'),
    name: z.string().describe('Name for people; several apps may have the same.'),
    slug: z.string().describe('Name for addresses and command lines; no other app of its organisation has it.'),
    description: z.string().exactOptional().describe('Text for people.'),
    status: z
      .enum(APP_STATUSES)
      .describe('The credentials of a suspended app are refused, and its deliveries wait until it is active.'),
    settings: z
      .strictObject({
        retentionDays: wholeNumber.describe(
          '`retentionDays` of a channel that is made without, and the days for which runs that have ended are kept.',
        ),
        retryPolicy: z
          .strictObject({
            maxRetries: wholeNumber.describe('Tries after the first one.'),
            initialDelay: wholeNumber.describe('Milliseconds before the first retry.'),
            maxDelay: wholeNumber.describe('Milliseconds that no delay exceeds.'),
            backoffMultiplier: wholeNumber.describe('Each delay is the one before, times this.'),
          })
          .describe('`retryPolicy` of a subscription that is made without; one that is given in part begins with it.'),
        timeoutMs: wholeNumber.describe('`timeoutMs` of a subscription that is made without.'),
        circuitBreaker: z.boolean().describe('`circuitBreaker` of a subscription that is made without.'),
      })
      .describe("Defaults in force for resources that are made from now on: the app's own or the service's."),
    createdAt: time.describe('When the app was made.'),
    updatedAt: time.describe('When the app was last changed.'),
  })
  .meta({ typeName: 'App' });
export type App = z.output<typeof appAnswer>;
