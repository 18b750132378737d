import { createReconcileActivities } from '../../../activities/reconcile.ts';
import { releaseAllHeld } from '../../delivery/attempt/faults.ts';
import { createPaced } from '../../delivery/queue/recovery/pace.ts';
import { reconcileOverdue, restAfterLook } from '../../delivery/queue/recovery/reconciler.ts';
import { createRecordAudit } from '../../identity/tenancy/audit/record.ts';
import { reconcilerScheduleId, WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';
import type { WorkerContext } from './worker-context.ts';

// Half of the minute after which a delivery counts as overdue.
const RECONCILE_EVERY_MS = 30_000;

/** The reconciler: at every start of a worker, then by its schedule. `repairs` are done in each pass beside its own. */
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
      // Mended code, and the right keys, come with a new command. A message that kills its process would kill the next one at once.
      if (isReplacement) return { stop: async () => {} };
      const released = await releaseAllHeld(pool);
      if (released > 0)
        log.info(
          { deliveries: released },
          'released deliveries that a fault of the service had held; this worker tries them again at once',
        );
      return { stop: async () => {} };
    },
  };
}
