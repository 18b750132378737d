import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';
import {
  type BegunDelay,
  type StepInput,
  type Taken,
  type Way,
  wayAfterFailure,
  wayTo,
  wayToEnd,
} from '../../kernel/contract/run-workflow.ts';
import { isUnreachable } from '../../platform/db/failures.ts';
import type { Clock } from '../../platform/dependencies.ts';
import { SenderClosedError } from '../../platform/outbound/exchange/connections.ts';
import type { PlannedStep } from '../definitions/configs/planned.ts';
import { asMaps } from '../expressions/json.ts';
import { type RunContext, ExpressionFailed, type StepExpressions, ValuesTooLarge } from '../expressions/expressions.ts';
import { type Loaded, loadStep } from './context.ts';
import { fittedOutput } from './fitted-output.ts';
import { jsonText } from './json-text.ts';
import { readStep, type Sample } from './load-store.ts';
import type { Plans } from './plans.ts';
import {
  recordBeginning,
  recordEnd,
  recordWaiting,
  refuseTooLarge,
  refuseTooMany,
  roomOf,
  type RunObserver,
  type StepEnd,
} from './record-store.ts';
import { RunSuperseded, StepFailed } from './step-failure.ts';

type EngineExpressions = Pick<StepExpressions, 'evaluate' | 'resolve' | 'evaluateAhead'>;

export type EngineDependencies = {
  pool: Pool;
  observe?: RunObserver | undefined;
  log: Logger;
  clock: Clock;
  plans: Plans;
  expressions: EngineExpressions;
  /** The event of a test run. */
  sample?: Sample;
};

/** The result of a step without effects: its output, and its transition if its kind chooses one. */
export type Result = {
  output: unknown;
  way?: Way;
  assigned?: unknown;
  error?: { code: string; message: string };
  /** The step ends its chain by its own decision. */
  isFiltered?: boolean;
  /** Set if a failed run must not become a dead letter. */
  isWithoutLetter?: boolean;
};

/**
 * Executes one step without effects: evaluates and records it and returns its transition. A finished step returns its
 * recorded transition. Rejects while PostgreSQL is unreachable, and with RunSuperseded.
 */
export async function takeStep(deps: EngineDependencies, input: StepInput): Promise<Taken> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { way: known.way };
  const startedAt = deps.clock();
  const loaded = await loadStep(deps, input, startedAt);
  const end = await endOfStep(deps, loaded, () => resultOf(deps, loaded.step, loaded.context));
  await recordEnd(deps, input, { ...end, startedAt });
  return { way: end.way };
}

/**
 * Returns the end of a step: by its work, skipped by its `if`, or failed. Rejects only for problems that a retry can
 * solve. `hasEffect`: too large outputs are cut instead of failing the step.
 */
export async function endOfStep(
  deps: Pick<EngineDependencies, 'log' | 'expressions'>,
  loaded: Loaded,
  work: () => Result | Promise<Result>,
  { hasBegun = false, hasEffect = false }: { hasBegun?: boolean; hasEffect?: boolean } = {},
): Promise<StepEnd> {
  const { step, run } = loaded;
  try {
    if (!hasBegun) {
      refuseTooMany(run);
      if (isLeftOut(deps, loaded)) return { type: step.type, status: 'skipped', way: wayTo(step.next) };
      await evaluateAhead(deps, loaded);
    }
    const { output: raw, way = wayTo(step.next), assigned, error, ...marks } = await work();
    const result = await reshaped(deps, loaded, raw);
    const output = hasEffect ? fittedOutput(result, roomOf(run)) : jsonText(result);
    const assignedText = assigned === undefined ? undefined : jsonText(assigned);
    if (!hasEffect) refuseTooLarge(run, output, assignedText);
    return {
      type: step.type,
      status: error === undefined ? 'completed' : 'failed',
      way,
      output,
      ...(assignedText !== undefined && { assigned: assignedText }),
      ...(error !== undefined && { error }),
      ...(marks.isWithoutLetter === true && { isWithoutLetter: true }),
      ...(marks.isFiltered === true && !loaded.ready.inner.has(step.id) && { endsRun: true }),
    };
  } catch (failure) {
    return failedEnd(step, stepFailure(deps, loaded, failure));
  }
}

export function failedEnd(step: PlannedStep, { code, message }: StepFailed): StepEnd {
  return { type: step.type, status: 'failed', way: wayAfterFailure(step, code), error: { code, message } };
}

/**
 * Converts a thrown value into the step's failure. Rethrows errors that a retry can solve or that the step did not
 * cause.
 */
export function stepFailure(
  { log }: Pick<EngineDependencies, 'log'>,
  { step, run }: Pick<Loaded, 'step' | 'run'>,
  failure: unknown,
): StepFailed {
  if (failure instanceof StepFailed) return failure;
  if (failure instanceof ValuesTooLarge) return new StepFailed('PAYLOAD_TOO_LARGE', failure.message);
  if (failure instanceof ExpressionFailed) return new StepFailed('EXPRESSION', failure.message);
  const isOfProcess =
    failure instanceof RunSuperseded || failure instanceof SenderClosedError || isUnreachable(failure);
  if (isOfProcess) throw failure;
  log.error(
    { err: failure, workflowId: run.workflowId, runId: run.id, stepId: step.id },
    'a step failed with an internal error; its run continues as its onError says',
  );
  return new StepFailed('INTERNAL', 'internal error; see the log of the service');
}

export const isLeftOut = (
  { expressions }: Pick<EngineDependencies, 'expressions'>,
  { step, context }: Loaded,
): boolean => step.if !== undefined && !truth(step.if, expressions.evaluate(step.if, context));

/**
 * Evaluates a step's expressions without blocking other work, if there are many. Its `output` is evaluated separately.
 */
export function evaluateAhead(
  { expressions }: Pick<EngineDependencies, 'expressions'>,
  { step, run, context }: Loaded,
): Promise<void> {
  const { output: _, ...templates } = step;
  return expressions.evaluateAhead({ templates, expressions: conditionsOf(step) }, context, run.environmentId);
}

/** Returns the expressions of a step outside templates, if it can have several. */
function conditionsOf(step: PlannedStep): string[] {
  if (step.type === 'switch') return step.cases.map(({ when }) => when);
  return step.type === 'wait_for_event' ? step.match.map(({ run }) => run) : [];
}

/** `output` of a step can read its own result as `steps.<its own id>.output`. */
async function reshaped(
  { expressions }: Pick<EngineDependencies, 'expressions'>,
  { step, run, context }: Loaded,
  output: unknown,
): Promise<unknown> {
  if (step.output === undefined) return output;
  const own = { status: 'completed', output: asMaps(output), error: null, attempts: 1 } as const;
  const withOwn = { ...context, steps: { ...context.steps, [step.id]: own } };
  await expressions.evaluateAhead({ templates: step.output }, withOwn, run.environmentId);
  return expressions.resolve(step.output, withOwn);
}

function truth(expression: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new StepFailed('EXPRESSION', `${expression}: must return true or false`);
}

function resultOf({ expressions }: EngineDependencies, step: PlannedStep, context: RunContext): Result {
  const evaluate = (expression: string): unknown => expressions.evaluate(expression, context);
  const resolve = (template: unknown): unknown => expressions.resolve(template, context);
  switch (step.type) {
    case 'action':
      if (step.action !== 'log') throw new Error(`${step.id} has effects`);
      return { output: step.isChecked ? logged(step.config, resolve) : resolvedOrAsSent(step.config, resolve) };
    case 'condition': {
      const result = truth(step.expression, evaluate(step.expression));
      const chosen = result ? step.whenTrue : step.whenFalse;
      return { output: { result }, way: wayTo(chosen === undefined ? step.next : chosen) };
    }
    case 'switch': {
      const index = step.cases.findIndex(({ when }) => truth(when, evaluate(when)));
      const chosen = index === -1 ? step.default : step.cases[index]?.next;
      return { output: { case: index === -1 ? null : index }, way: wayTo(chosen === undefined ? step.next : chosen) };
    }
    case 'filter': {
      const passed = truth(step.expression, evaluate(step.expression));
      return { output: { passed }, ...(!passed && { way: wayTo(null), isFiltered: true }) };
    }
    case 'transform': {
      const assigned = resolve(step.assign);
      return { output: resolve(step.set), ...(Object.keys(step.assign).length > 0 && { assigned }) };
    }
    case 'end':
      return endResult(step, resolve);
    case 'delay':
    case 'foreach':
    case 'parallel':
    case 'wait_for_event':
    case 'approval':
    case 'workflow':
      throw new Error(`${step.id} cannot be evaluated only`);
    default:
      return step satisfies never;
  }
}

/** Such a config was never validated, so invalid templates are kept as they are and do not fail the step. */
function resolvedOrAsSent(config: unknown, resolve: (template: unknown) => unknown): unknown {
  try {
    return resolve(config);
  } catch {
    return config;
  }
}

/** `if` is an expression and `output` a separate template; both are kept as they were sent. */
function logged(config: unknown, resolve: (template: unknown) => unknown): unknown {
  // `as`: a config with `action: log` is an object.
  const written = config as Readonly<Record<string, unknown>>;
  const templates = Object.entries(written).filter(([name]) => name !== 'if' && name !== 'output');
  return { ...written, ...(resolve(Object.fromEntries(templates)) as object) };
}

function endResult(
  { status, error, deadLetter }: PlannedStep & { type: 'end' },
  resolve: (template: unknown) => unknown,
): Result {
  const message = error === undefined ? undefined : resolve(error.message);
  return {
    output: null,
    way: wayToEnd(status),
    isWithoutLetter: !deadLetter,
    ...(error !== undefined && {
      error: { code: error.code, message: typeof message === 'string' ? message : jsonText(message) },
    }),
  };
}

/** Starts a delay, or returns the recorded end of a started one, which is always the same. */
export async function beginDelay(deps: EngineDependencies, input: StepInput): Promise<BegunDelay> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { way: known.way };
  if (known !== undefined && known.until !== null) {
    await recordWaiting(deps.pool, input);
    return { until: known.until.getTime() };
  }
  const startedAt = deps.clock();
  const loaded = await loadStep(deps, input, startedAt);
  const { step, run } = loaded;
  let until: Date;
  try {
    refuseTooMany(run);
    if (isLeftOut(deps, loaded)) {
      await recordEnd(deps, input, { type: step.type, status: 'skipped', way: wayTo(step.next), startedAt });
      return { way: wayTo(step.next) };
    }
    until = endOfDelay(deps, loaded, startedAt);
  } catch (failure) {
    const end = failedEnd(step, stepFailure(deps, loaded, failure));
    await recordEnd(deps, input, { ...end, startedAt });
    return { way: end.way };
  }
  const record = jsonText({ until });
  await recordBeginning(deps.pool, input, { type: step.type, status: 'waiting', input: record, until, startedAt });
  await recordWaiting(deps.pool, input);
  return { until: until.getTime() };
}

const dateTime = z.iso.datetime({ offset: true });

function endOfDelay({ expressions }: EngineDependencies, { step, context }: Loaded, now: Date): Date {
  if (step.type !== 'delay') throw new Error(`${step.id} is not a delay`);
  if (step.until === undefined) return new Date(now.getTime() + (step.forMs ?? 0));
  const text = expressions.resolve(step.until, context);
  const read = dateTime.safeParse(text);
  if (!read.success) throw new StepFailed('EXPRESSION', 'until: must be a date-time such as 2026-01-31T12:00:00Z');
  const until = new Date(read.data);
  if (until.getTime() > now.getTime() + WORKFLOW_BOUNDS.waitMs)
    throw new StepFailed('EXPRESSION', 'until: must be at most 365 days away');
  return until;
}

/** Ends a delay whose time has come. */
export async function endDelay(deps: EngineDependencies, input: StepInput): Promise<Taken> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { way: known.way };
  const loaded = await loadStep(deps, input, deps.clock());
  const work = (): Result => ({ output: { resumedAt: deps.clock() } });
  const end = await endOfStep(deps, loaded, work, { hasBegun: true });
  await recordEnd(deps, input, end);
  return { way: end.way };
}
