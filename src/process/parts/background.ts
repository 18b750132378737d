import {
  createReconcileActivities,
  createReplayActivities,
  createRetentionActivities,
} from '../../../activities/background.ts';
import { releaseAllHeld } from '../../delivery/attempt/faults.ts';
import { createPaced } from '../../delivery/queue/recovery/pace.ts';
import { reconcileOverdue, restAfterLook } from '../../delivery/queue/recovery/reconciler.ts';
import { createRecordAudit } from '../../identity/tenancy/audit/record.ts';
import { reconcilerScheduleId, WORKFLOW_TYPES, retentionScheduleId } from '../../kernel/contract/temporal-names.ts';
import type { WorkerContext } from './worker-part.ts';
import {
  abandonReplays,
  pendingReplays,
  restartLostReplays,
  createStartReplay,
} from '../../delivery/replays/batches.ts';
import { storePublications } from '../../delivery/record/statements/publish.ts';
import { startPublishingScheduled } from '../../messaging/scheduling/due/publishing-loop.ts';
import { createPublishDue } from '../../messaging/scheduling/due/publish-due.ts';
import type { HandOver } from '../../messaging/publishing/hand-over.ts';
import { startMerging } from '../../insight/stats/merging.ts';

/** Statistics: merged outside the dispatcher, which never waits for them. */
export const statsPart = ({ pool, log, incarnation }: WorkerContext) => ({
  begin: async () => startMerging({ pool, log, lookInMs: incarnation.lookInMs }),
});

/** Publishes scheduled messages that are due. */
export function schedulingPart(
  { pool, log, filters, newId, clock, publishingConfigs: configs, crashes, incarnation: workers }: WorkerContext,
  { handOver }: { handOver: HandOver },
) {
  const publishDue = createPublishDue({
    pool,
    log,
    filters,
    configs,
    crashes,
    storePublications,
    handOver,
    newId,
    clock,
  });
  return { begin: async () => startPublishingScheduled({ publishDue, log, workers }) };
}

// Retention is counted in days. Twice an hour, so that a service that does not run all day gets a pass as well.
const RETENTION_EVERY_MS = 30 * 60_000;

/** Removes what has expired, on a schedule. */
export const retentionPart = (context: WorkerContext) => ({
  activities: createRetentionActivities(context),
  schedules: [
    {
      scheduleId: retentionScheduleId(context.taskQueue),
      everyMs: RETENTION_EVERY_MS,
      workflowType: WORKFLOW_TYPES.removeExpired,
    },
  ],
});

/**
 * Replays of every kind. `startPending` is a maintenance task of the dispatcher, which publishes and retries wake up; `restartLost` is
 * part of each pass of the reconciler. `abandon` is for a new Temporal store.
 */
export function replaysPart({ pool, client, taskQueue, filters, carriers, clock }: WorkerContext) {
  const startReplay = createStartReplay(client, { taskQueue });
  return {
    activities: createReplayActivities({ pool, filters, clock }),
    startPending: async (): Promise<void> => {
      for (const replay of await pendingReplays(pool)) await startReplay(replay);
    },
    restartLost: () => restartLostReplays({ pool, carriers }),
    abandon: () => abandonReplays(pool),
  };
}

// Half of the minute after which a delivery counts as overdue.
const RECONCILE_EVERY_MS = 30_000;

/** The reconciler: runs at every start of a worker, then on its schedule. `repairs` are additional steps of each pass. */
export function recoveryPart(
  { pool, log, carriers, taskQueue, isReplacement, newId, clock }: WorkerContext,
  { repairs }: { repairs: readonly (() => Promise<void>)[] },
) {
  const record = createRecordAudit({ newId, clock });
  const reconciling = { pool, log, carriers, record, paced: createPaced(restAfterLook), repairs };
  return {
    activities: createReconcileActivities(reconciling),
    schedules: [
      {
        scheduleId: reconcilerScheduleId(taskQueue),
        everyMs: RECONCILE_EVERY_MS,
        workflowType: WORKFLOW_TYPES.reconcileDeliveries,
      },
    ],
    async begin() {
      await reconcileOverdue(reconciling, () => {});
      // Fixed code and the right keys come only with a new start of the command. A message that crashes its process would crash the
      // next one at once.
      if (isReplacement) return { stop: async () => {} };
      const released = await releaseAllHeld(pool);
      if (released > 0)
        log.info(
          { deliveries: released },
          'released deliveries that were on hold after an internal error; this worker retries them now',
        );
      return { stop: async () => {} };
    },
  };
}
