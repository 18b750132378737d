import {
  iterationOf,
  stepBehind,
  type Way,
  wayTo,
  type RunInput,
  type StepInput,
} from '../../kernel/contract/run-workflow.ts';
import { justWait } from '../../platform/crashes/crash-guard.ts';
import type { PlannedStep } from '../definitions/configs/planned.ts';
import { type ActionKind, attemptStep } from '../engine/attempt-step.ts';
import { closeBranches, openBranches } from '../engine/branches.ts';
import { closeLoop, endItem, openLoop } from '../engine/loops.ts';
import { beginDelay, endDelay, type EngineDependencies, takeStep } from '../engine/take-step.ts';

export type WalkDependencies = {
  engine: EngineDependencies;
  steps: ReadonlyMap<string, PlannedStep>;
  /** Returns the kind of a step with effects, without its effect; undefined for other steps. */
  kindOf(step: PlannedStep, input: StepInput): ActionKind | undefined;
  /** Called before each step; rejects to stop the test run. */
  look(): Promise<void>;
};

/** The final transition of a chain, and the step that it belongs to, which may be inside a loop or branch. */
export type Walked = { way: Way; stepId: string | undefined; iteration: string };

/**
 * Executes a run's steps in this process as workflows/runs/run-walk.ts does in Temporal, with the same evaluation and
 * record. Time does not pass: delays end at once, items and branches run one after another, and failures are not
 * retried.
 */
export async function walk(
  deps: WalkDependencies,
  run: RunInput,
  first: string | null,
  iteration = '',
): Promise<Walked> {
  let walked: Walked = { way: wayTo(null), stepId: undefined, iteration };
  for (let stepId = first; stepId !== null; ) {
    await deps.look();
    const step = deps.steps.get(stepId);
    // Validated definitions only refer to existing steps.
    if (step === undefined) throw new Error(`The definition has no step ${stepId}`);
    walked = await take(deps, step, { ...run, stepId, iteration });
    const next = stepBehind(walked.way);
    if (next === undefined) break;
    stepId = next;
  }
  return walked;
}

async function take(deps: WalkDependencies, step: PlannedStep, input: StepInput): Promise<Walked> {
  if (step.type === 'foreach') return takeForeach(deps, step, input);
  if (step.type === 'parallel') return takeParallel(deps, step, input);
  return outOf(input, await takeOne(deps, step, input));
}

const outOf = ({ stepId, iteration }: StepInput, way: Way): Walked => ({ way, stepId, iteration });

async function takeOne(deps: WalkDependencies, step: PlannedStep, input: StepInput): Promise<Way> {
  const { engine } = deps;
  const kind = deps.kindOf(step, input);
  if (kind !== undefined) {
    const outcome = await attemptStep(engine, kind, input, justWait);
    // No mocked action has a retryable failure.
    if (outcome.result === 'retry') throw new Error(`${step.id} must not be retried`);
    return outcome.way;
  }
  if (step.type !== 'delay') return (await takeStep(engine, input)).way;
  const begun = await beginDelay(engine, input);
  return 'way' in begun ? begun.way : (await endDelay(engine, input)).way;
}

async function takeForeach(
  deps: WalkDependencies,
  step: PlannedStep & { type: 'foreach' },
  input: StepInput,
): Promise<Walked> {
  const opened = await openLoop(deps.engine, input);
  if ('way' in opened) return outOf(input, opened.way);
  for (const item of opened.unfinished) {
    const walked = await walk(deps, input, step.body, iterationOf(input.iteration, item));
    const isFailed = walked.way === 'failure';
    if (!isFailed && stepBehind(walked.way) === undefined) return walked;
    await endItem(deps.engine, { ...input, item, isFailed });
    if (isFailed && step.onItemError === 'fail') break;
  }
  return outOf(input, (await closeLoop(deps.engine, input)).way);
}

async function takeParallel(
  deps: WalkDependencies,
  step: PlannedStep & { type: 'parallel' },
  input: StepInput,
): Promise<Walked> {
  const opened = await openBranches(deps.engine, input);
  if ('way' in opened) return outOf(input, opened.way);
  for (const entry of step.branches) {
    const walked = await walk(deps, input, entry, input.iteration);
    const isArrived = stepBehind(walked.way) === null;
    if (!isArrived && walked.way !== 'failure') return walked;
    if (step.mode === 'race' ? isArrived : walked.way === 'failure') break;
  }
  return outOf(input, (await closeBranches(deps.engine, input)).way);
}
