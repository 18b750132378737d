import { type Client, ScheduleAlreadyRunning } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import type { Logger } from 'pino';
import { reconcilerScheduleId, SEARCH_ATTRIBUTES } from '../../kernel/contract/temporal-names.ts';
import { type CodecKey, CODEC_MEMO } from './codec.ts';
import { GRPC_STATUS, grpcStatusOf } from './grpc-status.ts';

/** A Temporal schedule: starts a workflow without arguments at an interval, never two of them at a time. */
export type Schedule = { scheduleId: string; everyMs: number; workflowType: string };

type FurnishOptions = {
  namespace: string;
  taskQueue: string;
  log: Logger;
  schedules: readonly Schedule[];
  codecKeys?: readonly CodecKey[];
  /** The result of the previous check: a log line that it wrote is not repeated. */
  before?: Furniture;
};

/** State of our namespace after `furnish`. */
export type Furniture = {
  /** Whether the namespace has our search attributes. Without them everything works except the UI's search. */
  isSearchable: boolean;
  /** Whether the reconciler's schedule was missing: the store is new to us. */
  isNewStore: boolean;
};

// Closed delivery workflows are kept for three days; PostgreSQL keeps the record for longer.
const RETENTION_SECONDS = 3 * 86_400;

// The development server reads its list of namespaces every 2 s, a cluster every 10 s.
const KNOWN_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 200;

/** Statuses of a server that lets only its owner create namespaces and search attributes, such as Temporal Cloud. */
const REFUSALS: readonly unknown[] = [
  GRPC_STATUS.permissionDenied,
  GRPC_STATUS.unauthenticated,
  GRPC_STATUS.unimplemented,
];

// The API's number for the type Keyword.
const KEYWORD = 2;

/**
 * Creates what the service needs in Temporal and is missing: namespace, search attributes, and the schedules of the reconciler and of
 * retention. Safe to repeat. Called at start and regularly, because a lost Temporal store loses all of them. If a cluster refuses to
 * create the first two (Temporal Cloud), its owner has to; the log says so.
 */
export async function furnish(client: Client, options: FurnishOptions): Promise<Furniture> {
  await registerNamespace(client, options);
  return onceKnown(() => fill(client, options));
}

/** Resolves once the server has replied about the namespace, which may be missing. Rejects if the server does not respond. */
export async function askNamespace(client: Client, namespace: string): Promise<void> {
  await client.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
    if (!isNamespaceUnknown(error)) throw error;
  });
}

/** Whether the server denies the namespace, for example because its store was lost. Also false if it does not respond. */
export async function isNamespaceMissing(client: Client, namespace: string): Promise<boolean> {
  try {
    await client.workflowService.describeNamespace({ namespace });
    return false;
  } catch (error) {
    return isNamespaceUnknown(error);
  }
}

async function fill(client: Client, options: FurnishOptions): Promise<Furniture> {
  const isSearchable = await addSearchAttributes(client, options);
  const { schedules, taskQueue } = options;
  // The reconciler's comes last, because the store no longer counts as new once it exists.
  const isLast = ({ scheduleId }: Schedule): boolean => scheduleId === reconcilerScheduleId(taskQueue);
  for (const schedule of schedules.filter((each) => !isLast(each))) await createSchedule(client, options, schedule);
  let isNewStore = false;
  for (const schedule of schedules.filter(isLast)) isNewStore = await createSchedule(client, options, schedule);
  return { isSearchable, isNewStore };
}

async function registerNamespace(
  client: Client,
  { namespace, log }: { namespace: string; log: Logger },
): Promise<void> {
  try {
    await client.workflowService.describeNamespace({ namespace });
    return;
  } catch (error) {
    if (!isNamespaceUnknown(error)) throw error;
    log.debug({ namespace }, 'the namespace does not exist yet');
  }
  try {
    await client.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: RETENTION_SECONDS as unknown as never },
    });
    log.info({ namespace }, 'registered the namespace');
  } catch (error) {
    const status = grpcStatusOf(error);
    // Another worker that started at the same moment was first.
    if (status === GRPC_STATUS.alreadyExists) return;
    if (!REFUSALS.includes(status)) throw error;
    throw new Error(
      `TEMPORAL_NAMESPACE: this Temporal has no namespace ${namespace} and does not allow a worker to create it; let its owner create it, or correct the name`,
      { cause: error },
    );
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));

/**
 * Repeats `work` while the server denies a namespace that is registered. Each part of the server refreshes its list of namespaces at
 * intervals. Describing a namespace reads the store and finds it at once, even if another worker has just registered it, but all other
 * calls are rejected until that list is refreshed.
 */
async function onceKnown<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + KNOWN_WITHIN_MS; ; await pause()) {
    try {
      return await work();
    } catch (error) {
      if (!isNamespaceUnknown(error) || Date.now() > deadline) throw error;
    }
  }
}

/** Before any workflow is named, "not found" can only mean the namespace. The schedule client wraps that status in its own error. */
const isNamespaceUnknown = (error: unknown): boolean =>
  error instanceof NamespaceNotFoundError || grpcStatusOf(error) === GRPC_STATUS.notFound;

async function addSearchAttributes(
  client: Client,
  { namespace, log, before }: Pick<FurnishOptions, 'namespace' | 'log' | 'before'>,
): Promise<boolean> {
  const { operatorService } = client.connection;
  const findMissing = async (): Promise<string[]> => {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    return SEARCH_ATTRIBUTES.filter((name) => customAttributes?.[name] === undefined);
  };
  try {
    const missing = await findMissing();
    if (missing.length === 0) return true;
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await operatorService.addSearchAttributes({ namespace, searchAttributes }).catch(async (error: unknown) => {
      // If two workers add them at once, one is rejected, but they exist anyway.
      await pause();
      if ((await findMissing()).length > 0) throw error;
    });
    return true;
  } catch (error) {
    if (isNamespaceUnknown(error)) throw error;
    // A worker may use what its owner has created without being allowed to list it.
    if (await canSearch(client, namespace)) return true;
    // This check is repeated every 15 s.
    if (before?.isSearchable !== false)
      log.warn(
        { err: error, namespace },
        `this Temporal does not allow a worker to add search attributes; deliveries work, but cannot be searched for until its owner adds ${SEARCH_ATTRIBUTES.join(', ')} as Keyword`,
      );
    return false;
  }
}

/** Whether a query may use all of our search attributes: the server rejects a query with an unknown one. */
async function canSearch(client: Client, namespace: string): Promise<boolean> {
  const query = SEARCH_ATTRIBUTES.map((name) => `${name} = 'none'`).join(' AND ');
  try {
    await client.workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch {
    return false;
  }
}

/** Returns true if it was missing. One run at a time; a run that is more than a minute late is skipped. */
async function createSchedule(
  client: Client,
  { taskQueue, codecKeys }: FurnishOptions,
  { scheduleId, everyMs, workflowType }: Schedule,
): Promise<boolean> {
  const isChecked = codecKeys !== undefined && scheduleId === reconcilerScheduleId(taskQueue);
  try {
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: everyMs }] },
      policies: { overlap: 'SKIP', catchupWindow: '1 minute' },
      action: { type: 'startWorkflow', workflowType, taskQueue, args: [], ...(isChecked && { memo: CODEC_MEMO }) },
    });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}
