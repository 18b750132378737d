import { z } from 'zod';
import { idOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { idsQuery, windowQuery } from '../../api/http/reading/query.ts';
import type { AnswerClass, INBOUND_CODES, RUN_CODES } from '../../kernel/words/outcomes.ts';
import { type DeliveryStatus, ERROR_CLASSES, RUN_STATUSES } from '../../kernel/words/statuses.ts';

export const statsQuery = z
  .strictObject({
    channelId: z.string().optional().describe('Only of this channel.'),
    subscriptionId: z.string().optional().describe('Only of this subscription.'),
    ...windowQuery,
  })
  .meta({ typeName: 'StatsQuery' });
export type StatsQuery = z.output<typeof statsQuery>;

export const subscriptionStatsQuery = z
  .strictObject({
    subscriptionIds: idsQuery('subscription')
      .optional()
      .describe('Up to 100 ids of subscriptions, separated by commas. By default the newest 100.'),
    ...windowQuery,
  })
  .meta({ typeName: 'SubscriptionStatsQuery' });
export type SubscriptionStatsQuery = z.output<typeof subscriptionStatsQuery>;

export const channelStatsQuery = z
  .strictObject({
    channelIds: idsQuery('channel')
      .optional()
      .describe('Up to 100 ids of channels, separated by commas. By default the newest 100.'),
    ...windowQuery,
  })
  .meta({ typeName: 'ChannelStatsQuery' });
export type ChannelStatsQuery = z.output<typeof channelStatsQuery>;

export const webhookStatsQuery = z
  .strictObject({
    webhookIds: idsQuery('webhook')
      .optional()
      .describe('Up to 100 ids of inbound webhooks, separated by commas. By default the newest 100.'),
    ...windowQuery,
  })
  .meta({ typeName: 'WebhookStatsQuery' });
export type WebhookStatsQuery = z.output<typeof webhookStatsQuery>;

export const runStatsQuery = z
  .strictObject({ workflowId: z.string().optional().describe('Only of this workflow.'), ...windowQuery })
  .meta({ typeName: 'RunStatsQuery' });
export const workflowStatsQuery = z
  .strictObject({
    workflowIds: idsQuery('workflow')
      .optional()
      .describe('Up to 100 ids of workflows, separated by commas. By default the newest 100.'),
    ...windowQuery,
  })
  .meta({ typeName: 'WorkflowStatsQuery' });
export type WorkflowStatsQuery = z.output<typeof workflowStatsQuery>;
export type RunStatsQuery = z.output<typeof runStatsQuery>;

export const backlogQuery = z
  .strictObject({ channelId: z.string().optional().describe('Only of this channel.') })
  .meta({ typeName: 'BacklogQuery' });

const latency = z
  .strictObject({
    p50: wholeNumber.describe('Half of the answers took so many milliseconds at most.'),
    p95: wholeNumber.describe('95 of 100 answers took so many milliseconds at most.'),
  })
  .exactOptional()
  .describe('Latency of the answers of subscribers, good by a fifth. Absent where there was no answer.');

const figures = {
  accepted: wholeNumber
    .exactOptional()
    .describe('Messages that were published. Absent on subscriptions, which publish nothing.'),
  delivered: wholeNumber.describe('Attempts that have delivered a message.'),
  failedAttempts: wholeNumber.describe('Attempts that have failed.'),
  deadLetters: wholeNumber.describe('Dead letters, of deliveries and of runs.'),
  givenUp: wholeNumber
    .exactOptional()
    .describe(
      'Dead letters of deliveries. One that was replayed with success since stays counted: a success rate comes from `deliveries`. Absent on channels, of which runs are counted too.',
    ),
  latencyMs: latency,
};

const point = z.strictObject({ at: time.describe('When the step began.'), ...figures });

const answerClasses = z
  .strictObject({
    status2xx: wholeNumber.describe('Attempts that were answered with a status from 200 to 299: they have delivered.'),
    status3xx: wholeNumber.describe('Attempts that were answered with a status from 300 to 399.'),
    status4xx: wholeNumber.describe('Attempts that were answered with a status from 400 to 499.'),
    status5xx: wholeNumber.describe('Attempts that were answered with a status from 500 on.'),
    none: wholeNumber.describe('Attempts without an answer: no connection, a time-out, a broken one.'),
  } satisfies Record<AnswerClass, unknown>)
  .describe('Attempts of the step by the class of their answer.');

const answer = z.union([
  z.strictObject({
    status: wholeNumber.describe('HTTP status of the answer.'),
    count: wholeNumber.describe('Attempts that got it.'),
  }),
  z.strictObject({
    errorClass: z.enum(ERROR_CLASSES).describe('Kind of the failure without an answer.'),
    count: wholeNumber.describe('Attempts that ended so.'),
  }),
]);

const byState = {
  delivered: wholeNumber.describe('Deliveries that have been delivered, at the first attempt or a later one.'),
  failed: wholeNumber.describe('Deliveries that have failed, and have not been retried or replayed since.'),
  retrying: wholeNumber.describe('Deliveries whose attempts have failed so far, and that will be attempted again.'),
  pending: wholeNumber.describe('Deliveries that wait for their first attempt, or for the first one of a replay.'),
} satisfies Record<DeliveryStatus, unknown>;

const deliveries = z
  .strictObject({
    created: wholeNumber.describe('Deliveries that were created. The four numbers below add up to it.'),
    ...byState,
    isExact: z.boolean().describe('Whether all of the span were counted. If not, only the newest were.'),
    countedSince: time
      .exactOptional()
      .describe('When the oldest counted delivery was created, if older ones of the span were left out.'),
  })
  .describe(
    'Deliveries that were created in the span, by their state now. The success rate is `delivered` ÷ (`delivered` + `failed`). Deliveries that retention has removed are not among them.',
  );

const span = {
  since: time.describe('When the first step began.'),
  until: time.describe('When the last step ends.'),
  stepSeconds: wholeNumber.describe('Seconds of one step. The service chooses it by the length of the span.'),
};

/** Figures of an environment, a channel or a subscription. */
export const statsAnswer = z
  .strictObject({
    ...span,
    totals: z.strictObject(figures).describe('Figures of the whole span.'),
    deliveries,
    answers: z.array(answer).describe('Attempts by the answer of the subscriber, the most frequent first.'),
    points: z
      .array(
        z.strictObject({
          ...point.shape,
          answers: answerClasses,
          deliveries: z
            .strictObject(byState)
            .exactOptional()
            .describe(
              'Deliveries that were created in the step, by their state now. Absent if not all of them were counted.',
            ),
        }),
      )
      .describe('Figures of each step, oldest first, those without traffic too.'),
  })
  .meta({ typeName: 'Stats' });
export type Stats = z.output<typeof statsAnswer>;

const capped = {
  count: wholeNumber.describe('How many there are, 1,000 at most.'),
  isMore: z.boolean().describe('Whether there are more than that.'),
};

/** Figures of several subscriptions. */
export const subscriptionStatsAnswer = z
  .strictObject({
    ...span,
    subscriptions: z
      .array(
        z.strictObject({
          subscriptionId: idOf('subscription').describe('Subscription of these figures.'),
          totals: z.strictObject(figures).describe('Figures of the whole span.'),
          deliveries,
          points: z.array(point).describe('Figures of each step, oldest first, those without traffic too.'),
          waiting: z
            .strictObject(capped)
            .describe('Deliveries that wait for an attempt now, the first or a later one.'),
          failingSince: time
            .exactOptional()
            .describe(
              'When the first of at least five failed attempts in a row was recorded, if that is at least a minute ago and no attempt has been delivered since. A disabled subscription always has it. Absent while the receiver is not failing.',
            ),
        }),
      )
      .describe('One entry for each subscription that was asked for, in that order. One that is not here has none.'),
  })
  .meta({ typeName: 'SubscriptionStats' });
export type SubscriptionStats = z.output<typeof subscriptionStatsAnswer>;

const runFigures = {
  started: wholeNumber.describe('Runs whose first step could begin. A retry from the start counts once more.'),
  completed: wholeNumber.describe('Runs that have completed, those that a filter has ended too. Each counts once.'),
  failed: wholeNumber.describe('Failures of runs. One that fails again after a retry counts again.'),
  cancelled: wholeNumber.describe('Runs that were cancelled.'),
  skipped: wholeNumber.describe('Runs that their trigger has let do nothing.'),
} satisfies Record<keyof typeof RUN_CODES, unknown>;

/** Figures of the runs of an environment or of a workflow. */
export const runStatsAnswer = z
  .strictObject({
    ...span,
    totals: z.strictObject(runFigures).describe('Figures of the whole span.'),
    points: z
      .array(z.strictObject({ at: time.describe('When the step began.'), ...runFigures }))
      .describe('Figures of each step, oldest first, those without a run too.'),
    unfinished: z
      .strictObject({
        count: wholeNumber.describe('How many there are, 1,000 at most.'),
        isMore: z.boolean().describe('Whether there may be more than that.'),
      })
      .describe(
        'Runs that have not ended now. Runs of one workflow are counted among the newest 5,000 of each status.',
      ),
  })
  .meta({ typeName: 'RunStats' });
export type RunStats = z.output<typeof runStatsAnswer>;

/** Figures of several workflows: no more than a row of their list shows. */
export const workflowStatsAnswer = z
  .strictObject({
    ...span,
    workflows: z
      .array(
        z.strictObject({
          workflowId: idOf('workflow').describe('Workflow of these figures.'),
          totals: z.strictObject(runFigures).describe('Figures of its runs in the whole span.'),
          lastRun: z
            .strictObject({
              id: idOf('run'),
              status: z.enum(RUN_STATUSES).describe('How far it has come.'),
              createdAt: time.describe('When it was made.'),
              finishedAt: time.exactOptional().describe('When it ended. Absent before.'),
              filteredBy: z.string().exactOptional().describe('Filter that ended it: id of the step.'),
            })
            .exactOptional()
            .describe('Run that was made last, in the span or before. Absent where there is none.'),
          completed: z.array(wholeNumber).describe('Completed runs of each step, oldest first, those without one too.'),
          failed: z.array(wholeNumber).describe('Failures of runs in each step.'),
        }),
      )
      .describe('One entry for each workflow that was asked for, in that order. One that is not here has none.'),
  })
  .meta({ typeName: 'WorkflowStats' });
export type WorkflowStats = z.output<typeof workflowStatsAnswer>;

/** Figures of several inbound webhooks. */
export const webhookStatsAnswer = z
  .strictObject({
    ...span,
    webhooks: z
      .array(
        z.strictObject({
          webhookId: idOf('webhook').describe('Inbound webhook of these figures.'),
          received: wholeNumber.describe('Requests that became messages in the whole span.'),
          repeated: wholeNumber.describe('Requests whose event was a message already, up to 100 in a minute.'),
          refused: wholeNumber.describe('Requests that were refused, up to 100 in a minute.'),
        } satisfies Record<keyof typeof INBOUND_CODES | 'webhookId', unknown>),
      )
      .describe('One entry for each webhook that was asked for, in that order. One that is not here has none.'),
  })
  .meta({ typeName: 'WebhookStats' });
export type WebhookStats = z.output<typeof webhookStatsAnswer>;

/** Figures of several channels: no more than a row of their list shows. */
export const channelStatsAnswer = z
  .strictObject({
    ...span,
    channels: z
      .array(
        z.strictObject({
          channelId: idOf('channel').describe('Channel of these figures.'),
          accepted: wholeNumber.describe('Messages that were published to it in the whole span.'),
          counts: z.array(wholeNumber).describe('The same in each step, oldest first, those without a message too.'),
          subscriptions: z.strictObject(capped).describe('Subscriptions that it has now.'),
        }),
      )
      .describe('One entry for each channel that was asked for, in that order. One that is not here has none.'),
  })
  .meta({ typeName: 'ChannelStats' });
export type ChannelStats = z.output<typeof channelStatsAnswer>;

/** Work that is left at this moment. */
export const backlogAnswer = z
  .strictObject({
    pending: z
      .strictObject({
        ...capped,
        oldestAt: time.exactOptional().describe('When the oldest one was made. Absent where there is none.'),
      })
      .describe('Deliveries before their first attempt.'),
    retrying: z
      .strictObject({
        ...capped,
        oldestAt: time.exactOptional().describe('When the oldest one was made. Absent where there is none.'),
      })
      .describe('Deliveries whose attempts have failed so far.'),
    openDeadLetters: z.strictObject(capped).describe('Dead letters that were neither replayed nor discarded.'),
    service: z
      .strictObject({
        worker: z.enum(['up', 'down']).describe('Down where no worker is alive: nothing is delivered then.'),
        temporal: z
          .enum(['up', 'down', 'unknown'])
          .describe(
            'Down where Temporal answers no worker that is alive: deliveries wait for it. Unknown where none is.',
          ),
      })
      .describe('Servers that deliver for all environments, as of the last seconds.'),
  })
  .meta({ typeName: 'Backlog' });
export type Backlog = z.output<typeof backlogAnswer>;
