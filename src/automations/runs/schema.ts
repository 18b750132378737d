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

/** `payload`: what expressions read as `event.payload`; default: an empty object. */
export const startRunBody = fieldsOf({
  payload: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('Any JSON object, up to 256 KiB. Subscribers get it digit for digit.'),
})
  .default({})
  .meta({ typeName: 'StartRun' });

/**
 * Where the next round of a run begins, and under which definition; by default at the steps that failed, under its own. An object names a
 * step that the run has reached.
 */
export const retryRunBody = fieldsOf({
  from: z
    .union(
      [
        z.enum(['failed', 'start']),
        z.strictObject({ stepId: z.string().describe('Step that the run has reached, in no loop and no branch.') }),
      ],
      'must be "failed", "start" or {"stepId": …}',
    )
    .default('failed')
    .describe(
      '`failed`: at the steps that failed. `start`: at the first step, as if no step had been taken, with other idempotency keys. An object: at that step, in the same way, and the steps before it keep their results.',
    ),
  definition: z
    .enum(['original', 'latest'])
    .default('original')
    .describe('Definition to go on under: its own, or the latest one of the workflow.'),
})
  .default({ from: 'failed', definition: 'original' })
  .meta({ typeName: 'RetryRun' });
export type RetryRun = z.output<typeof retryRunBody>;

/** Runs that one request names, or cancels: enough to be quick, few enough to lock them in one transaction. */
export const CANCELLED_AT_ONCE = 1_000;

/** The runs of a workflow that are to be cancelled; everything is asked for by `{}`, not by a missing body. `dryRun` only counts. */
export const cancelRunsBody = fieldsOf({
  status: someField(UNFINISHED_RUNS)
    .exactOptional()
    .describe('Only runs with this status, or one of these. Default: all that have not ended.'),
  ids: z
    .array(z.string('must be a string'))
    .min(1)
    .max(CANCELLED_AT_ONCE)
    .exactOptional()
    .describe('Only these runs. An id that names none of them is left out.'),
  since: instantField.exactOptional().describe('Only runs made after this.'),
  until: instantField.exactOptional().describe('Only runs made before this.'),
  dryRun: z.boolean('must be true or false').default(false).describe('Counts, and changes nothing.'),
}).meta({ typeName: 'CancelRuns' });
export type CancelRuns = z.output<typeof cancelRunsBody>;

/** The answer to cancelling runs of a workflow, or to counting them. */
export const cancelledRunsAnswer = z
  .strictObject({
    status: z.enum(['preview', 'cancelled']).describe('`preview`: nothing was changed.'),
    matched: wholeNumber.describe('Runs that match and had not ended.'),
    cancelled: wholeNumber.describe('Runs that this request has ended, the oldest first.'),
    left: wholeNumber.describe('Runs that match and have not ended yet. The same request goes on with them.'),
  })
  .meta({ typeName: 'CancelledRuns' });
export type CancelledRuns = z.output<typeof cancelledRunsAnswer>;

export const listRunsOfWorkflowQuery = pageQuery
  .extend({
    status: someQuery(RUN_STATUSES).optional().describe('Only those with one of these statuses.'),
    /** Bounds the time at which the run was made. */
    ...windowQuery,
    /** `false` leaves outputs out: each may have 256 KiB. */
    outputs: enumQuery(['true', 'false'])
      .optional()
      .describe('With `false` the outputs of runs are left out, and a page stays small.'),
  })
  .meta({ typeName: 'ListRunsOfWorkflow' });
export const listRunsQuery = listRunsOfWorkflowQuery
  .extend({
    workflowId: z.string().optional().describe('Only of this workflow.'),
    /** The message that began them. */
    messageId: z.string().optional().describe('Only of this message.'),
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
  message: z.string().describe('The same for people.'),
});

const shape = {
  id: idOf('run'),
  workflowId: idOf('workflow').describe('Workflow that it is a run of.'),
  definitionVersion: wholeNumber.describe('Version of the definition that it keeps to its end.'),
  status: z.enum(RUN_STATUSES).describe('How far it has come.'),
  trigger: z
    .strictObject({
      type: z.enum(RUN_TRIGGERS).describe('Kind of the trigger; `workflow` where a step of another run began it.'),
      messageId: idOf('message').exactOptional().describe('Message that began it.'),
      channelId: idOf('channel').exactOptional().describe('Channel of that message.'),
      runId: idOf('run').exactOptional().describe('Run whose step began it.'),
      stepId: z.string().exactOptional().describe('That step. Absent once it has begun another run.'),
    })
    .describe('How it began.'),
  createdAt: time.describe('When it was made.'),
  startedAt: time.exactOptional().describe('When its first step could begin. Absent before.'),
  finishedAt: time.exactOptional().describe('When it ended. Absent before.'),
  error: runError
    .extend({ stepId: z.string().exactOptional().describe('Step that failed.') })
    .exactOptional()
    .describe('Why it failed, or waits for a person.'),
  reason: z.string().exactOptional().describe('Why it was cancelled or skipped.'),
  filteredBy: z
    .string()
    .exactOptional()
    .describe('Filter that ended the run as `completed`, because its expression was false: id of the step.'),
  output: storedJson
    .exactOptional()
    .describe('Output of the `end` step that ended it. Absent in a list with `outputs=false`.'),
};

const step = z.strictObject({
  id: z.string().describe('Id of the step in the definition.'),
  iteration: z
    .string()
    .describe('Places of its items in the loops around it, from 0, joined by dots. Empty outside loops.'),
  type: z.enum(RUN_STEP_TYPES).describe('Kind of the step. `item` is an item of a foreach, once it has ended.'),
  status: z.enum(RUN_STEP_STATUSES).describe('How far it has come.'),
  input: storedJson
    .exactOptional()
    .describe('Values that were resolved for it before its first attempt; all attempts take them.'),
  output: storedJson.exactOptional().describe('Its result.'),
  error: runError.exactOptional().describe('Why its last attempt failed.'),
  attempts: wholeNumber.describe('Attempts so far.'),
  crashes: wholeNumber
    .exactOptional()
    .describe('Attempts whose worker stopped before their result was recorded. They may have had their effect.'),
  startedAt: time.describe('When it began.'),
  finishedAt: time.exactOptional().describe('When it ended. Absent before.'),
});
export type RunStep = z.output<typeof step>;

/** A run as lists show it. */
export const runSummaryAnswer = z.strictObject(shape).meta({ typeName: 'RunSummary' });
export type RunSummary = z.output<typeof runSummaryAnswer>;

/** A run with its definition, and with every step that has begun, in their order. */
export const runAnswer = z
  .strictObject({
    ...shape,
    definition: z
      .strictObject({
        trigger: exactObject.describe('Beginning of a run.'),
        steps: exactArray.describe('Work of a run.'),
      })
      .describe('Definition that it keeps to its end, as it was written: the workflow may have another one since.'),
    steps: z.array(step).describe('Steps that have begun, in the order in which they did.'),
  })
  .meta({ typeName: 'Run' });
export type Run = z.output<typeof runAnswer>;
