import { stepBehind, stepKey, wayTo, iterationOf } from '../../src/kernel/contract/run-workflow.ts';
import type { OutlineStep } from '../../src/kernel/contract/run-outline.ts';
import { takeAction } from './run-action.ts';
import { local } from './run-local.ts';
import type { ChainEnd, RoundState, TakeStep } from './run-state.ts';
import { condition, CancellationScope, isCancellation } from '@temporalio/workflow';

/** A step without effects, evaluated and recorded by one local activity. */
const takePure: TakeStep = async ({ input }, { step, stepId, iteration }) =>
  (await local(step.label).takeStep({ ...input, stepId, iteration })).way;

const take: TakeStep = (run, { step, ...place }) => {
  switch (step.type) {
    case 'action':
      return step.action === 'log' ? takePure(run, { step, ...place }) : takeAction(run, { step, ...place });
    case 'delay':
      return takeDelay(run, { step, ...place });
    case 'wait_for_event':
    case 'approval':
    case 'workflow':
      return takeWait(run, { step, ...place });
    case 'foreach':
      return takeForeach(run, { step, ...place });
    case 'parallel':
      return takeParallel(run, { step, ...place });
    default:
      return takePure(run, { step, ...place });
  }
};

/** Executes the steps of a chain in order. Steps with a recorded transition are skipped. */
export async function walkSteps(run: RoundState, first: string | null, iteration: string): Promise<ChainEnd> {
  let stepId: string | null = first;
  while (stepId !== null) {
    const way = await takeOrPass(run, stepId, iteration);
    const next = way === 'again' ? undefined : stepBehind(way);
    if (next === undefined) return way;
    stepId = next;
  }
  return wayTo(null);
}

async function takeOrPass(run: RoundState, stepId: string, iteration: string): Promise<ChainEnd> {
  const key = stepKey(stepId, iteration);
  const recorded = run.ways.get(key);
  if (recorded !== undefined) return recorded;
  if (run.isFull()) return 'again';
  // Validated definitions only refer to existing steps.
  const step: OutlineStep | undefined = run.outline.steps[stepId];
  if (step === undefined) throw new Error(`The outline has no step ${stepId}`);
  return run.during(key, () => take(run, { step, stepId, iteration }));
}

type Foreach = OutlineStep & { type: 'foreach' };

/**
 * Executes the body once for each item, with limited concurrency. If an item fails, the loop fails and the other items
 * are stopped, unless the definition says otherwise. When the history is full, items in progress finish their current
 * step and the rest is left to the next workflow.
 */
const takeForeach: TakeStep<Foreach> = async (run, { step, stepId, iteration }) => {
  const input = { ...run.input, stepId, iteration };
  const opened = await local(step.label).openLoop(input);
  if ('way' in opened) return opened.way;
  for (const [key, way] of Object.entries(opened.ways)) run.ways.set(key, way);

  /** The transition out of the loop caused by an item. */
  let out: ChainEnd | undefined;
  const waiting = [...opened.unfinished];
  const scope = new CancellationScope();

  const takeItem = async (item: number): Promise<ChainEnd | undefined> => {
    const end = await run.walk(step.body, iterationOf(iteration, item));
    const isFailed = end === 'failure';
    if (!isFailed && (end === 'again' || stepBehind(end) === undefined)) return end;
    await local(`${step.label}: item ${item}`).endItem({ ...input, item, isFailed });
    return isFailed && step.onItemError === 'fail' ? end : undefined;
  };
  const takeItems = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined && out === undefined; item = waiting.shift()) {
      if (run.isFull()) {
        out = 'again';
        return;
      }
      const end = await takeItem(item);
      if (end === undefined) continue;
      out ??= end;
      // If only the history is full, the other items finish their current step.
      if (end !== 'again') scope.cancel();
    }
  };
  await scope
    .run(() => Promise.all(Array.from({ length: step.concurrency }, () => takeItems().catch(unlessCut))))
    .catch(unlessCut);

  function unlessCut(failure: unknown): void {
    if (out === undefined || !isCancellation(failure)) throw failure;
  }
  if (out !== undefined && out !== 'failure') return out;
  return (await local(step.label).closeLoop(input)).way;
};

type Parallel = OutlineStep & { type: 'parallel' };

/**
 * Executes all branches at once. `all`: a branch that fails stops the others. `race`: the first one to finish stops the
 * others, and the step fails if all fail.
 */
const takeParallel: TakeStep<Parallel> = async (run, { step, stepId, iteration }) => {
  const input = { ...run.input, stepId, iteration };
  const opened = await local(step.label).openBranches(input);
  if ('way' in opened) return opened.way;

  /**
   * Set once a branch has decided the step: a transition out of the run, or undefined if the branches only need to be
   * closed.
   */
  let decided: { out: ChainEnd | undefined } | undefined;
  let isFull = false;
  const scope = new CancellationScope();

  const takeBranch = async (entry: string): Promise<void> => {
    const end = await run.walk(entry, iteration);
    if (end === 'again') {
      isFull = true;
      return;
    }
    const isArrived = stepBehind(end) === null;
    const isLeaving = !isArrived && end !== 'failure';
    const decides = step.mode === 'race' ? isArrived : end === 'failure';
    if (!isLeaving && !decides) return;
    decided ??= { out: isLeaving ? end : undefined };
    scope.cancel();
  };
  const unlessCut = (failure: unknown): void => {
    if (decided === undefined || !isCancellation(failure)) throw failure;
  };
  await scope.run(() => Promise.all(step.branches.map((entry) => takeBranch(entry).catch(unlessCut)))).catch(unlessCut);

  if (decided?.out !== undefined) return decided.out;
  if (decided === undefined && isFull) return 'again';
  return (await local(step.label).closeBranches(input)).way;
};

/**
 * Waits until a worker wakes the step or its time is over. A woken step checks the record, which alone knows whether
 * the wait is over. If the history becomes full, the next workflow continues the wait.
 */
const takeWait: TakeStep = async (run, { step, stepId, iteration }) => {
  const input = { ...run.input, stepId, iteration };
  const key = stepKey(stepId, iteration);
  const begun = await local(step.label).beginWait(input);
  if ('way' in begun) return begun.way;
  for (;;) {
    const leftMs = begun.until - Date.now();
    const isStirred = () => run.woken.has(key) || run.isFull();
    const isOver = leftMs <= 0 || !(await condition(isStirred, leftMs, { summary: begun.summary }));
    if (!isOver && !run.woken.delete(key)) return 'again';
    const ended = await local(step.label).endWait({ ...input, isOver });
    if ('way' in ended) return ended.way;
  }
};

/**
 * Waits until a time that is recorded when the delay starts. If the history becomes full, the next workflow continues
 * the wait.
 */
const takeDelay: TakeStep = async (run, { step, stepId, iteration }) => {
  const input = { ...run.input, stepId, iteration };
  const begun = await local(step.label).beginDelay(input);
  if ('way' in begun) return begun.way;
  const leftMs = begun.until - Date.now();
  if (leftMs > 0 && (await condition(run.isFull, leftMs, { summary: step.label }))) return 'again';
  return (await local(step.label).endDelay(input)).way;
};
