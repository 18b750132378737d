import { type StepInput, type Taken, stepBehind, wayTo } from '../../kernel/contract/run-workflow.ts';
import { type Loaded, loadStep } from './context.ts';
import { readJsonText } from './json-text.ts';
import { readEnded, readStep, type StepRow } from './load-store.ts';
import { recordCut, recordPassedOver } from './loop-store.ts';
import { recordBeginning, recordEnd, refuseTooMany } from './record-store.ts';
import { stepsFrom } from './plans.ts';
import { StepFailed } from './step-failure.ts';
import { endOfStep, type EngineDependencies, failedEnd, isLeftOut, stepFailure } from './take-step.ts';

/** Starts the branches of a parallel step. Returns its transition if it has ended or is skipped. */
export async function openBranches(deps: EngineDependencies, input: StepInput): Promise<Taken | { open: true }> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { way: known.way };
  const startedAt = deps.clock();
  const loaded = await loadStep(deps, input, startedAt);
  const { step, run } = loaded;
  try {
    refuseTooMany(run);
    if (isLeftOut(deps, loaded)) {
      await recordEnd(deps, input, { type: step.type, status: 'skipped', way: wayTo(step.next), startedAt });
      return { way: wayTo(step.next) };
    }
  } catch (failure) {
    const end = failedEnd(step, stepFailure(deps, loaded, failure));
    await recordEnd(deps, input, { ...end, startedAt });
    return { way: end.way };
  }
  await recordBeginning(deps.pool, input, { type: step.type, status: 'running', input: 'null', startedAt });
  return { open: true };
}

/** Ends a parallel step. Its output has the last output of each finished branch, by the first step of the branch. */
export async function closeBranches(deps: EngineDependencies, input: StepInput): Promise<Taken> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { way: known.way };
  const loaded = await loadStep(deps, input, deps.clock());
  const rows = await readEnded(deps.pool, input.runId, input.iteration);
  const end = await endOfStep(deps, loaded, () => ({ output: outputsOf(loaded, rows, input.iteration) }), {
    hasBegun: true,
  });
  const inner = loaded.step.type === 'parallel' ? [...stepsFrom(loaded.ready.plan, loaded.step.branches)] : [];
  await recordCut(deps.pool, input, inner);
  await recordEnd(deps, input, end);
  if (stepBehind(end.way) !== undefined) await recordPassedOver(deps.pool, input, inner);
  return { way: end.way };
}

function outputsOf({ step }: Loaded, rows: readonly StepRow[], iteration: string): Record<string, unknown> {
  if (step.type !== 'parallel') throw new Error(`${step.id} is not a parallel step`);
  const byId = new Map(rows.filter((row) => row.iteration === iteration).map((row) => [row.stepId, row]));
  const ends = step.branches.map((entry) => [entry, endOfBranch(byId, entry)] as const);
  const arrived = ends.filter(([, last]) => last !== undefined && last.way !== null && stepBehind(last.way) === null);
  const failed = ends.find(([, last]) => last?.way === 'failure')?.[1];
  if (failed !== undefined && (step.mode === 'all' || arrived.length === 0))
    throw new StepFailed(failed.errorCode ?? 'INTERNAL', `step ${failed.stepId}: ${failed.errorMessage ?? ''}`);
  return Object.fromEntries(
    arrived.map(([entry, last]) => [entry, last?.output == null ? null : (readJsonText(last.output)?.value ?? null)]),
  );
}

/** Returns the last step of a branch that has reached its end. */
function endOfBranch(byId: ReadonlyMap<string, StepRow>, entry: string): StepRow | undefined {
  let last: StepRow | undefined;
  for (let id: string | null | undefined = entry; typeof id === 'string'; ) {
    const row: StepRow | undefined = byId.get(id);
    if (row === undefined) return undefined;
    last = row;
    id = row.way === null ? undefined : stepBehind(row.way);
  }
  return last;
}
