import type { Logger } from 'pino';
import { stepKey } from '../../kernel/contract/run-workflow.ts';
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
import { WAKE_SIGNAL } from '../../kernel/contract/run-workflow.ts';

/**
 * Tells a run's Temporal workflow that one of its waiting steps may go on; one that is closed or unknown is left alone. Throws when
 * Temporal is out of reach.
 */
type WakeRun = (workflowId: string, stepKey: string) => Promise<void>;

// A signal answers in a few ms.
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

// All workers together look so often for notes and waits whose notification was lost.
const POLL_MS = 500;
// Temporal workflows that are told at a time.
const TOLD_AT_ONCE = 50;

type WakingDependencies = RoutingDependencies & {
  log: Logger;
  wakeRun: WakeRun;
  /** Ms until this process's turn of a look that all make every so many ms. */
  lookInMs(everyMs: number): number;
};

/**
 * Gives messages to the runs that wait for them and tells the runs, until `stop`, which waits for the work under way. Runs that a message
 * cancels, and those that nobody waits for any more, are cancelled. A run that nobody carries at this moment finds its message when it
 * goes on.
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
