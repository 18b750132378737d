import { z } from 'zod';
import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { common, duration, template } from './fields.ts';
import type { PlannedStep } from './planned.ts';

const DEFAULT_WAIT_MS = 30 * 86_400_000;

/** `input` is what the other workflow reads as `event.payload`. */
export const workflowStepConfig = z.strictObject({
  ...common,
  workflowId: z.string(),
  input: template.default({}),
  wait: z.boolean().default(true),
  timeout: duration({ min: 1_000, max: WORKFLOW_BOUNDS.waitMs }).default(DEFAULT_WAIT_MS),
});

/** The part of a planned step that is this kind's own. */
export function plannedWorkflowStep({ workflowId, input, wait, timeout }: z.output<typeof workflowStepConfig>) {
  return { type: 'workflow', workflowId, input, isAwaited: wait, waitMs: timeout } satisfies Partial<PlannedStep>;
}
