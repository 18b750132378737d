import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { OutlineStep } from '../../src/kernel/contract/run-outline.ts';
import { stepBehind } from '../../src/kernel/contract/run-workflow.ts';
import { local } from './run-local.ts';
import type { ChainEnd, TakeStep } from './run-state.ts';

type Parallel = OutlineStep & { type: 'parallel' };

/**
 * Takes all branches at once. `all`: a branch that fails cuts the others off. `race`: the first one that comes to its end does, and the
 * step fails once all have failed.
 */
export const takeParallel: TakeStep<Parallel> = async (run, { step, stepId, iteration }) => {
  const input = { ...run.input, stepId, iteration };
  const opened = await local(step.label).openBranches(input);
  if ('way' in opened) return opened.way;

  /** The end of the step that a branch has brought about: a way out of the run, or undefined where the branches are only closed. */
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
