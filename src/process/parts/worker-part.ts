import type { Schedule } from '../../platform/temporal/furnish.ts';
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

/** Something that runs beside the Temporal worker; `stop` waits for what it has under way. */
export type Loop = { stop(): Promise<void> };

/**
 * One feature's contribution to a worker process. A new feature is a new part in start-worker.ts.
 * `A`: the activities that Temporal workflows call by name, on the task queue that all workers share.
 */
export type WorkerPart<A extends object = object> = {
  activities?: A;
  /** Activities that work on what this process holds in memory: registered on its own task queue. */
  ownActivities?: object;
  /** Temporal schedules of its workflows. */
  schedules?: readonly Schedule[];
  /** Begins its loops, once the Temporal worker is warm; in the order of the parts, and stopped in the opposite one. */
  begin?(): Promise<Loop>;
  /** Gives back what it holds, once no activity runs any more. */
  end?(): Promise<void>;
};

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;
type Brought<P> = P extends { activities: infer A } ? A : never;
type ActivitiesOf<P extends readonly WorkerPart[]> = Intersection<Brought<P[number]>>;

/** The activities of all parts. Throws where two parts bring one of the same name: one would hide the other. */
export function activitiesOf<P extends readonly WorkerPart[]>(parts: P): ActivitiesOf<P> {
  const entries = parts.flatMap(({ activities = {} }) => Object.entries(activities));
  const names = new Set<string>();
  for (const [name] of entries) {
    if (names.has(name)) throw new Error(`Two parts of the worker bring an activity ${name}`);
    names.add(name);
  }
  // The entries of every part stand in it, which is what the intersection says.
  return Object.fromEntries(entries) as ActivitiesOf<P>;
}
