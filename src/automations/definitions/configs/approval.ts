import { z } from 'zod';
import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { common, duration, target, template } from './fields.ts';
import type { PlannedStep } from './planned.ts';

const DEFAULT_WAIT_MS = 7 * 86_400_000;
const MOST_APPROVERS = 50;

/** `onTimeout` of an approval decides as nobody has: absent, it is rejected. */
export const approvalConfig = z.strictObject({
  ...common,
  title: z.string().min(1).max(1_000),
  message: template.optional(),
  approvers: z.array(z.string().min(1).max(255)).min(1).max(MOST_APPROVERS).default([]),
  form: z.record(z.string(), z.unknown()).exactOptional(),
  timeout: duration({ min: 1_000, max: WORKFLOW_BOUNDS.waitMs }).default(DEFAULT_WAIT_MS),
  onTimeout: z.enum(['reject', 'approve', 'fail']).default('reject'),
  approved: target.exactOptional(),
  rejected: target.exactOptional(),
});

/** The part of a planned step that is this kind's own. */
export function plannedApproval(given: z.output<typeof approvalConfig>) {
  const { title, message, approvers, form, timeout, onTimeout, approved, rejected } = given;
  return {
    type: 'approval',
    title,
    approvers,
    waitMs: timeout,
    onTimeout,
    ...(message !== undefined && { message }),
    ...(form !== undefined && { form }),
    ...(approved !== undefined && { approved }),
    ...(rejected !== undefined && { rejected }),
  } satisfies Partial<PlannedStep>;
}
