import type { Schedule } from '../../platform/temporal/furnish.ts';
import type { Client } from '@temporalio/client';
import type { Incarnation } from '../../delivery/queue/recovery/incarnation.ts';
import type { ProcessDependencies } from '../assembly/create-dependencies.ts';
import type { Carriers } from '../../platform/temporal/starts.ts';

/** Everything that the parts of a worker process are built from. */
export type WorkerContext = ProcessDependencies & {
  client: Client;
  /** Looks up the Temporal workflows of deliveries and replays. */
  carriers: Carriers;
  /** Task queue that all workers share. */
  taskQueue: string;
  /** Task queue of this process alone. */
  ownTaskQueue: string;
  incarnation: Incarnation;
  /** Whether this process replaces one of the same command that has died: same code, same settings. */
  isReplacement: boolean;
  /** Whether the namespace had our search attributes at the last check. */
  isSearchable(): boolean;
  /** Aborted while the worker stops: an activity that lasts for hours ends, and another worker continues it. */
  stopping: AbortSignal;
};

/** Something that runs alongside the Temporal worker; `stop` waits for its work in progress. */
export type Loop = { stop(): Promise<void> };

/**
 * One feature's contribution to a worker process. A new feature is a new part in start-worker.ts. `A`: the activities that Temporal
 * workflows call by name, on the task queue that all workers share.
 */
export type WorkerPart<A extends object = object> = {
  activities?: A;
  /** Activities that use the memory of this process: registered on its own task queue. */
  ownActivities?: object;
  /** Temporal schedules of its workflows. */
  schedules?: readonly Schedule[];
  /** Starts its loops once the Temporal worker is warm. Called in the order of the parts; loops are stopped in reverse order. */
  begin?(): Promise<Loop>;
  /** Releases what it holds, once no activity is running any more. */
  end?(): Promise<void>;
};

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;
type Brought<P> = P extends { activities: infer A } ? A : never;
type ActivitiesOf<P extends readonly WorkerPart[]> = Intersection<Brought<P[number]>>;

/** Returns the activities of all parts. Throws if two have the same name, because one would hide the other. */
export function activitiesOf<P extends readonly WorkerPart[]>(parts: P): ActivitiesOf<P> {
  const entries = parts.flatMap(({ activities = {} }) => Object.entries(activities));
  const names = new Set<string>();
  for (const [name] of entries) {
    if (names.has(name)) throw new Error(`Two parts of the worker have an activity named ${name}`);
    names.add(name);
  }
  // It contains the entries of every part, as the intersection type says.
  return Object.fromEntries(entries) as ActivitiesOf<P>;
}
