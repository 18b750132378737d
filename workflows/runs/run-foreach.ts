import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { OutlineStep } from '../../src/kernel/contract/run-outline.ts';
import { iterationOf, stepBehind } from '../../src/kernel/contract/run-workflow.ts';
import { local } from './run-local.ts';
import type { ChainEnd, TakeStep } from './run-state.ts';

type Foreach = OutlineStep & { type: 'foreach' };

/**
 * Takes the chain of the body once for each item, so many items at a time. An item that fails ends the loop unless its author says
 * otherwise; items under way are cut off then. A full history lets the items under way come to a step's end, and leaves the rest.
 */
export const takeForeach: TakeStep<Foreach> = async (run, { step, stepId, iteration }) => {
  const input = { ...run.input, stepId, iteration };
  const opened = await local(step.label).openLoop(input);
  if ('way' in opened) return opened.way;
  for (const [key, way] of Object.entries(opened.ways)) run.ways.set(key, way);

  /** The way out of the loop that an item has found. */
  let out: ChainEnd | undefined;
  const waiting = [...opened.unfinished];
  const scope = new CancellationScope();

  const takeItem = async (item: number): Promise<ChainEnd | undefined> => {
    const end = await run.walk(step.body, iterationOf(iteration, item));
    const isFailed = end === 'failure';
    if (!isFailed && (end === 'again' || stepBehind(end) === undefined)) return end;
    await local(`${step.label}: item ${item}`).endItem({ ...input, item, isFailed });
    return isFailed && step.onItemError === 'fail' ? end : undefined;
  };
  const takeItems = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined && out === undefined; item = waiting.shift()) {
      if (run.isFull()) {
        out = 'again';
        return;
      }
      const end = await takeItem(item);
      if (end === undefined) continue;
      out ??= end;
      // Others come to the end of their steps where only the history is full.
      if (end !== 'again') scope.cancel();
    }
  };
  await scope
    .run(() => Promise.all(Array.from({ length: step.concurrency }, () => takeItems().catch(unlessCut))))
    .catch(unlessCut);

  function unlessCut(failure: unknown): void {
    if (out === undefined || !isCancellation(failure)) throw failure;
  }
  if (out !== undefined && out !== 'failure') return out;
  return (await local(step.label).closeLoop(input)).way;
};
