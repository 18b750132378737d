import { activityInfo, heartbeat, sleep, ApplicationFailure, cancellationSignal } from '@temporalio/activity';
import {
  REPLAY_KINDS,
  type ReplayActivities,
  type ReplayInput,
  type ReplayKind,
} from '../src/kernel/contract/replays.ts';
import { runBatch } from '../src/delivery/replays/batches.ts';
import type { Clock } from '../src/platform/dependencies.ts';
import type { ReplayDependencies } from '../src/delivery/replays/kind.ts';
import {
  type Reconciled,
  type ReconcilerDependencies,
  reconcileOverdue,
} from '../src/delivery/queue/recovery/reconciler.ts';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import * as runStore from '../src/delivery/retention/run-store.ts';
import * as store from '../src/delivery/retention/retention-store.ts';
import { progressFrom, type RetentionProgress } from '../src/kernel/contract/retention.ts';
import { FAILURE_TYPES } from '../src/kernel/contract/temporal-names.ts';
import { retentionLimits } from '../src/kernel/rules/resource-bounds.ts';

type RetentionDependencies = {
  pool: Pool;
  clock: Clock;
  log: Logger;
  /** Aborted when this worker stops: a pass may take hours and continues in another worker. */
  stopping: AbortSignal;
};

// The worker sends at most one every 2 s (start-worker.ts); on a busy machine one batch may take longer than that.
const HEARTBEAT_EVERY_MS = 1_000;
const RETRY_ELSEWHERE_MS = 3_000;

/** Retention as an activity, so that its passes are visible in the Temporal UI. */
export function createRetentionActivities({ pool, clock, log, stopping }: RetentionDependencies) {
  /**
   * Called before each batch. Pauses as long as the last one took, so that retention uses at most half of one
   * connection.
   */
  const takeTurn = async (batchMs: number): Promise<void> => {
    // Throws once the pass is cancelled.
    if (batchMs > 0 || cancellationSignal().aborted) await sleep(batchMs);
    // Checked after the pause, which may be long, so that a stopping worker does not start another batch.
    if (stopping.aborted) {
      throw ApplicationFailure.create({
        type: FAILURE_TYPES.workerStopping,
        message: 'the worker is stopping; another one continues',
        // By then this worker no longer polls for tasks. A task assigned to it before would be lost until it times out.
        nextRetryDelay: RETRY_ELSEWHERE_MS,
        category: ApplicationFailureCategory.BENIGN,
      });
    }
  };

  /** Repeats `take` until it returns that its page was the last one. */
  const untilLast = async (take: () => Promise<boolean>): Promise<void> => {
    for (let isLast = false; !isLast; ) {
      await takeTurn(0);
      isLast = await take();
    }
  };

  return {
    /**
     * One pass over every channel: deletes messages older than the channel's `retentionDays`, in batches, then runs
     * that have finished longer ago than their app's, and finally deleted subscriptions and channels with nothing left.
     * Resumes where an earlier attempt of the same pass stopped; its heartbeat shows the progress. Can be interrupted
     * anywhere and repeated safely. Returns the numbers removed.
     */
    async removeExpired(): Promise<RetentionProgress> {
      const now = clock();
      const limits = retentionLimits(now);
      const progress = progressFrom(activityInfo().heartbeatDetails);
      heartbeat(progress);
      const beating = setInterval(() => heartbeat({ ...progress }), HEARTBEAT_EVERY_MS);

      const removeFrom = async (channels: readonly store.ExpiredChannel[]): Promise<void> => {
        let left: store.Removal | undefined = { channels, after: '' };
        let batchMs = 0;
        while (left !== undefined) {
          await takeTurn(batchMs);
          const startedAt = performance.now();
          const batch: store.RemovedBatch = await store.removeBatch(pool, left);
          batchMs = performance.now() - startedAt;
          for (const name of ['messages', 'kept', 'deliveries', 'attempts', 'deadLetters'] as const)
            progress[name] += batch[name];
          ({ left } = batch);
          progress.position = channels[channels.length - (left?.channels.length ?? 0) - 1]?.id ?? progress.position;
        }
      };

      const removeRunsOf = async (expired: runStore.ExpiredRuns): Promise<void> => {
        let after: string | undefined = '';
        let batchMs = 0;
        while (after !== undefined) {
          await takeTurn(batchMs);
          const startedAt = performance.now();
          const batch: Awaited<ReturnType<typeof runStore.removeRunBatch>> = await runStore.removeRunBatch(pool, {
            ...expired,
            after,
          });
          batchMs = performance.now() - startedAt;
          for (const name of ['runs', 'steps', 'deadLetters'] as const) progress[name] += batch[name];
          after = batch.last;
        }
        progress.environment = expired.environmentId;
      };

      try {
        await untilLast(async () => {
          const page = await store.expiredChannels(pool, { after: progress.position, limits });
          if (page.channels.length > 0) await removeFrom(page.channels);
          return page.isLast;
        });
        await untilLast(async () => {
          const batch = await store.removeCancelled(pool, now);
          progress.messages += batch.messages;
          return batch.isLast;
        });
        await untilLast(async () => {
          const page = await runStore.environmentsToPass(pool, { after: progress.environment, now });
          for (const expired of page.environments) await removeRunsOf(expired);
          return page.isLast;
        });
        progress.subscriptions += await store.removeDeletedSubscriptions(pool, now);
        progress.channels += await store.removeDeletedChannels(pool, now, log);
        const isIdle = progress.messages + progress.runs + progress.subscriptions + progress.channels === 0;
        log[isIdle ? 'debug' : 'info'](progress, 'removed expired data');
        return progress;
      } finally {
        clearInterval(beating);
      }
    },
  };
}

/** The reconciler as an activity, so that its passes are visible in the Temporal UI. */
export function createReconcileActivities(deps: ReconcilerDependencies) {
  return {
    /** Runs one pass; see `reconcileDeliveries`. */
    reconcile: (): Promise<Reconciled> => reconcileOverdue(deps, () => heartbeat()),
  };
}

// A third of the heartbeat timeout, so that waiting for the rate limit does not look like a dead worker.
const LOOK_EVERY_MS = 3_000;

/**
 * The activity of every kind of replay. It can be repeated: each batch and its position are committed in one
 * transaction.
 */
export function createReplayActivities(deps: ReplayDependencies & { clock: Clock }): ReplayActivities {
  /** Runs batch after batch until none is left or the replay is cancelled; its heartbeat shows the counts. */
  const run = async (kind: ReplayKind, id: string): Promise<void> => {
    const carrier = activityInfo().workflowExecution?.workflowId ?? '';
    for (;;) {
      const { isFinished, waitMs, counts } = await runBatch(deps, { kind, id, carrier, now: deps.clock() });
      heartbeat(counts);
      if (isFinished) return;
      for (let left = waitMs; left > 0; left -= LOOK_EVERY_MS) {
        await sleep(Math.min(left, LOOK_EVERY_MS));
        heartbeat(counts);
      }
    }
  };
  const activityOf = (kind: ReplayKind) => (input: ReplayInput) => run(kind, input[REPLAY_KINDS[kind].idField] ?? '');
  return {
    replayDeadLetterBatches: activityOf('replayDeadLetters'),
    replayMessageBatches: activityOf('replayMessages'),
    retryDeliveryBatches: activityOf('retryDeliveries'),
  };
}
