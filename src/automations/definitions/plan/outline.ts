import type { OutlineStep, RunOutline } from '../../../kernel/contract/run-outline.ts';
import type { Plan, PlannedStep } from '../configs/planned.ts';

/** The part of a plan that the Temporal workflow of a run has to know. */
export function outlineOf({ entry, steps }: Plan): RunOutline {
  return { entry, steps: Object.fromEntries(steps.map((step) => [step.id, outlineOfStep(step)])) };
}

function outlineOfStep(step: PlannedStep): OutlineStep {
  const { label, next, onError, timeoutMs, retryPolicy, nonRetryableErrors } = step;
  const shared = { label, next, onError, isConditional: step.if !== undefined };
  switch (step.type) {
    case 'action':
      return { ...shared, type: step.type, action: step.action, timeoutMs, retryPolicy, nonRetryableErrors };
    case 'foreach': {
      const { type, body, concurrency, onItemError } = step;
      return { ...shared, type, body, concurrency, onItemError };
    }
    case 'parallel': {
      const { type, branches, mode } = step;
      return { ...shared, type, branches, mode };
    }
    default:
      return { ...shared, type: step.type };
  }
}
