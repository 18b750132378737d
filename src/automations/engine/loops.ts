import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';
import {
  type ItemEnd,
  type OpenedLoop,
  type StepInput,
  type Taken,
  iterationOf,
  stepBehind,
  stepKey,
  wayTo,
} from '../../kernel/contract/run-workflow.ts';
import type { PlannedStep } from '../definitions/configs/planned.ts';
import { contextOf, type Loaded, loadStep, readLoopItem, readSeen } from './context.ts';
import { jsonText, readJsonText } from './json-text.ts';
import { readStep, readWays } from './load-store.ts';
import { type ItemRow, readFailureWithin, readItems, recordCut, recordPassedOver } from './loop-store.ts';
import { recordBeginning, recordEnd, refuseTooMany } from './record-store.ts';
import { stepsFrom } from './plans.ts';
import { StepFailed } from './step-failure.ts';
import { endOfStep, type EngineDependencies, failedEnd, isLeftOut, stepFailure } from './take-step.ts';

type Loop = PlannedStep & { type: 'foreach' };

const asLoop = (step: PlannedStep): Loop => {
  if (step.type !== 'foreach') throw new Error(`${step.id} is not a foreach step`);
  return step;
};

/**
 * Starts a loop, or continues it where an earlier round or history stopped. Its array is evaluated once and recorded,
 * so later changes do not affect the items.
 */
export async function openLoop(deps: EngineDependencies, input: StepInput): Promise<OpenedLoop> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { way: known.way };
  if (known !== undefined && known.input !== null) return standing(deps, input, itemsIn(known.input).length);
  const startedAt = deps.clock();
  const loaded = await loadStep(deps, input, startedAt);
  const { step, run } = loaded;
  let items: { count: number; text: string };
  try {
    refuseTooMany(run);
    if (isLeftOut(deps, loaded)) {
      await recordEnd(deps, input, { type: step.type, status: 'skipped', way: wayTo(step.next), startedAt });
      return { way: wayTo(step.next) };
    }
    items = listOf(deps, loaded);
  } catch (failure) {
    const end = failedEnd(step, stepFailure(deps, loaded, failure));
    await recordEnd(deps, input, { ...end, startedAt });
    return { way: end.way };
  }
  const { count, text } = items;
  await recordBeginning(deps.pool, input, { type: step.type, status: 'running', input: text, startedAt });
  return standing(deps, input, count);
}

/** Returns the number of items and their JSON. */
function listOf({ expressions }: EngineDependencies, { step, context }: Loaded): { count: number; text: string } {
  const { items, maxItems } = asLoop(step);
  const list = expressions.evaluate(items, context);
  if (!Array.isArray(list)) throw new StepFailed('EXPRESSION', 'items: must be an array');
  if (list.length > maxItems)
    throw new StepFailed('PAYLOAD_TOO_LARGE', `items: must have at most ${maxItems} items, not ${list.length}`);
  const text = jsonText(list);
  const bytes = Buffer.byteLength(text);
  if (bytes > WORKFLOW_BOUNDS.contextBytes)
    throw new StepFailed(
      'PAYLOAD_TOO_LARGE',
      `items: must have at most ${WORKFLOW_BOUNDS.contextBytes} bytes, not ${bytes}`,
    );
  return { count: list.length, text };
}

const itemsIn = (text: string): readonly unknown[] => {
  const list = readJsonText(text)?.value;
  return Array.isArray(list) ? list : [];
};

/** Returns the unfinished items and the progress of each. */
async function standing(deps: EngineDependencies, input: StepInput, items: number): Promise<OpenedLoop> {
  const ended = new Set((await readItems(deps.pool, input)).map(({ item }) => item));
  const unfinished = Array.from({ length: items }, (_, item) => item).filter((item) => !ended.has(item));
  const ways = await readWays(
    deps.pool,
    input.runId,
    unfinished.map((item) => iterationOf(input.iteration, item)),
  );
  return {
    items,
    unfinished,
    ways: Object.fromEntries(ways.map(({ stepId, iteration, way }) => [stepKey(stepId, iteration), way])),
  };
}

/** Records the end of one item: what it collects, or the failure of its step. */
export async function endItem(deps: EngineDependencies, { item, isFailed, ...input }: ItemEnd): Promise<void> {
  const itemInput = { ...input, iteration: iterationOf(input.iteration, item) };
  const known = await readStep(deps.pool, itemInput);
  if (known !== undefined && known.way !== null) return;
  const startedAt = deps.clock();
  const loaded = await loadStep(deps, input, startedAt);
  const { run, ready, step } = loaded;
  if (isFailed) {
    const error = await readFailureWithin(deps.pool, itemInput, stepsOf(loaded));
    await recordEnd(deps, itemInput, { type: 'item', status: 'failed', way: 'failure', error, startedAt });
    return;
  }
  const loops = [...(ready.loopsAround.get(step.id) ?? []), step.id];
  const rows = await readSeen(deps.pool, ready, { runId: input.runId, iteration: itemInput.iteration, loops });
  const present = await readLoopItem(deps.pool, {
    runId: input.runId,
    loopId: step.id,
    iteration: itemInput.iteration,
  });
  const context = contextOf({ run, ready, rows, ...present, now: startedAt });
  const { collect } = asLoop(step);
  // The item is not a step: `if`, `output` and `onError` belong to the loop.
  const end = await endOfStep(
    deps,
    { ...loaded, step: { ...withoutOutput(step), onError: 'fail', next: null } },
    () => ({ output: collect === undefined ? null : deps.expressions.evaluate(collect, context) }),
    { hasBegun: true },
  );
  await recordEnd(deps, itemInput, { ...end, type: 'item', startedAt });
}

function withoutOutput(step: PlannedStep): PlannedStep {
  const { output: _, ...rest } = step;
  return rest;
}

/** Ends a loop whose items have all ended, or of which one has failed; items in progress are then stopped. */
export async function closeLoop(deps: EngineDependencies, input: StepInput): Promise<Taken> {
  const known = await readStep(deps.pool, input);
  if (known !== undefined && known.way !== null) return { way: known.way };
  const loaded = await loadStep(deps, input, deps.clock());
  const items = await readItems(deps.pool, input);
  const end = await endOfStep(deps, loaded, () => ({ output: resultsOf(asLoop(loaded.step), items) }), {
    hasBegun: true,
  });
  const inner = stepsOf(loaded);
  if (end.status === 'failed') await recordCut(deps.pool, input, inner);
  await recordEnd(deps, input, end);
  // Includes the rows of its own items.
  if (stepBehind(end.way) !== undefined) await recordPassedOver(deps.pool, input, [...inner, loaded.step.id]);
  return { way: end.way };
}

/** The steps that its items execute. */
const stepsOf = ({ step, ready }: Loaded): string[] => [...stepsFrom(ready.plan, [asLoop(step).body])];

function resultsOf({ onItemError }: Loop, items: readonly ItemRow[]): unknown {
  const failed = items.filter(({ status }) => status === 'failed');
  const [first] = failed;
  if (first !== undefined && onItemError === 'fail')
    throw new StepFailed(first.errorCode ?? 'INTERNAL', `item ${first.item}: ${first.errorMessage ?? ''}`);
  return {
    // By item index, so that later steps can match results with items.
    results: items.map(({ status, output }) =>
      status === 'failed' || output === null ? null : readJsonText(output)?.value,
    ),
    failed: failed.map(({ item, errorCode, errorMessage }) => ({
      index: item,
      error: { code: errorCode, message: errorMessage },
    })),
  };
}
