/** The task queue that all delivery workers share. */
export const TASK_QUEUE = 'posthorn';

/** Temporal workflow types, as exported by workflows/index.ts. Those of replays are in replays.ts. */
export const WORKFLOW_TYPES = {
  deliverMessage: 'deliverMessage',
  reconcileDeliveries: 'reconcileDeliveries',
  drainDeliveries: 'drainDeliveries',
  removeExpired: 'removeExpired',
  runWorkflow: 'runWorkflow',
  runScheduled: 'runScheduled',
  warmUp: 'warmUp',
} as const;

/** A delivery's Temporal workflow id. There is one per round, so starting it twice is harmless. */
export const deliveryWorkflowId = (deliveryId: string, round: number): string => `delivery/${deliveryId}/${round}`;

/** The delivery and round of one of our Temporal workflow ids; undefined for any other id. */
export function deliveryOfWorkflowId(workflowId: string): { deliveryId: string; round: number } | undefined {
  const [kind, deliveryId, round, ...more] = workflowId.split('/');
  if (kind !== 'delivery' || deliveryId === undefined || !/^[1-9]\d*$/.test(round ?? '') || more.length > 0)
    return undefined;
  return { deliveryId, round: Number(round) };
}

/** The Temporal workflow id of direct sending: one worker process has one at a time, numbered from 1. */
export const drainWorkflowId = (incarnationId: string, number: number): string => `drain/${incarnationId}/${number}`;

/** The task queue of one worker process, for activities that use its memory. */
export const incarnationTaskQueue = (taskQueue: string, incarnationId: string): string =>
  `${taskQueue}/${incarnationId}`;

/** Id of the Temporal schedule that runs the reconciler: `posthorn/reconciler` with the default task queue. */
export const reconcilerScheduleId = (taskQueue: string): string => `${taskQueue}/reconciler`;

/** Id of the Temporal schedule that runs retention: `posthorn/retention` with the default task queue. */
export const retentionScheduleId = (taskQueue: string): string => `${taskQueue}/retention`;

/** Failure types of activities, shown in the Temporal UI. */
export const FAILURE_TYPES = {
  /** The attempt failed and a retry may help; carries the delay of the policy. */
  attemptFailed: 'AttemptFailed',
  /** The last attempt failed, or no retry can help: the delivery is a dead letter. */
  deadLettered: 'DeadLettered',
  /** This worker is stopping; the next attempt, by another worker, continues from here. */
  workerStopping: 'WorkerStopping',
} as const;

/** The server's names for a timed-out attempt in `nonRetryableErrorTypes`: such an attempt returns to the Temporal workflow at once. */
export const TIMEOUT_TYPES = ['TemporalTimeout:Heartbeat', 'TemporalTimeout:StartToClose'];

/** Keyword search attributes; a namespace supports ten. */
export const SEARCH_ATTRIBUTES = [
  'PosthornEnvironment',
  'PosthornChannel',
  'PosthornSubscription',
  'PosthornMessage',
  'PosthornEventType',
  'PosthornWorkflow',
  'PosthornState',
] as const;
