import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import { showDuration } from '../../definitions/configs/fields.ts';
import type { PlannedStep } from '../../definitions/configs/planned.ts';
import { jsonText, readJsonText } from '../json-text.ts';
import { StepFailed } from '../step-failure.ts';
import type { Result } from '../take-step.ts';
import { type ChildRun, closeChild, openChild, readChild, type RefusedChild } from './child-store.ts';
import type { WaitKind } from './kind.ts';
import { readWait } from './wait-store.ts';

type WorkflowStep = PlannedStep & { type: 'workflow' };

const asWorkflow = (step: PlannedStep): WorkflowStep => {
  if (step.type !== 'workflow') throw new Error(`${step.id} is not a workflow step`);
  return step;
};

/** Maximum bytes of a run's input, as for a message's payload. */
const INPUT_BYTES = 262_144;

/** Starts a run of another workflow and waits for its end, unless the definition says otherwise. */
export const childRun: WaitKind = {
  evaluate({ expressions }, { step, run, context }) {
    const { workflowId, input: template, isAwaited, waitMs } = asWorkflow(step);
    if (run.chainDepth + 1 >= WORKFLOW_BOUNDS.chainDepth)
      throw new StepFailed('CHAIN_TOO_DEEP', `runs can be nested at most ${WORKFLOW_BOUNDS.chainDepth} levels deep`);
    const input = expressions.resolve(template, context);
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw new StepFailed('EXPRESSION', 'input: must be an object');
    const bytes = Buffer.byteLength(jsonText(input));
    if (bytes > INPUT_BYTES)
      throw new StepFailed('PAYLOAD_TOO_LARGE', `its input has ${bytes} bytes; the limit is ${INPUT_BYTES}`);
    return { record: { workflowId, input }, waitMs: isAwaited ? waitMs : 0, summary: workflowId };
  },

  async open({ pool, newId }, { step, run }, input, { record }) {
    const { workflowId, isAwaited } = asWorkflow(step);
    const refusal = await openChild(pool, {
      ...input,
      id: newId('run'),
      environmentId: run.environmentId,
      workflowId,
      // `as`: created by `evaluate`.
      input: jsonText((record as { input: object }).input),
      chainDepth: run.chainDepth + 1,
      isAwaited,
    });
    if (refusal !== undefined) throw refused(refusal, workflowId);
  },

  look: () => Promise.resolve(),
  close: ({ pool }, input) => closeChild(pool, input, 'the step that waited for it ran out of time'),

  async ended({ pool }, { step }, input) {
    const { isAwaited, waitMs } = asWorkflow(step);
    const child = await readChild(pool, input);
    if (!isAwaited) return () => ({ output: { runId: child?.id ?? null } });
    const isOver = (await readWait(pool, input)) === undefined;
    const hasEnded = child === undefined || child.status === 'completed' || ENDED_BADLY.has(child.status);
    if (!isOver && !hasEnded) return undefined;
    return () => resultOf(child, isOver ? showDuration(waitMs) : undefined);
  },
};

const ENDED_BADLY: ReadonlySet<string> = new Set(['failed', 'cancelled', 'skipped']);

/**
 * Returns the result of a child run. `waited`: the timeout of the step, if it is over. Throws StepFailed if the run did
 * not complete.
 */
function resultOf(child: ChildRun | undefined, waited: string | undefined): Result {
  // A finished run is kept for its app's retention time, and its parent is woken long before.
  if (child === undefined) throw new StepFailed('CHILD_FAILED', 'its run no longer exists');
  const { id, status, output, errorCode, errorMessage, reason } = child;
  if (status === 'completed')
    return { output: { runId: id, output: output === null ? null : (readJsonText(output)?.value ?? null) } };
  if (status === 'failed')
    throw new StepFailed('CHILD_FAILED', `${id} failed: ${errorCode ?? ''} ${errorMessage ?? ''}`.trimEnd());
  if (waited !== undefined) throw new StepFailed('WAIT_TIMEOUT', `${id} did not finish within ${waited}`);
  throw new StepFailed('CHILD_FAILED', `${id} was ${status}: ${reason ?? ''}`);
}

function refused({ refused: why }: RefusedChild, workflowId: string): StepFailed {
  switch (why) {
    case 'workflow missing':
      return new StepFailed('NOT_FOUND', `the workflow ${workflowId} does not exist`);
    case 'workflow not active':
      return new StepFailed('CONFLICT', `the workflow ${workflowId} is not active`);
    case 'run without its workflow':
      return new StepFailed('CONFLICT', `the workflow ${workflowId} is deleted, so its earlier run cannot continue`);
    default:
      return why satisfies never;
  }
}
