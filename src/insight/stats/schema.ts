import { z } from 'zod';
import { idOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { idsQuery, windowQuery } from '../../api/http/reading/query.ts';
import type { AnswerClass, INBOUND_CODES, RUN_CODES } from '../../kernel/words/outcomes.ts';
import { type DeliveryStatus, ERROR_CLASSES, RUN_STATUSES } from '../../kernel/words/statuses.ts';

export const statsQuery = z
  .strictObject({
    channelId: z.string().optional().describe('Only this channel.'),
    subscriptionId: z.string().optional().describe('Only this subscription.'),
    ...windowQuery,
  })
  .meta({ typeName: 'StatsQuery' });
export type StatsQuery = z.output<typeof statsQuery>;

export const subscriptionStatsQuery = z
  .strictObject({
    subscriptionIds: idsQuery('subscription')
      .optional()
      .describe('Up to 100 ids of subscriptions, separated by commas. Default: the newest 100.'),
    ...windowQuery,
  })
  .meta({ typeName: 'SubscriptionStatsQuery' });
export type SubscriptionStatsQuery = z.output<typeof subscriptionStatsQuery>;

export const channelStatsQuery = z
  .strictObject({
    channelIds: idsQuery('channel')
      .optional()
      .describe('Up to 100 ids of channels, separated by commas. Default: the newest 100.'),
    ...windowQuery,
  })
  .meta({ typeName: 'ChannelStatsQuery' });
export type ChannelStatsQuery = z.output<typeof channelStatsQuery>;

export const webhookStatsQuery = z
  .strictObject({
    webhookIds: idsQuery('webhook')
      .optional()
      .describe('Up to 100 ids of inbound webhooks, separated by commas. Default: the newest 100.'),
    ...windowQuery,
  })
  .meta({ typeName: 'WebhookStatsQuery' });
export type WebhookStatsQuery = z.output<typeof webhookStatsQuery>;

export const runStatsQuery = z
  .strictObject({ workflowId: z.string().optional().describe('Only this workflow.'), ...windowQuery })
  .meta({ typeName: 'RunStatsQuery' });
export const workflowStatsQuery = z
  .strictObject({
    workflowIds: idsQuery('workflow')
      .optional()
      .describe('Up to 100 ids of workflows, separated by commas. Default: the newest 100.'),
    ...windowQuery,
  })
  .meta({ typeName: 'WorkflowStatsQuery' });
export type WorkflowStatsQuery = z.output<typeof workflowStatsQuery>;
export type RunStatsQuery = z.output<typeof runStatsQuery>;

export const backlogQuery = z
  .strictObject({ channelId: z.string().optional().describe('Only this channel.') })
  .meta({ typeName: 'BacklogQuery' });

const latency = z
  .strictObject({
    p50: wholeNumber.describe('Median, in milliseconds.'),
    p95: wholeNumber.describe('95th percentile, in milliseconds.'),
  })
  .exactOptional()
  .describe("Latency of subscribers' responses, accurate to about 20 %. Absent if there was no response.");

const figures = {
  accepted: wholeNumber.exactOptional().describe('Messages published. Absent for subscriptions.'),
  delivered: wholeNumber.describe('Attempts that delivered a message.'),
  failedAttempts: wholeNumber.describe('Attempts that failed.'),
  deadLetters: wholeNumber.describe('Dead letters of deliveries and runs.'),
  givenUp: wholeNumber
    .exactOptional()
    .describe(
      'Dead letters of deliveries. A delivery that was replayed successfully later still counts; use `deliveries` for a success rate. Absent for channels, where runs are counted too.',
    ),
  latencyMs: latency,
};

const point = z.strictObject({ at: time.describe('When the step began.'), ...figures });

const answerClasses = z
  .strictObject({
    status2xx: wholeNumber.describe('Attempts with a response status from 200 to 299: they delivered.'),
    status3xx: wholeNumber.describe('Attempts with a response status from 300 to 399.'),
    status4xx: wholeNumber.describe('Attempts with a response status from 400 to 499.'),
    status5xx: wholeNumber.describe('Attempts with a response status of 500 or higher.'),
    none: wholeNumber.describe('Attempts without a response: no connection, a timeout, or a broken connection.'),
  } satisfies Record<AnswerClass, unknown>)
  .describe('Attempts of the step by the class of their response.');

const answer = z.union([
  z.strictObject({
    status: wholeNumber.describe('HTTP status of the response.'),
    count: wholeNumber.describe('Attempts with this status.'),
  }),
  z.strictObject({
    errorClass: z.enum(ERROR_CLASSES).describe('Kind of failure without a response.'),
    count: wholeNumber.describe('Attempts that failed this way.'),
  }),
]);

const byState = {
  delivered: wholeNumber.describe('Deliveries that were delivered, at the first attempt or a later one.'),
  failed: wholeNumber.describe('Deliveries that failed and have not been retried or replayed since.'),
  retrying: wholeNumber.describe('Deliveries whose attempts have failed so far and that will be retried.'),
  pending: wholeNumber.describe('Deliveries that wait for their first attempt, or for the first attempt of a replay.'),
} satisfies Record<DeliveryStatus, unknown>;

const deliveries = z
  .strictObject({
    created: wholeNumber.describe('Deliveries that were created: the sum of the four numbers below.'),
    ...byState,
    isExact: z.boolean().describe('Whether all deliveries of the span were counted. If not, only the newest were.'),
    countedSince: time
      .exactOptional()
      .describe('When the oldest counted delivery was created. Absent if all were counted.'),
  })
  .describe(
    'Deliveries created in the span, by their current state. The success rate is `delivered` ÷ (`delivered` + `failed`). Deliveries removed by retention are not included.',
  );

const span = {
  since: time.describe('Start of the first step.'),
  until: time.describe('End of the last step.'),
  stepSeconds: wholeNumber.describe('Length of a step in seconds. Depends on the span.'),
};

/** Statistics of an environment, a channel or a subscription. */
export const statsAnswer = z
  .strictObject({
    ...span,
    totals: z.strictObject(figures).describe('Totals of the whole span.'),
    deliveries,
    answers: z.array(answer).describe('Attempts by the response of the subscriber, most frequent first.'),
    points: z
      .array(
        z.strictObject({
          ...point.shape,
          answers: answerClasses,
          deliveries: z
            .strictObject(byState)
            .exactOptional()
            .describe(
              'Deliveries created in the step, by their current state. Absent if not all of them were counted.',
            ),
        }),
      )
      .describe('Numbers for each step, oldest first, including steps without traffic.'),
  })
  .meta({ typeName: 'Stats' });
export type Stats = z.output<typeof statsAnswer>;

const capped = {
  count: wholeNumber.describe('Number counted, up to 1,000.'),
  isMore: z.boolean().describe('Whether there are more.'),
};

/** Statistics of several subscriptions. */
export const subscriptionStatsAnswer = z
  .strictObject({
    ...span,
    subscriptions: z
      .array(
        z.strictObject({
          subscriptionId: idOf('subscription').describe('Subscription of this entry.'),
          totals: z.strictObject(figures).describe('Totals of the whole span.'),
          deliveries,
          points: z.array(point).describe('Numbers for each step, oldest first, including steps without traffic.'),
          waiting: z
            .strictObject(capped)
            .describe('Deliveries that wait for an attempt now, the first or a later one.'),
          failingSince: time
            .exactOptional()
            .describe(
              'When the first of at least five consecutive failed attempts was recorded, if that is at least a minute ago and no attempt has succeeded since. A disabled subscription always has it. Absent if the receiver is not failing.',
            ),
        }),
      )
      .describe('One entry for each requested subscription, in that order. Unknown ids are left out.'),
  })
  .meta({ typeName: 'SubscriptionStats' });
export type SubscriptionStats = z.output<typeof subscriptionStatsAnswer>;

const runFigures = {
  started: wholeNumber.describe('Runs whose first step could start. A retry from the start counts again.'),
  completed: wholeNumber.describe('Runs that completed, including those ended by a filter. Each run counts once.'),
  failed: wholeNumber.describe('Failures of runs. A run that fails again after a retry counts again.'),
  cancelled: wholeNumber.describe('Runs that were cancelled.'),
  skipped: wholeNumber.describe("Runs that were skipped because of their trigger's settings."),
} satisfies Record<keyof typeof RUN_CODES, unknown>;

/** Statistics of the runs of an environment or a workflow. */
export const runStatsAnswer = z
  .strictObject({
    ...span,
    totals: z.strictObject(runFigures).describe('Totals of the whole span.'),
    points: z
      .array(z.strictObject({ at: time.describe('Start of the step.'), ...runFigures }))
      .describe('Numbers for each step, oldest first, including steps without runs.'),
    unfinished: z
      .strictObject({
        count: wholeNumber.describe('Number counted, up to 1,000.'),
        isMore: z.boolean().describe('Whether there may be more.'),
      })
      .describe(
        'Runs that are unfinished now. Runs of one workflow are counted among the newest 5,000 of each status.',
      ),
  })
  .meta({ typeName: 'RunStats' });
export type RunStats = z.output<typeof runStatsAnswer>;

/** Statistics of several workflows: only what a row of the workflow list shows. */
export const workflowStatsAnswer = z
  .strictObject({
    ...span,
    workflows: z
      .array(
        z.strictObject({
          workflowId: idOf('workflow').describe('Workflow of this entry.'),
          totals: z.strictObject(runFigures).describe('Totals of its runs in the whole span.'),
          lastRun: z
            .strictObject({
              id: idOf('run'),
              status: z.enum(RUN_STATUSES).describe('Status of the run.'),
              createdAt: time.describe('When it was created.'),
              finishedAt: time.exactOptional().describe('When it finished. Absent until then.'),
              filteredBy: z.string().exactOptional().describe('Id of the filter step that ended it.'),
            })
            .exactOptional()
            .describe('Latest run, created in the span or before. Absent if there is none.'),
          completed: z
            .array(wholeNumber)
            .describe('Completed runs in each step, oldest first, including steps without any.'),
          failed: z.array(wholeNumber).describe('Failures of runs in each step, oldest first.'),
        }),
      )
      .describe('One entry for each requested workflow, in that order. Unknown ids are left out.'),
  })
  .meta({ typeName: 'WorkflowStats' });
export type WorkflowStats = z.output<typeof workflowStatsAnswer>;

/** Statistics of several inbound webhooks. */
export const webhookStatsAnswer = z
  .strictObject({
    ...span,
    webhooks: z
      .array(
        z.strictObject({
          webhookId: idOf('webhook').describe('Inbound webhook of this entry.'),
          received: wholeNumber.describe('Requests that became messages.'),
          repeated: wholeNumber.describe('Requests whose event already was a message, up to 100 per minute.'),
          refused: wholeNumber.describe('Requests that were refused, up to 100 per minute.'),
        } satisfies Record<keyof typeof INBOUND_CODES | 'webhookId', unknown>),
      )
      .describe('One entry for each requested webhook, in that order. Unknown ids are left out.'),
  })
  .meta({ typeName: 'WebhookStats' });
export type WebhookStats = z.output<typeof webhookStatsAnswer>;

/** Statistics of several channels: only what a row of the channel list shows. */
export const channelStatsAnswer = z
  .strictObject({
    ...span,
    channels: z
      .array(
        z.strictObject({
          channelId: idOf('channel').describe('Channel of this entry.'),
          accepted: wholeNumber.describe('Messages published to it in the whole span.'),
          counts: z
            .array(wholeNumber)
            .describe('Messages published in each step, oldest first, including steps without any.'),
          subscriptions: z.strictObject(capped).describe('Subscriptions that the channel has now.'),
        }),
      )
      .describe('One entry for each requested channel, in that order. Unknown ids are left out.'),
  })
  .meta({ typeName: 'ChannelStats' });
export type ChannelStats = z.output<typeof channelStatsAnswer>;

/** Unfinished work at the moment of the request. */
export const backlogAnswer = z
  .strictObject({
    pending: z
      .strictObject({
        ...capped,
        oldestAt: time.exactOptional().describe('When the oldest one was created. Absent if there is none.'),
      })
      .describe('Deliveries that wait for their first attempt.'),
    retrying: z
      .strictObject({
        ...capped,
        oldestAt: time.exactOptional().describe('When the oldest one was created. Absent if there is none.'),
      })
      .describe('Deliveries whose attempts have failed so far.'),
    openDeadLetters: z.strictObject(capped).describe('Dead letters that were neither replayed nor discarded.'),
    service: z
      .strictObject({
        worker: z.enum(['up', 'down']).describe('`down`: no worker is alive, so nothing is delivered.'),
        temporal: z
          .enum(['up', 'down', 'unknown'])
          .describe(
            '`down`: no live worker can reach Temporal, so deliveries that need it wait. `unknown`: no worker is alive.',
          ),
      })
      .describe('State of the components that deliver for all environments, some seconds old.'),
  })
  .meta({ typeName: 'Backlog' });
export type Backlog = z.output<typeof backlogAnswer>;
