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

/** Publishing of a worker without an API: deliveries of its messages wait for a claim, streams find them by themselves. */
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

// A try takes at most 30 s (timeoutMs) and its recording; a worker that drains lets it end.
const DRAIN_MS = 35_000;
// While PostgreSQL is away a result cannot be recorded: the process ends all the same, and the try is made again elsewhere.
const FORCE_MS = 40_000;
// Slots beside the workflow tasks of local first tries, each of which lasts as long as its try.
const OTHER_WORKFLOW_TASKS = 40;
// The SDK would send a heartbeat every 4 s (0.8 of the 5 s timeout). A process that pauses for a second would then count as dead, and
// a long try be made twice. Only long tries send them: at most 250 a second with all places taken.
const HEARTBEAT_AT_MOST_EVERY_MS = 2_000;
export type RunningWorker = {
  /** Whether the last look at Temporal succeeded. */
  isHealthy(): boolean;
  /** Settles, with the reason, when the worker delivers no more and cannot go on: its process must end and be started again. */
  failed: Promise<string>;
  /** Another worker process has died: its claims are due again as soon as PostgreSQL answers, and not at the end of its lease. */
  takeOver(deadIncarnationId: string): Promise<void>;
  /** Drains: no new tries; those under way end and are recorded. */
  stop(): Promise<void>;
};

/**
 * `bundle`: a file with the bundled Temporal workflows; default: the one of the build, else they are bundled now. `onIncarnation` gets
 * the id under which this process claims, before it does. `isReplacement`: it stands in the place of one that has died. `outages` get to
 * know of Temporal's. `publishing` is that of this process's API, which runs of workflows share.
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

/** Every part of a worker process; parts/worker-part.ts says what a part brings. */
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
    // Others ask Temporal, which may not answer.
    chores: [automations.takeOver, replays.startPending, automations.syncSchedules],
    ...(handOver && { handOver }),
  });
  const scheduling = schedulingPart(context, { handOver: deliveries.handOver });
  return {
    slots: capacity.slots,
    takeOver: deliveries.takeOver,
    /** Temporal's store is new: replays start again and deliveries are due again. Returns the number of these deliveries. */
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
 * Everything a worker process does: the Temporal worker with the activities of all parts, their loops, and the watch over the
 * namespace and schedules in Temporal. Ready when this returns: a no-op has warmed it up.
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
      log.warn({ err: error }, 'the lease of this worker could not be ended; it runs out by itself');
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
  // The type says that every activity that a Temporal workflow names is brought by a part.
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
      // Only now: deliveries that end for this are tried again at once, by a worker that takes new tasks.
      stopping.abort();
      // One that has failed refuses to be shut down.
      for (const each of [worker, ownWorker]) if (each.getState() === 'RUNNING') each.shutdown();
      await Promise.allSettled(runs);
      for (const part of contributions.toReversed()) await part.end?.();
      await leave();
    },
  };
}

/** Shown and not required: what is published meanwhile is delivered when Temporal is back. */
export const temporalCheck = (worker: Pick<RunningWorker, 'isHealthy'>, address: string): ReadinessCheck => ({
  name: 'temporal',
  isRequired: false,
  async run() {
    if (!worker.isHealthy())
      throw new NotReady('Temporal does not answer: nothing is delivered meanwhile', {
        advice: `TEMPORAL_ADDRESS: ${address} does not answer; nothing is delivered meanwhile`,
      });
  },
});

/** The way of runs to publishing: a message of theirs meets all that a request's does, from the limits of JSON on. */
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
