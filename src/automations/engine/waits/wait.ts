import {
  type BegunWait,
  type StepInput,
  type Taken,
  type WaitEnd,
  wayTo,
} from '../../../kernel/contract/run-workflow.ts';
import type { PlannedStep } from '../../definitions/configs/planned.ts';
import { type Loaded, loadStep } from '../context.ts';
import { jsonText } from '../json-text.ts';
import { readStep } from '../load-store.ts';
import { recordBeginning, recordEnd, recordWaiting, refuseTooMany } from '../record-store.ts';
import { endOfStep, evaluateAhead, failedEnd, isLeftOut, stepFailure } from '../take-step.ts';
import { approval } from './approval.ts';
import { childRun } from './child-run.ts';
import type { Evaluated, WaitDependencies, WaitKind } from './kind.ts';
import { waitForEvent } from './wait-for-event.ts';

const KINDS: Partial<Record<PlannedStep['type'], WaitKind>> = {
  wait_for_event: waitForEvent,
  approval,
  workflow: childRun,
};

function kindOf({ id, type }: PlannedStep): WaitKind {
  const kind = KINDS[type];
  if (kind === undefined) throw new Error(`${id} does not wait`);
  return kind;
}

/**
 * Starts a wait, or returns a started one with the same timeout. Returns a transition if the wait is already over.
 * Rejects while PostgreSQL is unreachable, and with RunSuperseded.
 */
export async function beginWait(deps: WaitDependencies, input: StepInput): Promise<BegunWait> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { way: known.way };
  const loaded = await loadStep(deps, input, deps.clock());
  const opened =
    known !== undefined && known.until !== null
      ? { until: known.until, summary: loaded.step.label, waitMs: known.until.getTime() - known.startedAt.getTime() }
      : await openWait(deps, loaded, input);
  if ('way' in opened) return opened;
  // A run that resumes after a loss was marked as running so far.
  if (opened.waitMs > 0) await recordWaiting(deps.pool, input);
  await kindOf(loaded.step).look(deps, loaded, input);
  const ended = await endOfWait(deps, loaded, input);
  return ended ?? { until: opened.until.getTime(), summary: opened.summary };
}

/**
 * Registers the wait, then records that the step has started. The order matters: when the activity is repeated, a
 * recorded start means that the wait exists and only its result needs to be looked up.
 */
async function openWait(
  deps: WaitDependencies,
  loaded: Loaded,
  input: StepInput,
): Promise<Taken | { until: Date; waitMs: number; summary: string }> {
  const { step, run } = loaded;
  const startedAt = deps.clock();
  let opened: Evaluated & { until: Date };
  try {
    refuseTooMany(run);
    if (isLeftOut(deps, loaded)) {
      await recordEnd(deps, input, { type: step.type, status: 'skipped', way: wayTo(step.next), startedAt });
      return { way: wayTo(step.next) };
    }
    await evaluateAhead(deps, loaded);
    const evaluated = kindOf(step).evaluate(deps, loaded);
    opened = { ...evaluated, until: new Date(startedAt.getTime() + evaluated.waitMs) };
    await kindOf(step).open(deps, loaded, input, { ...opened, since: startedAt });
  } catch (failure) {
    const end = failedEnd(step, stepFailure(deps, loaded, failure));
    await recordEnd(deps, input, { ...end, startedAt });
    return { way: end.way };
  }
  const { until, waitMs, summary } = opened;
  const record = jsonText({ ...opened.record, until });
  await recordBeginning(deps.pool, input, { type: step.type, status: 'waiting', input: record, until, startedAt });
  return { until, waitMs, summary: summary === '' ? step.label : `${step.label} ← ${summary}` };
}

/** Ends a wait that was woken or whose time is over; returns `{ waiting: true }` if it is neither. */
export async function endWait(
  deps: WaitDependencies,
  { isOver, ...input }: WaitEnd,
): Promise<Taken | { waiting: true }> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { way: known.way };
  const loaded = await loadStep(deps, input, deps.clock());
  if (isOver) await kindOf(loaded.step).close(deps, input);
  return (await endOfWait(deps, loaded, input)) ?? { waiting: true };
}

async function endOfWait(deps: WaitDependencies, loaded: Loaded, input: StepInput): Promise<Taken | undefined> {
  const result = await kindOf(loaded.step).ended(deps, loaded, input);
  if (result === undefined) return undefined;
  const end = await endOfStep(deps, loaded, result, { hasBegun: true });
  await recordEnd(deps, input, end);
  return { way: end.way };
}
