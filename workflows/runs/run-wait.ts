import { condition } from '@temporalio/workflow';
import { stepKey } from '../../src/kernel/contract/run-workflow.ts';
import { local } from './run-local.ts';
import type { TakeStep } from './run-state.ts';

/**
 * Waits until a worker says that the step may go on, or until its time is over. A step that was woken asks the record, which alone knows
 * whether it is over. A history that has become full meanwhile leaves the rest of the wait to the next one.
 */
export const takeWait: TakeStep = async (run, { step, stepId, iteration }) => {
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
