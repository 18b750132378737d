import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { type RunInput, runWorkflowId, withWords } from '../../kernel/contract/run-workflow.ts';
import { WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';
import { keyword, START_DEADLINE_MS, startSearchable, type Carriers } from '../../platform/temporal/starts.ts';
import type { Pool } from 'pg';
import { isRunUnfinished, recordCancelled } from './due-store.ts';

type RunToStart = RunInput & {
  environmentId: string;
  workflowId: string;
  workflowName: string;
  triggerType: string;
  messageId: string | null;
  parentRunId: string | null;
};

/**
 * Starts the Temporal workflow of one round. `isNew`: its id has never been used. Throws if Temporal is unreachable.
 */
export type StartRun = (run: RunToStart) => Promise<{ workflowId: string; isNew: boolean }>;

/**
 * Requests the cancellation of a Temporal workflow; does nothing if it is closed or unknown. Throws if Temporal is
 * unreachable.
 */
export type CancelRun = (workflowId: string) => Promise<void>;

// Temporal rejects summaries of more than 200 bytes.
const SUMMARY_LENGTH = 60;

/** See `StartRun`. `isSearchable` says whether the namespace currently has Posthorn's search attributes. */
export function createStartRun(
  client: Client,
  { taskQueue, isSearchable }: { taskQueue: string; isSearchable: () => boolean },
): StartRun {
  return async (run) => {
    const workflowId = runWorkflowId(run);
    const isNew = await startSearchable(client, isSearchable(), (withAttributes) =>
      client.workflow.start<(input: RunInput) => Promise<unknown>>(WORKFLOW_TYPES.runWorkflow, {
        workflowId,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        taskQueue,
        requestEagerStart: true,
        args: [{ runId: run.runId, round: run.round }],
        staticSummary: `${run.workflowName.slice(0, SUMMARY_LENGTH)} ← ${run.messageId ?? run.parentRunId ?? run.triggerType}`,
        ...(withAttributes && { typedSearchAttributes: searchAttributes(run) }),
      }),
    );
    return { workflowId, isNew };
  };
}

export const createCancelRun =
  (client: Client): CancelRun =>
  async (workflowId) => {
    try {
      await client.withDeadline(Date.now() + START_DEADLINE_MS, () => client.workflow.getHandle(workflowId).cancel());
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };

const searchAttributes = ({ environmentId, workflowId, messageId }: RunToStart): TypedSearchAttributes =>
  new TypedSearchAttributes([
    keyword('PosthornEnvironment', environmentId),
    keyword('PosthornWorkflow', workflowId),
    keyword('PosthornState', 'running'),
    ...(messageId === null ? [] : [keyword('PosthornMessage', messageId)]),
  ]);

/** The reason of a run that a person ended in Temporal, followed by that person's own reason. */
const ENDED_IN_TEMPORAL = 'ended in Temporal';

// Temporal's reason for a run that ended with its parent workflow. Only schedules have workflows that are parents of
// runs.
const WITH_ITS_PARENT = 'by parent close policy';
const WITH_ITS_SCHEDULE = 'with the workflow of its schedule, by `terminateOther` or by a person';

/** Cancels a run that a person ended in Temporal, with that person's reason. Returns false if it had already ended. */
export async function recordEndedInTemporal(
  { pool, carriers }: { pool: Pool; carriers: Pick<Carriers, 'whyEnded'> },
  run: RunInput,
): Promise<boolean> {
  // Temporal lists a run for minutes; its history is only read the first time.
  if (!(await isRunUnfinished(pool, run))) return false;
  const words = await carriers.whyEnded(runWorkflowId(run));
  const known = words === WITH_ITS_PARENT ? WITH_ITS_SCHEDULE : words;
  return recordCancelled(pool, run, withWords(ENDED_IN_TEMPORAL, known));
}
