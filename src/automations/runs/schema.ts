import { z } from 'zod';
import { exactArray, exactObject, idOf, storedJson, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../api/http/reading/fields.ts';
import {
  enumQuery,
  exportQuery,
  instantField,
  pageQuery,
  someField,
  someQuery,
  windowQuery,
  WITHOUT_PAGE,
} from '../../api/http/reading/query.ts';
import { RUN_STEP_TYPES, RUN_TRIGGERS } from '../../kernel/contract/run-outline.ts';
import { RUN_STATUSES, RUN_STEP_STATUSES, UNFINISHED_RUNS } from '../../kernel/words/statuses.ts';

/** `payload` is available in expressions as `event.payload`. Default: an empty object. */
export const startRunBody = fieldsOf({
  payload: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('Any JSON object, up to 256 KiB. Its text is kept digit for digit.'),
})
  .default({})
  .meta({ typeName: 'StartRun' });

/**
 * Where the next round of a run starts and under which definition; by default at the failed steps, under its own. An
 * object names a step that the run has reached.
 */
export const retryRunBody = fieldsOf({
  from: z
    .union(
      [
        z.enum(['failed', 'start']),
        z.strictObject({ stepId: z.string().describe('Step that the run has reached, outside loops and branches.') }),
      ],
      'must be "failed", "start" or {"stepId": …}',
    )
    .default('failed')
    .describe(
      '`failed`: at the steps that failed. `start`: at the first step, as if none had run, with new idempotency keys. An object: at that step, also with new idempotency keys; earlier steps keep their results.',
    ),
  definition: z
    .enum(['original', 'latest'])
    .default('original')
    .describe("Definition to use: the run's own, or the latest one of the workflow."),
})
  .default({ from: 'failed', definition: 'original' })
  .meta({ typeName: 'RetryRun' });
export type RetryRun = z.output<typeof retryRunBody>;

/**
 * Maximum number of runs that one request names or cancels: few enough to lock in one transaction, so cancelling needs
 * no background job. It sends nothing and needs no rate limit, and the caller repeats the request until `left` is 0.
 */
export const CANCELLED_AT_ONCE = 1_000;

/**
 * Selects the runs of a workflow to cancel. `{}` matches all unfinished runs; the body itself is required. `dryRun`
 * only counts.
 */
export const cancelRunsBody = fieldsOf({
  status: someField(UNFINISHED_RUNS)
    .exactOptional()
    .describe('Only runs with this status, or one of these. Default: all unfinished runs.'),
  ids: z
    .array(z.string('must be a string'))
    .min(1)
    .max(CANCELLED_AT_ONCE)
    .exactOptional()
    .describe('Only these runs. Unknown ids are ignored.'),
  since: instantField.exactOptional().describe('Only runs created after this time.'),
  until: instantField.exactOptional().describe('Only runs created before this time.'),
  dryRun: z.boolean('must be true or false').default(false).describe('Only counts and changes nothing.'),
}).meta({ typeName: 'CancelRuns' });
export type CancelRuns = z.output<typeof cancelRunsBody>;

/** Response to cancelling or counting the runs of a workflow. */
export const cancelledRunsAnswer = z
  .strictObject({
    status: z.enum(['preview', 'cancelled']).describe('`preview`: nothing was changed.'),
    matched: wholeNumber.describe('Unfinished runs that matched.'),
    cancelled: wholeNumber.describe('Runs that this request cancelled, oldest first.'),
    left: wholeNumber.describe('Runs that match and are still unfinished. Repeat the request to cancel them.'),
  })
  .meta({ typeName: 'CancelledRuns' });
export type CancelledRuns = z.output<typeof cancelledRunsAnswer>;

export const listRunsOfWorkflowQuery = pageQuery
  .extend({
    status: someQuery(RUN_STATUSES).optional().describe('Only runs with one of these statuses.'),
    /** Applies to the creation time of the run. */
    ...windowQuery,
    /** `false` leaves out outputs, which can have 256 KiB each. */
    outputs: enumQuery(['true', 'false'])
      .optional()
      .describe('`false` leaves out the outputs of runs to keep the response small.'),
  })
  .meta({ typeName: 'ListRunsOfWorkflow' });
export const listRunsQuery = listRunsOfWorkflowQuery
  .extend({
    workflowId: z.string().optional().describe('Only runs of this workflow.'),
    /** The message that started the run. */
    messageId: z.string().optional().describe('Only runs started by this message.'),
  })
  .meta({ typeName: 'ListRuns' });
export type ListRuns = z.output<typeof listRunsQuery>;

export const exportRunsQuery = listRunsQuery
  .omit({ ...WITHOUT_PAGE, outputs: true })
  .extend(exportQuery)
  .meta({ typeName: 'ExportRuns' });
export type ExportRuns = z.output<typeof exportRunsQuery>;

const runError = z.strictObject({
  code: z.string().describe('Code of the error, such as `HTTP_404` or `TIMEOUT`.'),
  message: z.string().describe('Error in words.'),
});

const shape = {
  id: idOf('run'),
  workflowId: idOf('workflow').describe('Workflow of the run.'),
  definitionVersion: wholeNumber.describe(
    'Version of its definition, which it keeps until it finishes unless it is retried with `latest`.',
  ),
  status: z.enum(RUN_STATUSES).describe('Status of the run.'),
  trigger: z
    .strictObject({
      type: z.enum(RUN_TRIGGERS).describe('Type of the trigger; `workflow` if a step of another run started it.'),
      messageId: idOf('message').exactOptional().describe('Message that started it.'),
      channelId: idOf('channel').exactOptional().describe('Channel of the message.'),
      runId: idOf('run').exactOptional().describe('Run whose step started it.'),
      stepId: z
        .string()
        .exactOptional()
        .describe('Step that started it. Absent once that step has started another run.'),
    })
    .describe('What started the run.'),
  createdAt: time.describe('When it was created.'),
  startedAt: time.exactOptional().describe('When its first step could start. Absent until then.'),
  finishedAt: time.exactOptional().describe('When it finished. Absent until then.'),
  error: runError
    .extend({ stepId: z.string().exactOptional().describe('Step that failed.') })
    .exactOptional()
    .describe('Why it failed, or is paused until a person acts.'),
  reason: z.string().exactOptional().describe('Why it was cancelled or skipped.'),
  filteredBy: z
    .string()
    .exactOptional()
    .describe('Id of the filter step whose expression was false, so that the run finished as `completed`.'),
  output: storedJson
    .exactOptional()
    .describe('Output of the `end` step that finished it. Absent in lists with `outputs=false`.'),
};

const step = z.strictObject({
  id: z.string().describe('Id of the step in the definition.'),
  iteration: z
    .string()
    .describe('Indexes, from 0, of the items in the enclosing loops, joined by dots. Empty outside loops.'),
  type: z.enum(RUN_STEP_TYPES).describe('Type of the step. `item` is a finished item of a foreach.'),
  status: z.enum(RUN_STEP_STATUSES).describe('Status of the step.'),
  input: storedJson.exactOptional().describe('Values resolved before the first attempt; all attempts use them.'),
  output: storedJson.exactOptional().describe('Result of the step.'),
  error: runError.exactOptional().describe('Error of the last attempt.'),
  attempts: wholeNumber.describe('Number of attempts so far.'),
  crashes: wholeNumber
    .exactOptional()
    .describe('Attempts whose worker stopped before the result was recorded. They may have had their effect.'),
  startedAt: time.describe('When it started.'),
  finishedAt: time.exactOptional().describe('When it finished. Absent until then.'),
});
export type RunStep = z.output<typeof step>;

/** A run as returned in lists. */
export const runSummaryAnswer = z.strictObject(shape).meta({ typeName: 'RunSummary' });
export type RunSummary = z.output<typeof runSummaryAnswer>;

/** A run with its definition and all steps that have started, in the order in which they did. */
export const runAnswer = z
  .strictObject({
    ...shape,
    definition: z
      .strictObject({
        trigger: exactObject.describe('What starts a run.'),
        steps: exactArray.describe('Steps of a run.'),
      })
      .describe('Definition of the run as it was written. The current one of the workflow may be different.'),
    steps: z.array(step).describe('Steps that have started, in the order in which they did.'),
  })
  .meta({ typeName: 'Run' });
export type Run = z.output<typeof runAnswer>;
