import type { Client } from '@temporalio/client';
import type { Incarnation } from '../../delivery/queue/recovery/incarnation.ts';
import type { ProcessDependencies } from '../assembly/create-dependencies.ts';
import type { Carriers } from '../../platform/temporal/starts.ts';

/** Everything that the parts of a worker process are built from. */
export type WorkerContext = ProcessDependencies & {
  client: Client;
  /** Looks at the Temporal workflows of deliveries and replays. */
  carriers: Carriers;
  /** Task queue that all workers share. */
  taskQueue: string;
  /** Task queue of this process alone. */
  ownTaskQueue: string;
  incarnation: Incarnation;
  /** Another process of the same command has died, and this one stands in its place: same code, same settings. */
  isReplacement: boolean;
  /** Whether the namespace takes our search attributes, as of the last look. */
  isSearchable(): boolean;
  /** Aborted while the worker stops: an activity that lasts for hours ends, and another worker goes on with it. */
  stopping: AbortSignal;
};
