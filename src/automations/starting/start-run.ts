import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { type RunInput, runWorkflowId, withWords } from '../../kernel/contract/run-workflow.ts';
import { WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';
import { keyword, START_DEADLINE_MS, startSearchable } from '../../platform/temporal/starts.ts';
import type { Pool } from 'pg';
import type { Carriers } from '../../platform/temporal/starts.ts';
import { isRunUnfinished, recordCancelled } from './due-store.ts';

type RunToStart = RunInput & {
  environmentId: string;
  workflowId: string;
  workflowName: string;
  triggerType: string;
  messageId: string | null;
  parentRunId: string | null;
};

/** Starts the Temporal workflow of one round. `isNew`: its id had never been used. Throws when Temporal is out of reach. */
export type StartRun = (run: RunToStart) => Promise<{ workflowId: string; isNew: boolean }>;

/** Asks a Temporal workflow to end; one that is closed or unknown is left alone. Throws when Temporal is out of reach. */
export type CancelRun = (workflowId: string) => Promise<void>;

// Temporal cuts summaries at 200 bytes; a longer one is refused.
const SUMMARY_LENGTH = 60;

/** See `StartRun`. `isSearchable` says whether the namespace has our search attributes at this moment. */
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

/** The reason of a run that a person terminated or cancelled in Temporal, before the person's own words. */
const ENDED_IN_TEMPORAL = 'ended in Temporal';

// The words of Temporal where a run ended with its parent workflow. Only workflows of schedules are parents of runs.
const WITH_ITS_PARENT = 'by parent close policy';
const WITH_ITS_SCHEDULE = 'with the workflow of its schedule, by `terminateOther` or by a person';

/** A run that a person ended in Temporal is cancelled, with that person's reason. False where it had ended. */
export async function recordEndedInTemporal(
  { pool, carriers }: { pool: Pool; carriers: Pick<Carriers, 'whyEnded'> },
  run: RunInput,
): Promise<boolean> {
  // Temporal lists a run for minutes. Only the first look asks for its history.
  if (!(await isRunUnfinished(pool, run))) return false;
  const words = await carriers.whyEnded(runWorkflowId(run));
  const known = words === WITH_ITS_PARENT ? WITH_ITS_SCHEDULE : words;
  return recordCancelled(pool, run, withWords(ENDED_IN_TEMPORAL, known));
}
