import type { Pool } from 'pg';
import type { RunInput, StepInput } from '../../kernel/contract/run-workflow.ts';
import { parsePayload } from '../../messaging/filters/payload.ts';
import type { PlannedStep } from '../definitions/configs/planned.ts';
import type { RunContext, StepResult } from '../expressions/expressions.ts';
import { readJsonText } from './json-text.ts';
import { type CarriedRun, readEnded, readItem, readRun, type Sample, type StepRow } from './load-store.ts';
import type { Plans, ReadyPlan } from './plans.ts';

/** Everything needed to evaluate a step. */
export type Loaded = { run: CarriedRun; ready: ReadyPlan; step: PlannedStep; context: RunContext };

/** Reads a run and builds the context of one of its steps. Throws RunSuperseded if the round is over. */
export async function loadStep(
  { pool, plans, sample }: { pool: Pool; plans: Plans; sample?: Sample | undefined },
  input: StepInput,
  now: Date,
): Promise<Loaded> {
  const run = { ...(await readRun(pool, input)), ...sample };
  const ready = await plans(run);
  const step = ready.steps.get(input.stepId);
  if (step === undefined) throw new Error(`Version ${run.version} of ${run.workflowId} has no step ${input.stepId}`);
  const loops = ready.loopsAround.get(step.id) ?? [];
  const rows = await readSeen(pool, ready, { runId: run.id, iteration: input.iteration, loops });
  const { item, index } = await itemOf(pool, run.id, ready, input);
  return { run, ready, step, context: contextOf({ run, ready, rows, item, index, now }) };
}

/**
 * Returns the finished steps that a step of this iteration can read, in order. Items of different loops can have the
 * same iteration, so steps in loops are only included if all their loops are in `loops`, those around the reading step.
 */
export async function readSeen(
  pool: Pool,
  { loopsAround }: ReadyPlan,
  { runId, iteration, loops }: { runId: string; iteration: string; loops: readonly string[] },
): Promise<StepRow[]> {
  const rows = await readEnded(pool, runId, iteration);
  return rows.filter(({ stepId }) => (loopsAround.get(stepId) ?? []).every((loop) => loops.includes(loop)));
}

/** Returns the current item of the innermost loop around the step. */
async function itemOf(
  pool: Pool,
  runId: string,
  ready: ReadyPlan,
  { stepId, iteration }: StepInput,
): Promise<{ item: unknown; index: number }> {
  const loopId = ready.loopsAround.get(stepId)?.at(-1);
  if (loopId === undefined || iteration === '') return { item: null, index: -1 };
  return readLoopItem(pool, { runId, loopId, iteration });
}

/** Returns the item of a loop that an iteration refers to. */
export async function readLoopItem(
  pool: Pool,
  { runId, loopId, iteration }: { runId: string; loopId: string; iteration: string },
): Promise<{ item: unknown; index: number }> {
  const places = iteration.split('.');
  const index = Number(places.at(-1));
  const text = await readItem(pool, { runId, loopId, iteration: places.slice(0, -1).join('.'), item: index });
  return { item: text === undefined ? null : parsePayload(text), index };
}

export function contextOf({
  run,
  ready,
  rows,
  item,
  index,
  now,
}: {
  run: CarriedRun;
  ready: ReadyPlan;
  rows: readonly StepRow[];
  item: unknown;
  index: number;
  now: Date;
}): RunContext {
  const startedAt = (run.startedAt ?? now).toISOString();
  return {
    event: {
      id: run.messageId ?? '',
      eventType: run.eventType ?? '',
      channelId: run.channelId ?? '',
      payload: payloadOf(run),
      metadata: run.metadata ?? {},
      publishedAt: run.publishedAt?.toISOString() ?? startedAt,
    },
    // In the order of their numbers, so that within a loop the current item's result replaces the result of the same
    // step outside.
    steps: Object.fromEntries(rows.map((row) => [row.stepId, resultOf(row)])),
    vars: Object.fromEntries(rows.flatMap(assignedBy)),
    item,
    index,
    workflow: { id: run.workflowId, name: ready.name, version: run.version },
    run: { id: run.id, startedAt, now: now.toISOString(), test: run.isTrial === true },
  };
}

/** Returns a run and its context before the first step. Throws RunSuperseded if the round is over. */
export async function beginningOf(
  { pool, plans }: { pool: Pool; plans: Plans },
  input: RunInput,
  now: Date,
): Promise<{ run: CarriedRun; context: RunContext }> {
  const run = await readRun(pool, input);
  return { run, context: contextAtBeginning({ run, ready: await plans(run), now }) };
}

export const contextAtBeginning = (given: { run: CarriedRun; ready: ReadyPlan; now: Date }): RunContext =>
  contextOf({ ...given, rows: [], item: null, index: -1 });

/**
 * Returns the payload of the message, or the run's own input. Null if retention or erasure removed the message's
 * payload.
 */
function payloadOf({ messageId, payload, input }: CarriedRun): unknown {
  const text = messageId === null ? input : payload;
  return text === null ? null : parsePayload(text);
}

/** Returns the variables that a step has set. An object with a key `constructor` is parsed as a Map. */
function assignedBy({ assigned }: StepRow): [name: string, value: unknown][] {
  const read: unknown = assigned === null ? {} : parsePayload(assigned);
  // `as`: `assign` is an object.
  return read instanceof Map ? [...(read as Map<string, unknown>)] : Object.entries(read as object);
}

const resultOf = ({ status, output, errorCode, errorMessage, attempts }: StepRow): StepResult => ({
  // `as`: a step with a transition has one of these.
  status: status as StepResult['status'],
  output: output === null ? null : (readJsonText(output)?.value ?? null),
  error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
  attempts,
});
