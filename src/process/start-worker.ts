import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { capacityOf } from '../delivery/limits/capacity.ts';
import { beginIncarnation, type Incarnation } from '../delivery/queue/recovery/incarnation.ts';
import { abandonCarriers } from '../delivery/queue/recovery/reconciler.ts';
import { type LateHandOver, noHandOver } from '../messaging/publishing/hand-over.ts';
import { type Publishing, createPublishing } from '../messaging/publishing/service.ts';
import { incarnationTaskQueue, TASK_QUEUE, WORKFLOW_TYPES } from '../kernel/contract/temporal-names.ts';
import { readMachine } from '../platform/machine.ts';
import { createCarriers } from '../platform/temporal/starts.ts';
import {
  connectToTemporal,
  installRuntime,
  type TemporalConnection,
  type TemporalSettings,
} from '../platform/temporal/connection.ts';
import { checkCodecKeys } from '../platform/temporal/codec.ts';
import { UntimedWorker, workflowBundle } from '../platform/temporal/worker.ts';
import type { Outages } from '../platform/outages.ts';
import type { ProcessDependencies } from './assembly/create-dependencies.ts';
import { automationsPart } from './parts/automations.ts';
import { deliveriesPart } from './parts/deliveries.ts';
import { recoveryPart, replaysPart, retentionPart, schedulingPart, statsPart } from './parts/background.ts';
import { createBeginByServiceEvents } from '../messaging/publishing/begin-by-service-events.ts';
import { keepFurnished } from './keep-furnished.ts';
import { watchTemporal } from './watch-servers.ts';
import { type WorkerContext, activitiesOf, type Loop, type WorkerPart } from './parts/worker-part.ts';
import { storePublications } from '../delivery/record/statements/publish.ts';
import { ExactJson, stringifyExact } from '../kernel/values/exact-json.ts';
import type { PublishForRun } from '../automations/engine/actions/publish-action.ts';
import { checkJson } from '../api/http/reading/json-guard.ts';
import { parseInput } from '../api/http/reading/validate.ts';
import { publishMessageBody } from '../messaging/publishing/schema.ts';
import { createSchemas } from '../messaging/schemas/schemas.ts';
import { NotReady } from '../kernel/errors.ts';
import type { ReadinessCheck } from '../platform/readiness/readiness.ts';

/** Publishing in a worker without an API: deliveries of its messages wait to be claimed, and streams find the messages by themselves. */
function createWorkerPublishing(deps: ProcessDependencies): Publishing {
  const { filters, publishingConfigs: configs } = deps;
  const streams = { wake: () => {} };
  return createPublishing(deps, {
    schemas: createSchemas(deps),
    filters,
    configs,
    streams,
    storePublications,
    handOver: noHandOver,
  });
}

// An attempt takes up to 30 s (timeoutMs) plus its recording; a draining worker lets it finish.
const DRAIN_MS = 35_000;
// While PostgreSQL is unavailable, a result cannot be recorded: the process ends anyway, and the attempt is repeated elsewhere.
const FORCE_MS = 40_000;
// Slots in addition to the workflow tasks of local first attempts, each of which lasts as long as its attempt.
const OTHER_WORKFLOW_TASKS = 40;
// The SDK would send a heartbeat every 4 s (0.8 of the 5 s timeout), so a process that pauses for a second would count as dead, and a
// long attempt would be duplicated. Only long attempts send them: up to 250 a second with all slots in use.
const HEARTBEAT_AT_MOST_EVERY_MS = 2_000;
export type RunningWorker = {
  /** Whether the last check of Temporal succeeded. */
  isHealthy(): boolean;
  /** Resolves with the reason if the worker can no longer deliver: its process must end and be restarted. */
  failed: Promise<string>;
  /** Another worker process has died: its claims are released as soon as PostgreSQL responds, without waiting for its lease to expire. */
  takeOver(deadIncarnationId: string): Promise<void>;
  /** Drains: starts no new attempts, and waits until those in progress are finished and recorded. */
  stop(): Promise<void>;
};

/**
 * `bundle`: file with the bundled Temporal workflows; default: that of the build, otherwise they are bundled now. `onIncarnation` gets
 * the worker id under which this process claims, before it does. `isReplacement`: it replaces a process that has died. `outages`
 * watches Temporal too. `publishing` is that of this process's API, which runs of workflows share.
 */
export type StartOptions = {
  taskQueue?: string;
  handOver?: LateHandOver;
  bundle?: { codePath: string };
  onIncarnation?: (id: string) => void;
  isReplacement?: boolean;
  outages?: Pick<Outages, 'watch'>;
  publishing?: Publishing;
};

type ForParts = { handOver?: LateHandOver | undefined; publishing?: Publishing | undefined };

/** Every part of a worker process; parts/worker-part.ts explains what a part provides. */
function createParts(context: WorkerContext, { handOver, publishing = createWorkerPublishing(context) }: ForParts) {
  const capacity = capacityOf(readMachine(context.config.processes), context.config.deliveriesInFlight);
  const replays = replaysPart(context);
  const automations = automationsPart(context, {
    publish: createPublishForRun(publishing),
    beginByServiceEvents: createBeginByServiceEvents(context),
    slots: capacity.slots,
  });
  const recovery = recoveryPart(context, { repairs: [replays.restartLost, automations.repair] });
  const deliveries = deliveriesPart(context, {
    capacity,
    // takeOver comes first, because the others call Temporal, which may not respond.
    chores: [automations.takeOver, replays.startPending, automations.syncSchedules],
    ...(handOver && { handOver }),
  });
  const scheduling = schedulingPart(context, { handOver: deliveries.handOver });
  return {
    slots: capacity.slots,
    takeOver: deliveries.takeOver,
    /** For a new Temporal store: replays start again and deliveries are re-queued. Returns the number of these deliveries. */
    async abandonCarriers(): Promise<number> {
      await replays.abandon();
      await automations.abandon();
      return abandonCarriers(context.pool);
    },
    parts: [
      recovery,
      deliveries,
      replays,
      scheduling,
      retentionPart(context),
      automations,
      statsPart(context),
    ] as const,
  };
}

/**
 * Starts everything that a worker process does: the Temporal worker with the activities of all parts, their loops, and the watch over
 * the namespace and the schedules in Temporal. When this returns, the worker is ready and a no-op workflow has warmed it up.
 */
export async function startWorker(
  deps: ProcessDependencies,
  settings: TemporalSettings,
  {
    taskQueue = TASK_QUEUE,
    handOver,
    bundle,
    onIncarnation,
    isReplacement = false,
    outages,
    publishing,
  }: StartOptions = {},
): Promise<RunningWorker> {
  const { log, pool, newId } = deps;
  installRuntime(log);
  const temporal = await connectToTemporal(settings);
  await checkCodecKeys(temporal.client, { ...settings, taskQueue }).catch(async (failure: unknown) => {
    await temporal.close();
    throw failure;
  });
  const incarnationId = newId('incarnation');
  onIncarnation?.(incarnationId);
  const incarnation = await beginIncarnation(pool, incarnationId, log);
  const stopWatching = outages && watchTemporal({ outages }, temporal.client, settings);
  const leave = async (): Promise<void> => {
    stopWatching?.();
    await incarnation.end().catch((error: unknown) => {
      log.warn({ err: error }, 'could not end the lease of this worker; it will expire by itself');
    });
    await temporal.close();
  };
  try {
    const joined = { temporal, settings, incarnation, taskQueue, handOver, publishing, bundle, isReplacement, leave };
    return await startParts(deps, joined);
  } catch (failure) {
    await leave();
    throw failure;
  }
}

type Joined = {
  temporal: TemporalConnection;
  settings: TemporalSettings;
  incarnation: Incarnation;
  taskQueue: string;
  handOver: LateHandOver | undefined;
  publishing: Publishing | undefined;
  bundle: StartOptions['bundle'];
  isReplacement: boolean;
  /** Ends the lease and the connection to Temporal. */
  leave(): Promise<void>;
};

async function startParts(
  deps: ProcessDependencies,
  {
    temporal: { connection, client, dataConverter },
    settings,
    incarnation,
    taskQueue,
    handOver,
    publishing,
    bundle,
    isReplacement,
    leave,
  }: Joined,
): Promise<RunningWorker> {
  const { log } = deps;
  const ownTaskQueue = incarnationTaskQueue(taskQueue, incarnation.id);
  const stopping = new AbortController();
  const furnished = keepFurnished(client, { ...settings, taskQueue, log });
  incarnation.tellOfTemporal(furnished.isHealthy);
  const carriers = createCarriers(client, deps.clock);
  const context = {
    ...deps,
    client,
    carriers,
    taskQueue,
    ownTaskQueue,
    incarnation,
    isReplacement,
    isSearchable: furnished.isSearchable,
    stopping: stopping.signal,
  };
  const { parts, slots, takeOver, abandonCarriers: abandon } = createParts(context, { handOver, publishing });
  const contributions: readonly WorkerPart[] = parts;

  const schedules = contributions.flatMap((part) => part.schedules ?? []);
  await furnished.begin(schedules, abandon);

  const common = {
    connection,
    dataConverter,
    namespace: settings.namespace,
    shutdownGraceTime: DRAIN_MS,
    shutdownForceTime: FORCE_MS,
    maxHeartbeatThrottleInterval: HEARTBEAT_AT_MOST_EVERY_MS,
  } satisfies Partial<WorkerOptions>;
  // The type ensures that a part provides every activity that a Temporal workflow names.
  const activities: Omit<Activities, 'drainBacklog'> = activitiesOf(parts);
  const worker = await UntimedWorker.create({
    ...common,
    taskQueue,
    workflowBundle: bundle ?? (await workflowBundle(settings.codecKeys === undefined ? 'open' : 'encoded')),
    activities,
    maxConcurrentLocalActivityExecutions: slots,
    maxConcurrentActivityTaskExecutions: slots,
    maxConcurrentWorkflowTaskExecutions: slots + OTHER_WORKFLOW_TASKS,
  });
  const ownWorker = await Worker.create({
    ...common,
    taskQueue: ownTaskQueue,
    activities: Object.assign({}, ...contributions.map((part) => part.ownActivities)) as object,
    maxConcurrentActivityTaskExecutions: 2,
    maxConcurrentActivityTaskPolls: 1,
  });
  const runs = [worker.run(), ownWorker.run()];
  const failed = new Promise<string>((resolve) => {
    Promise.all(runs).catch((error: unknown) => {
      log.error({ err: error }, 'the Temporal worker stopped');
      resolve('the Temporal worker stopped');
    });
  });

  await client.workflow.execute(WORKFLOW_TYPES.warmUp, { workflowId: `warm-up/${incarnation.id}`, taskQueue });
  const loops: Loop[] = [];
  for (const part of contributions) if (part.begin !== undefined) loops.push(await part.begin());

  furnished.watch();
  return {
    isHealthy: furnished.isHealthy,
    failed,
    takeOver,
    async stop() {
      furnished.stop();
      for (const loop of loops.toReversed()) await loop.stop();
      // Only now: deliveries interrupted by this are retried at once, by a worker that accepts new tasks.
      stopping.abort();
      // A worker that has failed rejects a shutdown.
      for (const each of [worker, ownWorker]) if (each.getState() === 'RUNNING') each.shutdown();
      await Promise.allSettled(runs);
      for (const part of contributions.toReversed()) await part.end?.();
      await leave();
    },
  };
}

/** Shown but not required: what is published meanwhile is delivered when Temporal is back. */
export const temporalCheck = (worker: Pick<RunningWorker, 'isHealthy'>, address: string): ReadinessCheck => ({
  name: 'temporal',
  isRequired: false,
  async run() {
    if (!worker.isHealthy())
      throw new NotReady('Temporal does not respond; nothing is delivered until it does', {
        advice: `TEMPORAL_ADDRESS: ${address} does not respond; nothing is delivered until it does`,
      });
  },
});

/** How runs publish: their messages meet the same checks as those of a request, including the limits of JSON. */
const createPublishForRun =
  (publishing: Pick<Publishing, 'publish'>): PublishForRun =>
  async ({ environmentId, channelId, id, eventType, payload, metadata, chainDepth }) => {
    const bodyText = stringifyExact({ id, eventType, payload: new ExactJson(payload), metadata });
    const given: unknown = JSON.parse(bodyText);
    checkJson(given);
    const body = parseInput(publishMessageBody, given);
    const message = await publishing.publish({ environmentId }, channelId, {
      body,
      bodyText,
      header: () => undefined,
      chainDepth,
    });
    return { messageId: message.id };
  };
