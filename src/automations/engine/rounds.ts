import type { EndRunInput, OpenedRun, RunInput } from '../../contract/run-workflow.ts';
import { wakeForRuns } from '../../db/due-runs.ts';
import { stepKey } from '../../contract/run-ways.ts';
import { leaveGate } from '../gates/gates.ts';
import { readRun, readWays } from './load-store.ts';
import { recordEndOfRun, recordOpening } from './round-store.ts';
import type { EngineDependencies } from './take-step.ts';
import { watchForCancel } from './waits/cancel-on.ts';
import type { WaitDependencies } from './waits/kind.ts';

/**
 * Begins a round, or goes on with it after continue-as-new: the outline, and the ways that are recorded already. Throws RunSuperseded for
 * a round that is over, and for a run that a message has cancelled.
 */
export async function openRun(deps: WaitDependencies, input: RunInput, carrier: string): Promise<OpenedRun> {
  const run = await readRun(deps.pool, input);
  const ready = await deps.plans(run);
  await recordOpening(deps.pool, input, carrier);
  await watchForCancel(deps, { run, ready }, input);
  const ways = await readWays(deps.pool, input.runId, ['']);
  return {
    outline: ready.outline,
    ways: Object.fromEntries(ways.map(({ stepId, iteration, way }) => [stepKey(stepId, iteration), way])),
  };
}

/** Records the end of a round, once. A run that somebody else has ended stays as it is. */
export async function endRun(deps: Pick<EngineDependencies, 'pool' | 'observe'>, end: EndRunInput): Promise<void> {
  const ended = await recordEndOfRun(deps.pool, end);
  if (ended === undefined) return;
  deps.observe?.ended(end.status, ended.after ?? undefined);
  if (ended.isChild) await wakeForRuns(deps.pool);
  if (ended.hasGate) await leaveGate(deps.pool, end.runId);
}
