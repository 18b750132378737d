import type { Logger } from 'pino';
import { stepKey, WAKE_SIGNAL } from '../../kernel/contract/run-workflow.ts';
import { isWatch } from '../definitions/plan/events.ts';
import { type Looking, startLooking } from '../../platform/db/waking.ts';
import {
  cancelByMessage,
  cancelChildrenOfCut,
  claimWakes,
  nextWakeInMs,
  recordTold,
  releaseWakes,
} from './heard-store.ts';
import { createRouteHeard, type RoutingDependencies } from './route-heard.ts';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/**
 * Signals a run's Temporal workflow that one of its waiting steps may continue; does nothing if it is closed or
 * unknown. Throws if Temporal is unreachable.
 */
type WakeRun = (workflowId: string, stepKey: string) => Promise<void>;

// A signal usually takes a few milliseconds.
const DEADLINE_MS = 5_000;

export const createWakeRun =
  (client: Client): WakeRun =>
  async (workflowId, stepKey) => {
    try {
      await client.withDeadline(Date.now() + DEADLINE_MS, () =>
        client.workflow.getHandle(workflowId).signal(WAKE_SIGNAL, stepKey),
      );
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };

// Interval across all workers for finding queue entries and waits whose notification was lost.
const POLL_MS = 500;
// Temporal workflows signalled at a time.
const TOLD_AT_ONCE = 50;

type WakingDependencies = RoutingDependencies & {
  log: Logger;
  wakeRun: WakeRun;
  /** Milliseconds until this process's turn of a poll that the workers share, each `everyMs` in total. */
  lookInMs(everyMs: number): number;
};

/**
 * Assigns messages to the runs that wait for them and wakes these runs, until `stop`, which waits for work in progress.
 * Also cancels runs that a message cancels, and child runs that are no longer needed. A run without a Temporal workflow
 * finds its message when it continues.
 */
export function startWakingRuns(deps: WakingDependencies): Looking {
  const { pool, log, lookInMs, wakeRun } = deps;
  const routeHeard = createRouteHeard(deps);
  const tell = async (): Promise<boolean> => {
    const wakes = await claimWakes(pool, TOLD_AT_ONCE);
    if (wakes.length === 0) return false;
    const watches = wakes.filter(({ stepId }) => isWatch(stepId));
    if (watches.length > 0) await cancelByMessage(pool, watches);
    const cut = wakes.filter(({ isCut }) => isCut);
    if (cut.length > 0) await cancelChildrenOfCut(pool, cut);
    const told = await Promise.allSettled(
      wakes.map(({ carrier, isCut, stepId, iteration }) =>
        carrier === null || isCut || isWatch(stepId) ? Promise.resolve() : wakeRun(carrier, stepKey(stepId, iteration)),
      ),
    );
    const failed = wakes.filter((_, index) => told[index]?.status === 'rejected');
    await recordTold(
      pool,
      wakes.filter((wake) => !failed.includes(wake)),
    );
    if (failed.length > 0) {
      await releaseWakes(pool, failed);
      throw told.find((each) => each.status === 'rejected')?.reason;
    }
    return wakes.length === TOLD_AT_ONCE;
  };

  return startLooking({
    log,
    what: 'runs that wait for messages',
    async look() {
      const inMs = await nextWakeInMs(pool);
      if (inMs === undefined || inMs > 0) return { ms: Math.min(inMs ?? Infinity, lookInMs(POLL_MS)) };
      const isMore = await routeHeard();
      return { ms: (await tell()) || isMore ? 0 : lookInMs(POLL_MS) };
    },
  });
}
