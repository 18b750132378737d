import { delayAfterFailure, type RetryPolicy } from '../../kernel/contract/retry-policy.ts';
import {
  MAX_STEP_CRASHES,
  type StepInput,
  type StepStanding,
  meansError,
  type Way,
  wayTo,
} from '../../kernel/contract/run-workflow.ts';
import type { Outside } from '../../platform/crashes/crash-guard.ts';
import { type Loaded, loadStep } from './context.ts';
import { jsonText, readJsonText } from './json-text.ts';
import { readStep, type StepRow } from './load-store.ts';
import { leavePlace, recordAttempt, recordBeginning, recordEnd, recordFailure, refuseTooMany } from './record-store.ts';
import { endOfStep, type EngineDependencies, evaluateAhead, failedEnd, isLeftOut, stepFailure } from './take-step.ts';
import { StepFailed } from './step-failure.ts';

// A run that rests for longer leaves its place to others; its further attempts take none.
const KEPT_FOR_MS = 2_000;

/** A kind of action that has effects: what it is resolved to before its first attempt, and one attempt. */
export type ActionKind = {
  /** Recorded as the step's input. Later attempts do exactly the same, so that one idempotency key never stands for two requests. */
  prepare(loaded: Loaded): unknown;
  /** Throws StepFailed. `key` is the same for all attempts of the step. Requests are waited for in `outside`. */
  perform(prepared: unknown, loaded: Loaded, key: string, outside: Outside): Promise<unknown>;
  /** The way that an output leads to, where that is not the next step. */
  wayOf?(output: unknown, loaded: Loaded): Way | undefined;
};

/** The result of one attempt. `retry`: recorded, and to be made again after so many ms. */
export type StepAttemptResult =
  | { result: 'ended'; way: Way; failure?: { code: string; message: string } }
  | { result: 'retry'; delayMs: number; code: string; message: string };

/**
 * The name that receivers know a step of a run by, however often it is tried. A run that began again from the start does all steps anew:
 * under its first names a receiver would answer with what it had kept.
 */
function idempotencyKey({ runId, stepId, iteration }: StepInput, restarts: number): string {
  const name = `${runId}:${stepId}:${iteration}`;
  return restarts === 0 ? name : `${name}:restart-${restarts}`;
}

/**
 * One attempt of a step with effects, and its record. A step that has ended is not done again. Rejects while PostgreSQL is out of reach,
 * with RunSuperseded, and with what `perform` throws that is no fault of the step.
 */
export async function attemptStep(
  deps: EngineDependencies,
  kind: ActionKind,
  input: StepInput,
  outside: Outside,
): Promise<StepAttemptResult> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { result: 'ended', way: known.way };
  const startedAt = deps.clock();
  const loaded = await loadStep(deps, input, startedAt);
  const begun = await begin(deps, kind, { input, known, loaded, startedAt });
  if ('way' in begun) return { result: 'ended', ...begun };
  const { prepared, failures } = begun;
  try {
    const output = await kind.perform(prepared, loaded, idempotencyKey(input, loaded.run.restarts), outside);
    const way = kind.wayOf?.(output, loaded);
    const end = await endOfStep(deps, loaded, () => ({ output, ...(way && { way }) }), {
      hasBegun: true,
      hasEffect: true,
    });
    await recordEnd(deps, input, end);
    return { result: 'ended', way: end.way, ...(end.error && { failure: end.error }) };
  } catch (thrown) {
    return afterFailure(deps, { input, loaded, failures, failure: stepFailure(deps, loaded, thrown) });
  }
}

type Begun = { prepared: unknown; failures: number } | { way: Way; failure?: { code: string; message: string } };

/** Records the beginning, or a further attempt of what was prepared by the first one. */
async function begin(
  deps: EngineDependencies,
  kind: ActionKind,
  {
    input,
    known,
    loaded,
    startedAt,
  }: { input: StepInput; known: StepRow | undefined; loaded: Loaded; startedAt: Date },
): Promise<Begun> {
  const { step, run } = loaded;
  if (known !== undefined && known.input !== null) {
    await recordAttempt(deps.pool, input);
    return { prepared: readJsonText(known.input)?.value, failures: known.failures };
  }
  let prepared: string;
  try {
    refuseTooMany(run);
    if (isLeftOut(deps, loaded)) {
      const way = wayTo(step.next);
      await recordEnd(deps, input, { type: step.type, status: 'skipped', way, startedAt });
      return { way };
    }
    await evaluateAhead(deps, loaded);
    prepared = jsonText(kind.prepare(loaded));
  } catch (thrown) {
    const failure = stepFailure(deps, loaded, thrown);
    const end = failedEnd(step, failure);
    await recordEnd(deps, input, { ...end, startedAt });
    return { way: end.way, failure: { code: failure.code, message: failure.message } };
  }
  await recordBeginning(deps.pool, input, { type: step.type, status: 'running', input: prepared, startedAt });
  return { prepared: readJsonText(prepared)?.value, failures: known?.failures ?? 0 };
}

/** Another attempt where the policy has one left and the error is worth it; else the step has failed. */
async function afterFailure(
  deps: EngineDependencies,
  { input, loaded, failures, failure }: { input: StepInput; loaded: Loaded; failures: number; failure: StepFailed },
): Promise<StepAttemptResult> {
  const { step } = loaded;
  const { code, message } = failure;
  const delayMs = retryDelayOf(step, failures + 1, failure);
  if (delayMs !== undefined) {
    await recordFailure(deps.pool, input, { code, message, isCrash: false });
    if (delayMs > KEPT_FOR_MS) await leavePlace(deps.pool, input);
    return { result: 'retry', delayMs, code, message };
  }
  const end = failedEnd(step, failure);
  await recordEnd(deps, input, end);
  return { result: 'ended', way: end.way, failure: { code, message } };
}

function retryDelayOf(
  { retryPolicy, nonRetryableErrors }: { retryPolicy: RetryPolicy; nonRetryableErrors: readonly string[] },
  failures: number,
  { code, canRetry, retryAfterMs }: StepFailed,
): number | undefined {
  if (!canRetry || nonRetryableErrors.some((listed) => meansError(listed, code))) return undefined;
  // A step has no bound of its own for what its receiver asks for.
  return delayAfterFailure(retryPolicy, failures, { retryAfterMs, maxRetryAfter: retryPolicy.maxDelay });
}

/**
 * The standing of a step whose last attempt did not say how it ended. A death of its worker is counted and shown, and does not use up the
 * policy; after ten of them the step has failed.
 */
export async function stepStandingOf(
  deps: EngineDependencies,
  input: StepInput,
  crash: 'worker' | 'time' | undefined,
): Promise<StepStanding> {
  const known = await readStep(deps.pool, input);
  if (known === undefined) return { failures: 0 };
  if (known.way !== null) return { way: known.way };
  if (crash === undefined) return { failures: known.failures };
  const message =
    crash === 'worker'
      ? `the worker stopped during attempt ${known.attempts}, which may have had its effect; the step is tried again with the same idempotency key`
      : `attempt ${known.attempts} took longer than its time, and may have had its effect; the step is tried again with the same idempotency key`;
  const counted = await recordFailure(deps.pool, input, { code: 'CRASHED', message, isCrash: true });
  if (counted === undefined) return stepStandingOf(deps, input, undefined);
  if (counted.crashes < MAX_STEP_CRASHES) return { failures: counted.failures };
  const { step } = await loadStep(deps, input, deps.clock());
  const failure = new StepFailed('CRASHED', `the worker stopped during ${counted.crashes} attempts`);
  const end = failedEnd(step, failure);
  await recordEnd(deps, input, end);
  return { way: end.way };
}
