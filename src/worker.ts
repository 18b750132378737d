import { Worker } from '@temporalio/worker';
import { createActivities, createDrainActivities } from '../activities/index.ts';
import { untilReachable } from './db/until-reachable.ts';
import { createFaults, releaseAllHeld } from './deliveries/faults.ts';
import { createRecorder } from './deliveries/recorder.ts';
import type { Dependencies } from './dependencies.ts';
import { createAdmission } from './dispatch/admission.ts';
import { capacityOf } from './dispatch/capacity.ts';
import { createCircuits } from './dispatch/circuit-store.ts';
import { startDispatcher } from './dispatch/dispatcher.ts';
import { createDrain } from './dispatch/drain.ts';
import { createFirstTries } from './dispatch/first-tries.ts';
import { beginIncarnation } from './dispatch/incarnation.ts';
import { startLastChances } from './dispatch/last-chances.ts';
import { createPaced } from './dispatch/pace.ts';
import { abandonCarriers, reconcileDeliveries, restAfterLook } from './dispatch/reconciler.ts';
import { startReportingConcurrency } from './dispatch/report-concurrency.ts';
import { startPublishingScheduled } from './dispatch/publish-scheduled.ts';
import { createPublishDue } from './messages/publish-due.ts';
import { readMachine } from './machine.ts';
import { createWebhookSender } from './outbound/post-webhook.ts';
import type { LateHandOver } from './shared/hand-over.ts';
import { incarnationTaskQueue, TASK_QUEUE, WORKFLOW_TYPES } from './shared/temporal-names.ts';
import { VERSION } from './shared/version.ts';
import { createCarriers } from './temporal/carriers.ts';
import { connectToTemporal, installRuntime, type TemporalSettings } from './temporal/connection.ts';
import { furnish } from './temporal/furnish.ts';
import { createStartReplay } from './temporal/start-replay.ts';
import { createStartDrain } from './temporal/start-drain.ts';
import { createStartDelivery } from './temporal/start-delivery.ts';
import { workflowBundle } from './temporal/workflow-bundle.ts';

// A try takes at most 30 s (timeoutMs) and its recording; a worker that drains lets it end.
const DRAIN_MS = 35_000;
// With PostgreSQL away a result cannot be recorded: the process ends all the same, and the try is made again elsewhere.
const FORCE_MS = 40_000;
// Beside the workflow tasks of local first tries, each of which lasts as long as its try.
const OTHER_WORKFLOW_TASKS = 40;
// The SDK would send one every 4 s (0.8 of the 5 s timeout): a process that pauses for a second then counts as dead, and a try
// that takes long is made twice. Of those only: at most 250 a second with all places taken.
const HEARTBEAT_AT_MOST_EVERY_MS = 2_000;
// How often it is looked whether Temporal still has what we need; a lost store is made good within this time.
const FURNISH_EVERY_MS = 15_000;
// A server that hangs would otherwise keep that look for ever and seem healthy; less than the time between two of them.
const FURNISH_WITHIN_MS = 10_000;

export type RunningWorker = {
  /** Whether the last look at Temporal succeeded. */
  isHealthy(): boolean;
  /** Settles, with the reason, when it delivers no more and cannot go on: its process is to end and be started again. */
  failed: Promise<string>;
  /** Drains: no new tries, those under way end and are recorded. */
  stop(): Promise<void>;
};

/**
 * Everything a worker process does: dispatching, the Temporal worker with its activities, the reconciler at start and the
 * watch over Temporal's furniture. Ready when this returns: a no-op has warmed it up.
 */
export async function startWorker(
  deps: Dependencies,
  settings: TemporalSettings,
  { taskQueue = TASK_QUEUE, handOver }: { taskQueue?: string; handOver?: LateHandOver } = {},
): Promise<RunningWorker> {
  const { log, pool, newId, config, filters } = deps;
  installRuntime(log);
  const { connection, client, close } = await connectToTemporal(settings);
  const furnishing = { namespace: settings.namespace, taskQueue, log };
  let furniture = await furnish(client, furnishing);
  if (furniture.isNewStore) await abandonCarriers(pool);

  const recorder = createRecorder(deps);
  const faults = createFaults({ pool, log, now: Date.now });
  const incarnation = await beginIncarnation(pool, newId('incarnation'), log);
  const drainTaskQueue = incarnationTaskQueue(taskQueue, incarnation.id);
  let wake = (): void => {};
  const circuits = createCircuits(pool);
  const admission = createAdmission({ now: Date.now, workers: incarnation.workers, circuits, log });
  const capacity = capacityOf(readMachine(), config.deliveriesInFlight);
  const { slots } = capacity;
  const firstTries = createFirstTries({ now: () => performance.now(), onRoom: () => wake(), admission, slots });
  const sender = createWebhookSender({
    guard: deps.guard,
    version: VERSION,
    maxConnections: capacity.requests + slots,
  });
  const stopping = new AbortController();
  const reconciling = { pool, log, carriers: createCarriers(client), paced: createPaced(restAfterLook) };
  const worker = await Worker.create({
    connection,
    namespace: settings.namespace,
    taskQueue,
    workflowBundle: await workflowBundle(),
    activities: createActivities({
      ...deps,
      ...reconciling,
      sender,
      firstTries,
      recorder,
      faults,
      admission,
      filters,
      stopping: stopping.signal,
    }),
    maxConcurrentLocalActivityExecutions: slots,
    maxConcurrentActivityTaskExecutions: slots,
    maxConcurrentWorkflowTaskExecutions: slots + OTHER_WORKFLOW_TASKS,
    shutdownGraceTime: DRAIN_MS,
    shutdownForceTime: FORCE_MS,
    maxHeartbeatThrottleInterval: HEARTBEAT_AT_MOST_EVERY_MS,
  });
  const drain = createDrain({
    pool,
    sender,
    recorder,
    faults,
    admission,
    log,
    keyRing: deps.keyRing,
    clock: deps.clock,
    incarnationId: incarnation.id,
    capacity,
    observe: firstTries.observe,
    onRoom: () => wake(),
  });
  const drainWorker = await Worker.create({
    connection,
    namespace: settings.namespace,
    taskQueue: drainTaskQueue,
    activities: createDrainActivities({ drain }),
    maxConcurrentActivityTaskExecutions: 2,
    maxConcurrentActivityTaskPolls: 1,
    shutdownGraceTime: DRAIN_MS,
    shutdownForceTime: FORCE_MS,
    maxHeartbeatThrottleInterval: HEARTBEAT_AT_MOST_EVERY_MS,
  });
  const running = Promise.all([worker.run(), drainWorker.run()]);
  const failed = new Promise<string>((resolve) => {
    running.catch((error: unknown) => {
      log.error({ err: error }, 'the Temporal worker stopped');
      resolve('the Temporal worker stopped');
    });
  });

  await client.workflow.execute(WORKFLOW_TYPES.warmUp, { workflowId: `warm-up/${incarnation.id}`, taskQueue });
  await reconcileDeliveries(reconciling, () => {});
  // Mended code, and the right keys, come with a new process.
  const released = await releaseAllHeld(pool);
  if (released > 0)
    log.info({ deliveries: released }, 'this worker tries again at once what a fault of the service had held');

  const startDelivery = createStartDelivery(client, { taskQueue, isSearchable: () => furniture.isSearchable });
  const dispatcher = startDispatcher({
    pool,
    log,
    firstTries,
    drain,
    admission,
    incarnationId: incarnation.id,
    threshold: config.deliveryBurstThreshold,
    startDrain: createStartDrain(client, { taskQueue, drainTaskQueue, incarnationId: incarnation.id }),
    startDelivery,
    startReplay: createStartReplay(client, { taskQueue }),
  });
  wake = dispatcher.wake;
  const detach = handOver?.attach(dispatcher.handOver);
  const lastChances = startLastChances({
    pool,
    log,
    drain,
    startDelivery,
    incarnationId: incarnation.id,
    threshold: config.deliveryBurstThreshold,
    wake: dispatcher.wake,
  });
  const reporting = startReportingConcurrency({ pool, log, incarnationId: incarnation.id, gauges: admission.gauges });
  const publishDue = createPublishDue({ pool, log, filters, handOver: dispatcher.handOver });
  const scheduled = startPublishingScheduled({ publishDue, log });

  let isHealthy = true;
  let isStopped = false;
  const look = async (): Promise<void> => {
    try {
      const found = await client.withDeadline(Date.now() + FURNISH_WITHIN_MS, () => furnish(client, furnishing));
      furniture = found;
      isHealthy = true;
      if (!found.isNewStore) return;
      // Only this look finds it new, and what is started in it meanwhile would be abandoned too: not left to the next one.
      const abandoned = await untilReachable(
        () => abandonCarriers(pool),
        () => isStopped,
      );
      log.warn({ deliveries: abandoned }, "Temporal's store is new; what it carried is due again");
    } catch (error) {
      isHealthy = false;
      log.warn({ err: error }, 'Temporal could not be looked after');
    }
  };
  const watching = setInterval(() => void look(), FURNISH_EVERY_MS);

  return {
    isHealthy: () => isHealthy,
    failed,
    async stop() {
      isStopped = true;
      clearInterval(watching);
      detach?.();
      await scheduled.stop();
      await lastChances.stop();
      await dispatcher.stop();
      // Only now: what ends for this is tried again at once, by a worker that takes new tasks.
      stopping.abort();
      worker.shutdown();
      drainWorker.shutdown();
      await running.catch(() => {});
      await reporting.stop();
      await incarnation.end().catch((error: unknown) => {
        log.warn({ err: error }, 'the lease of this worker could not be ended; it runs out by itself');
      });
      await sender.close();
      await close();
    },
  };
}
