import { createRunActivities, createScheduledRunActivities } from '../../../activities/run-steps.ts';
import { createAccessTokens, createOpenConnection } from '../../automations/connections/access-tokens.ts';
import { createAdmit, leaveGate } from '../../automations/starting/admit.ts';
import { removeEnded, removeOver } from '../../automations/starting/gate-store.ts';
import { cancelCutApprovals } from '../../automations/engine/waits/approval-store.ts';
import { createConnectorAction } from '../../automations/engine/actions/connector-action.ts';
import { createHttpAction } from '../../automations/engine/actions/http-action.ts';
import { endRun } from '../../automations/engine/rounds.ts';
import { createPlans } from '../../automations/engine/plans.ts';
import { createLookBack } from '../../automations/engine/waits/look-back.ts';
import { createPublishAction, type PublishForRun } from '../../automations/engine/actions/publish-action.ts';
import { createStepExpressions } from '../../automations/expressions/expressions.ts';
import { findVersion } from '../../automations/definitions/store.ts';
import { forgetSynced } from '../../automations/schedules/store.ts';
import { syncSchedules } from '../../automations/schedules/sync.ts';
import { createOpenSecrets } from '../../automations/secrets/open-secrets.ts';
import { abandonRuns, releaseRunsOfDead } from '../../automations/starting/due-store.ts';
import { reconcileRuns } from '../../automations/starting/reconcile.ts';
import { startStartingRuns } from '../../automations/starting/starting-loop.ts';
import { removeEndedWaits } from '../../automations/waking/heard-store.ts';
import { startWakingRuns, createWakeRun } from '../../automations/waking/waking-loop.ts';
import { DUE_RUNS_CHANNEL } from '../../platform/db/waking.ts';
import { listenForDue } from '../../delivery/queue/loop/listen-for-due.ts';
import { VERSION } from '../../kernel/words/version.ts';
import type { BeginByServiceEvents } from '../../messaging/publishing/begin-by-service-events.ts';
import { createRequestSender } from '../../platform/outbound/send-request.ts';
import { createSchedules } from '../../automations/schedules/temporal-schedules.ts';
import { createCancelRun, createStartRun } from '../../automations/starting/start-run.ts';
import type { WorkerContext } from './worker-part.ts';

/**
 * Runs of workflows: started, executed and reconciled. `repair` is part of each pass of the reconciler. `abandon` is for a new Temporal
 * store. `publish` publishes for the action of that name, and `beginByServiceEvents` starts runs for service events. `slots` is the
 * number of concurrent activities of this worker.
 */
export function automationsPart(
  {
    pool,
    log,
    clock,
    newId,
    db,
    keyRing,
    guard,
    crashes,
    client,
    carriers,
    taskQueue,
    isSearchable,
    incarnation,
    meters,
    filters,
  }: WorkerContext,
  {
    publish,
    beginByServiceEvents,
    slots,
  }: { publish: PublishForRun; beginByServiceEvents: BeginByServiceEvents; slots: number },
) {
  const observe = meters?.runs;
  const schedules = createSchedules(client, { taskQueue, clock });
  const expressions = createStepExpressions();
  const openSecrets = createOpenSecrets({ pool, keyRing, clock });
  const sender = createRequestSender({ guard, version: VERSION, clock });
  const plans = createPlans((workflowId, version) => findVersion(db, workflowId, version));
  return {
    async repair(): Promise<void> {
      await reconcileRuns({ pool, log, carriers, observe });
      await removeEndedWaits(pool);
      await cancelCutApprovals(pool);
      await removeEnded(pool);
      await removeOver(pool);
    },
    async abandon(): Promise<void> {
      await abandonRuns(pool);
      await forgetSynced(pool);
    },
    /** Releases the claims of workers that have died. */
    async takeOver(): Promise<void> {
      const runs = await releaseRunsOfDead(pool, incarnation.id);
      if (runs > 0) log.info({ runs }, 're-queued runs that a dead worker had claimed but not started');
    },
    /** Updates the schedules in Temporal that were changed. */
    syncSchedules: () => syncSchedules({ pool, log, clock, schedules, crashes }),
    activities: {
      ...createScheduledRunActivities({ pool, newId, isSearchable, schedules, crashes }),
      ...createRunActivities({
        pool,
        observe,
        log,
        clock,
        plans,
        expressions,
        lookBack: createLookBack({ pool, expressions, filters }),
        newId,
        carriers,
        crashes,
        http: createHttpAction({ sender, expressions, openSecrets }),
        publish: createPublishAction({ publish, expressions }),
        connector: createConnectorAction({
          sender,
          expressions,
          openSecrets,
          openConnection: createOpenConnection({
            pool,
            keyRing,
            clock,
            accessTokens: createAccessTokens({ pool, keyRing, clock, log, sender }),
          }),
        }),
      }),
    },
    async begin() {
      const starting = startStartingRuns({
        pool,
        log,
        holder: incarnation.id,
        slots,
        admit: createAdmit({ pool, clock, plans, expressions }),
        startRun: createStartRun(client, { taskQueue, isSearchable }),
        cancelRun: createCancelRun(client),
        carriers,
        crashes,
        async endDeadly({ runId, round }, message) {
          const error = { code: 'CRASHED', message };
          const { hasGate } = await endRun({ pool, observe }, { runId, round, status: 'failed', error });
          if (hasGate) await leaveGate(pool, runId);
        },
        observe,
        lookInMs: incarnation.lookInMs,
      });
      const waking = startWakingRuns({
        pool,
        log,
        plans,
        expressions,
        filters,
        beginByServiceEvents,
        crashes,
        wakeRun: createWakeRun(client),
        lookInMs: incarnation.lookInMs,
      });
      const wake = (): void => {
        starting.wake();
        waking.wake();
      };
      const listening = listenForDue(pool, log, { channel: DUE_RUNS_CHANNEL, onBegin: wake, onNotice: wake });
      return {
        async stop() {
          await listening.stop();
          await Promise.all([starting.stop(), waking.stop()]);
        },
      };
    },
    end: () => sender.close(),
  };
}
