import {
  type EndedRound,
  type EndRunInput,
  type OpenedRun,
  type RunInput,
  stepKey,
} from '../../kernel/contract/run-workflow.ts';
import { wakeForRuns } from '../../platform/db/waking.ts';
import { type CarriedRun, readRun, readWays } from './load-store.ts';
import type { ReadyPlan } from './plans.ts';
import { recordEndOfRun, recordOpening } from './round-store.ts';
import type { EngineDependencies } from './take-step.ts';

/**
 * Registers the messages that cancel a run, before its first step. Throws RunSuperseded if one of them has cancelled
 * it.
 */
export type Watch = (opened: { run: CarriedRun; ready: ReadyPlan }, input: RunInput) => Promise<void>;

/**
 * Starts a round, or resumes it after continue-as-new. Returns the outline and the recorded transitions. Throws
 * RunSuperseded if the round is over or a message has cancelled the run.
 */
export async function openRun(
  deps: EngineDependencies & { watch: Watch },
  input: RunInput,
  carrier: string,
): Promise<OpenedRun> {
  const run = await readRun(deps.pool, input);
  const ready = await deps.plans(run);
  await recordOpening(deps.pool, input, carrier);
  await deps.watch({ run, ready }, input);
  const ways = await readWays(deps.pool, input.runId, ['']);
  return {
    outline: ready.outline,
    ways: Object.fromEntries(ways.map(({ stepId, iteration, way }) => [stepKey(stepId, iteration), way])),
  };
}

/**
 * Records the end of a round, once. Does nothing if the run has already ended. `hasGate`: other runs may be waiting for
 * its slot. `filteredBy`: the filter that ended it.
 */
export async function endRun(
  deps: Pick<EngineDependencies, 'pool' | 'observe'>,
  end: EndRunInput,
): Promise<EndedRound & { hasGate: boolean }> {
  const ended = await recordEndOfRun(deps.pool, end);
  if (ended === undefined) return { hasGate: false };
  deps.observe?.ended(end.status, ended.after ?? undefined);
  if (ended.isChild) await wakeForRuns(deps.pool);
  return { hasGate: ended.hasGate, ...(ended.filteredBy !== null && { filteredBy: ended.filteredBy }) };
}
