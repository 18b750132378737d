import { condition } from '@temporalio/workflow';
import { local } from './run-local.ts';
import type { TakeStep } from './run-state.ts';

/** Waits for an instant that is recorded when the delay begins. A history that has become full meanwhile leaves it to the next one. */
export const takeDelay: TakeStep = async (run, { step, stepId, iteration }) => {
  const input = { ...run.input, stepId, iteration };
  const begun = await local(step.label).beginDelay(input);
  if ('way' in begun) return begun.way;
  const leftMs = begun.until - Date.now();
  if (leftMs > 0 && (await condition(run.isFull, leftMs, { summary: step.label }))) return 'again';
  return (await local(step.label).endDelay(input)).way;
};
