import { type Client, ScheduleAlreadyRunning } from '@temporalio/client';
import type { Logger } from 'pino';
import {
  reconcilerScheduleId,
  retentionScheduleId,
  SEARCH_ATTRIBUTES,
  WORKFLOW_TYPES,
} from '../shared/temporal-names.ts';
import { GRPC_STATUS, grpcStatusOf } from './grpc-status.ts';

/** What our namespace has after `furnish`. */
export type Furniture = {
  /** The namespace takes our search attributes; without them everything runs, only the UI's search does not. */
  isSearchable: boolean;
  /** The reconciler's schedule was not there: the store is new to us. */
  isNewStore: boolean;
};

// Closed delivery workflows can be looked at for three days; what happened is in PostgreSQL for longer.
const RETENTION_SECONDS = 3 * 86_400;
// Half of the minute after which a delivery counts as overdue.
const RECONCILE_EVERY_MS = 30_000;
// What expires is counted in days. Twice an hour, a service that does not run all day meets one as well.
const RETENTION_EVERY_MS = 30 * 60_000;

// The list of namespaces is read again every 2 s by the development server, every 10 s by a cluster.
const KNOWN_WITHIN_MS = 30_000;
const KNOWN_LOOK_MS = 200;

// The API's name of the type Keyword.
const KEYWORD = 2;

/**
 * Makes what the service needs inside Temporal, where it is missing: namespace, search attributes, the schedules of
 * the reconciler and of retention. Safe to repeat; done at start and now and then, because a lost Temporal store loses all of it (DESIGN §3).
 * A cluster that refuses to make the first two (Temporal Cloud) has them made by its owner; that is said in the log.
 */
export async function furnish(
  client: Client,
  options: { namespace: string; taskQueue: string; log: Logger },
): Promise<Furniture> {
  await registerNamespace(client, options);
  const isSearchable = await addSearchAttributes(client, options);
  const { taskQueue } = options;
  await createSchedule(client, taskQueue, {
    scheduleId: retentionScheduleId(taskQueue),
    everyMs: RETENTION_EVERY_MS,
    workflowType: WORKFLOW_TYPES.removeExpired,
  });
  // Last: once it is there, nobody finds the store new again.
  const isNewStore = await createSchedule(client, taskQueue, {
    scheduleId: reconcilerScheduleId(taskQueue),
    everyMs: RECONCILE_EVERY_MS,
    workflowType: WORKFLOW_TYPES.reconcileDeliveries,
  });
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
    log.debug({ err: error, namespace }, 'the namespace is not there yet');
  }
  try {
    await client.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: RETENTION_SECONDS as unknown as never },
    });
    log.info({ namespace }, 'registered the namespace');
  } catch (error) {
    if (grpcStatusOf(error) !== GRPC_STATUS.alreadyExists) throw error;
  }
  await untilKnown(client, namespace);
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, KNOWN_LOOK_MS));

/** A server that has registered a namespace denies it until it reads its list again; everything that follows would fail. */
async function untilKnown(client: Client, namespace: string): Promise<void> {
  for (const deadline = Date.now() + KNOWN_WITHIN_MS; ; await pause()) {
    try {
      await client.workflowService.countWorkflowExecutions({ namespace });
      return;
    } catch (error) {
      if (grpcStatusOf(error) !== GRPC_STATUS.notFound || Date.now() > deadline) throw error;
    }
  }
}

async function addSearchAttributes(
  client: Client,
  { namespace, log }: { namespace: string; log: Logger },
): Promise<boolean> {
  try {
    const { operatorService } = client.connection;
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTES.filter((name) => customAttributes?.[name] === undefined);
    if (missing.length > 0) {
      await operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
      });
    }
    return true;
  } catch (error) {
    log.warn(
      { err: error, namespace },
      'no search attributes here: deliveries run, but cannot be searched for in Temporal',
    );
    return false;
  }
}

/** True when it was missing. One run at a time; one whose time has passed by more than a minute is left out. */
async function createSchedule(
  client: Client,
  taskQueue: string,
  { scheduleId, everyMs, workflowType }: { scheduleId: string; everyMs: number; workflowType: string },
): Promise<boolean> {
  try {
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: everyMs }] },
      policies: { overlap: 'SKIP', catchupWindow: '1 minute' },
      action: { type: 'startWorkflow', workflowType, taskQueue, args: [] },
    });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}
