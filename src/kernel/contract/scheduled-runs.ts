import type { RunInput } from './run-workflow.ts';

/** Argument of the Temporal workflow runScheduled, which a schedule of Temporal's begins. */
export type ScheduledRunInput = { workflowId: string };

/** The id of a workflow's schedule in Temporal, and the beginning of its Temporal workflows' ids. */
export const scheduleIdOf = (workflowId: string): string => `workflow/${workflowId}`;

/**
 * The run of one time of a schedule, for the Temporal UI. `attributes`: Keyword search attributes, where the namespace has them. Null where
 * the workflow is not active any more.
 */
export type BegunScheduledRun = {
  run: RunInput;
  summary: string;
  attributes: Readonly<Record<string, string>>;
} | null;
