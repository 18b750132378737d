import type { Pool } from 'pg';
import { type RunInput, runWorkflowId, withWords } from '../../kernel/contract/run-workflow.ts';
import type { Carriers } from '../../platform/temporal/starts.ts';
import { isRunUnfinished, recordCancelled } from './due-store.ts';

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
