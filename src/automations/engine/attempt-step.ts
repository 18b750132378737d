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

// A run that pauses for longer releases its slot. Its later attempts do not take one.
const KEPT_FOR_MS = 2_000;

/** A kind of action with effects: resolved once before its first attempt, then attempted. */
export type ActionKind = {
  /**
   * Returns what is recorded as the step's input. All attempts use it unchanged, so that one idempotency key never
   * stands for two different requests.
   */
  prepare(loaded: Loaded): unknown;
  /**
   * Runs one attempt. Throws StepFailed. `key` is the same for all attempts of the step. Requests are awaited inside
   * `outside`.
   */
  perform(prepared: unknown, loaded: Loaded, key: string, outside: Outside): Promise<unknown>;
  /** Returns the transition for an output if it is not the next step. */
  wayOf?(output: unknown, loaded: Loaded): Way | undefined;
};

/** The result of one attempt. `retry`: recorded, and to be repeated after this delay. */
export type StepAttemptResult =
  | { result: 'ended'; way: Way; failure?: { code: string; message: string } }
  | { result: 'retry'; delayMs: number; code: string; message: string };

/**
 * Returns the idempotency key of a step of a run, the same for all its attempts. A run that started again executes its
 * steps anew, and with the earlier keys receivers would return their stored responses.
 */
function idempotencyKey({ runId, stepId, iteration }: StepInput, restarts: number): string {
  const name = `${runId}:${stepId}:${iteration}`;
  return restarts === 0 ? name : `${name}:restart-${restarts}`;
}

/**
 * Runs and records one attempt of a step with effects. A finished step is not executed again. Rejects while PostgreSQL
 * is unreachable, with RunSuperseded, and with errors of `perform` that the step did not cause.
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

/** Records the start of the step, or another attempt with the prepared input of the first one. */
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

/** Schedules a retry if the policy has one left and the error is retryable; otherwise fails the step. */
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
  // The step has no separate limit for Retry-After.
  return delayAfterFailure(retryPolicy, failures, { retryAfterMs, maxRetryAfter: retryPolicy.maxDelay });
}

/**
 * Returns the state of a step whose last attempt ended without a report. A crash of its worker is counted and shown,
 * but does not count against the retry policy; after ten crashes the step fails.
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
      ? `the worker stopped during attempt ${known.attempts}, which may have had its effect; the step is retried with the same idempotency key`
      : `attempt ${known.attempts} timed out and may have had its effect; the step is retried with the same idempotency key`;
  const counted = await recordFailure(deps.pool, input, { code: 'CRASHED', message, isCrash: true });
  if (counted === undefined) return stepStandingOf(deps, input, undefined);
  if (counted.crashes < MAX_STEP_CRASHES) return { failures: counted.failures };
  const { step } = await loadStep(deps, input, deps.clock());
  const failure = new StepFailed('CRASHED', `the worker stopped during ${counted.crashes} attempts`);
  const end = failedEnd(step, failure);
  await recordEnd(deps, input, end);
  return { way: end.way };
}
