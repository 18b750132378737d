import { type Way, wayTo } from '../../../kernel/contract/run-workflow.ts';
import { showDuration } from '../../definitions/configs/fields.ts';
import type { PlannedStep } from '../../definitions/configs/planned.ts';
import { jsonText, readJsonText } from '../json-text.ts';
import { StepFailed } from '../step-failure.ts';
import { type Decided, expireApproval, openApproval, readApproval } from './approval-store.ts';
import type { WaitKind } from './kind.ts';
import { registerWait } from './wait-store.ts';

type Approval = PlannedStep & { type: 'approval' };

const asApproval = (step: PlannedStep): Approval => {
  if (step.type !== 'approval') throw new Error(`${step.id} is not an approval step`);
  return step;
};

/** Maximum characters shown to people. */
const LONGEST = { title: 200, message: 4_000 };

/** Waits for a person's decision, which the API records (src/automations/approvals). */
export const approval: WaitKind = {
  evaluate({ expressions }, { step, context }) {
    const { title, message, approvers, waitMs } = asApproval(step);
    const text = (template: unknown, longest: number): string => {
      const value = expressions.resolve(template, context);
      return (typeof value === 'string' ? value : jsonText(value)).slice(0, longest);
    };
    const shown = text(title, LONGEST.title);
    if (shown.trim() === '') throw new StepFailed('EXPRESSION', 'title: must not be empty');
    const record = {
      title: shown,
      ...(message !== undefined && { message: text(message, LONGEST.message) }),
      approvers,
    };
    return { record, waitMs, summary: 'approval' };
  },

  async open({ pool, newId }, { step, run }, input, { record, since, until }) {
    const { form } = asApproval(step);
    // `as`: created by `evaluate`.
    const { title, message, approvers } = record as { title: string; message?: string; approvers: string[] };
    const { environmentId, workflowId } = run;
    await registerWait(pool, { ...input, environmentId }, undefined);
    await openApproval(pool, {
      ...input,
      id: newId('approval'),
      environmentId,
      workflowId,
      title,
      message,
      approvers,
      form: form === undefined ? undefined : jsonText(form),
      createdAt: since,
      expiresAt: until,
    });
  },

  look: () => Promise.resolve(),
  close: ({ pool }, input) => expireApproval(pool, input),

  async ended({ pool }, { step }, input) {
    const decided = await readApproval(pool, input);
    if (decided === undefined || decided.status === 'open') return undefined;
    return () => resultOf(asApproval(step), decided);
  },
};

/** Returns the output of an approval and its transition. Throws StepFailed for a rejection without a target. */
export function resultOf(step: Approval, { status, by, at, comment, data }: Decided) {
  if (status === 'expired' && step.onTimeout === 'fail')
    throw new StepFailed('WAIT_TIMEOUT', `nobody decided within ${showDuration(step.waitMs)}`);
  const isApproved = status === 'approved' || (status === 'expired' && step.onTimeout === 'approve');
  const decision = isApproved ? 'approved' : 'rejected';
  const output = { decision, by, at, comment, data: data === null ? null : (readJsonText(data)?.value ?? null) };
  return { output, way: wayOfDecision(step, decision, by) };
}

/** Throws StepFailed for a rejection without a target, so that a run never continues after one by mistake. */
export function wayOfDecision({ approved, rejected, next }: Approval, decision: unknown, by: string | null): Way {
  if (decision === 'approved') return wayTo(approved === undefined ? next : approved);
  if (rejected !== undefined) return wayTo(rejected);
  throw new StepFailed('APPROVAL_REJECTED', by === null ? 'nobody decided in time' : `rejected by ${by}`);
}
