/** The one task queue of delivery workers. */
export const TASK_QUEUE = 'posthorn';

/** Temporal workflow types, as exported by workflows/index.ts. Types of replays stand in replays.ts. */
export const WORKFLOW_TYPES = {
  deliverMessage: 'deliverMessage',
  reconcileDeliveries: 'reconcileDeliveries',
  drainDeliveries: 'drainDeliveries',
  removeExpired: 'removeExpired',
  runWorkflow: 'runWorkflow',
  runScheduled: 'runScheduled',
  warmUp: 'warmUp',
} as const;

/** A delivery's Temporal workflow id. One per round, so starting it twice is harmless. */
export const deliveryWorkflowId = (deliveryId: string, round: number): string => `delivery/${deliveryId}/${round}`;

/** The delivery and round a Temporal workflow id of ours names; undefined for any other id. */
export function deliveryOfWorkflowId(workflowId: string): { deliveryId: string; round: number } | undefined {
  const [kind, deliveryId, round, ...more] = workflowId.split('/');
  if (kind !== 'delivery' || deliveryId === undefined || !/^[1-9]\d*$/.test(round ?? '') || more.length > 0)
    return undefined;
  return { deliveryId, round: Number(round) };
}

/** A drain's Temporal workflow id: one worker process has one at a time, numbered from 1. */
export const drainWorkflowId = (incarnationId: string, number: number): string => `drain/${incarnationId}/${number}`;

/** The task queue of one worker process, for activities that work on its memory. */
export const incarnationTaskQueue = (taskQueue: string, incarnationId: string): string =>
  `${taskQueue}/${incarnationId}`;

/** Id of the Temporal schedule that runs the reconciler: `posthorn/reconciler` unless the task queue is another. */
export const reconcilerScheduleId = (taskQueue: string): string => `${taskQueue}/reconciler`;

/** Id of the Temporal schedule that runs retention: `posthorn/retention` unless the task queue is another. */
export const retentionScheduleId = (taskQueue: string): string => `${taskQueue}/retention`;

/** Failure types of activities, shown in the Temporal UI. */
export const FAILURE_TYPES = {
  /** The try failed and a later one can help; carries the delay of the policy. */
  attemptFailed: 'AttemptFailed',
  /** The last try failed, or no further one can help: the delivery is a dead letter. */
  deadLettered: 'DeadLettered',
  /** This worker is being stopped; the next try, by another one, goes on from here. */
  workerStopping: 'WorkerStopping',
} as const;

/** The server's name for a timed-out try in `nonRetryableErrorTypes`: such a try comes back to the Temporal workflow at once. */
export const TIMEOUT_TYPES = ['TemporalTimeout:Heartbeat', 'TemporalTimeout:StartToClose'];

/** Keyword search attributes; a namespace takes ten. */
export const SEARCH_ATTRIBUTES = [
  'PosthornEnvironment',
  'PosthornChannel',
  'PosthornSubscription',
  'PosthornMessage',
  'PosthornEventType',
  'PosthornWorkflow',
  'PosthornState',
] as const;
