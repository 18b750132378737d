import type { RunOutline } from './run-outline.ts';
import type { Way } from './run-ways.ts';

/** Argument of the Temporal workflow runWorkflow. Definition, payload, inputs and outputs stay in PostgreSQL. */
export type RunInput = { runId: string; round: number };

/** A run's Temporal workflow id. One for each round, so starting it twice is harmless. */
export const runWorkflowId = ({ runId, round }: RunInput): string => `run/${runId}/${round}`;

/** The run and round that a Temporal workflow id of ours names; undefined for any other id. */
export function runOfWorkflowId(workflowId: string): RunInput | undefined {
  const [kind, runId, round, ...more] = workflowId.split('/');
  if (kind !== 'run' || runId === undefined || !/^[1-9]\d*$/.test(round ?? '') || more.length > 0) return undefined;
  return { runId, round: Number(round) };
}

/** The reason of a run or delivery that somebody ended in Temporal, with the words that the person gave there, where there were any. */
export const withWords = (reason: string, words: string | undefined): string =>
  words === undefined ? reason : `${reason}: ${words}`;

/** Names one step of one round. `iteration` holds the places in the loops around it (run-ways.ts). */
export type StepInput = RunInput & { stepId: string; iteration: string };

/** The result of a step that has ended. */
export type Taken = { way: Way };

/** The beginning of a round: the steps, and the ways of those outside loops that earlier rounds have taken. */
export type OpenedRun = { outline: RunOutline; ways: Readonly<Record<string, Way>> };

/** A delay that has begun. `until` in ms since 1970, the same however often it is asked for. */
export type BegunDelay = Taken | { until: number };

/**
 * A wait that has begun. `until` in ms since 1970, the same however often it is asked for; `summary` for the timer in the Temporal UI.
 */
export type BegunWait = Taken | { until: number; summary: string };

/** A wait that was woken, or whose time is over. */
export type WaitEnd = StepInput & { isOver: boolean };

/** The signal that wakes a waiting step: the argument is its key (run-ways.ts). A wait that is not over yet goes on. */
export const WAKE_SIGNAL = 'wake';

/** A loop that has begun: places of the items that have not ended, and the ways of their steps that have, by their keys. */
export type OpenedLoop = Taken | { items: number; unfinished: readonly number[]; ways: Readonly<Record<string, Way>> };

/** An item of a loop that has come to the end of its chain, or has failed. */
export type ItemEnd = StepInput & { item: number; isFailed: boolean };

/** A step whose last attempt did not say how it ended: the way it took after all, or the failures that count against its policy. */
export type StepStanding = Taken | { failures: number };

/** How a round ended. `superseded`: the run was ended, or begun anew, by somebody else. */
export type RunResult = 'completed' | 'failed' | 'cancelled' | 'paused' | 'superseded';

/** The end of a round. `reason` and `error` are for people; a failure without an error is that of the step that failed. */
export type EndRunInput = RunInput & {
  status: Exclude<RunResult, 'superseded'>;
  reason?: string;
  error?: { code: string; message: string };
};

/** The recorded end of a round: by which filter, where one has ended the run. */
export type EndedRound = { filteredBy?: string };

/** The answer to the query `state`: the steps that are being taken, by their keys. */
export type RunState = { steps: readonly string[] };

/**
 * Time that a part of a run which processes have died of may wait for its turn, ms: longer than its longest pause (src/platform/crashes).
 */
export const DEADLY_PATIENCE_MS = 30_000;

/** Attempts of one step whose worker may stop before the step has failed. */
export const MAX_STEP_CRASHES = 10;

/** What the Temporal UI says of a run whose step failed. The log does not repeat it: the run and its dead letter are on record. */
export const STEP_FAILED = 'a step failed; the record of the run says why';

/** Failure types of the activities of runs, shown in the Temporal UI beside the codes of run-ways.ts. */
export const RUN_FAILURES = {
  /** The run has ended, or another round has begun: this round stops where it is. */
  superseded: 'RunSuperseded',
  /** The run failed, as its record says. */
  failed: 'RunFailed',
  /** Three processes have died in one part of the run: it ends with the error CRASHED. */
  deadly: 'RunIsDeadly',
} as const;
