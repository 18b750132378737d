import type { RunOutline, OutlineStep } from './run-outline.ts';

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

/** Names one step of one round. `iteration` holds the places in the loops around it. */
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

/** The signal that wakes a waiting step: the argument is its key. A wait that is not over yet goes on. */
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

/** Failure types of the activities of runs, shown in the Temporal UI beside the codes below. */
export const RUN_FAILURES = {
  /** The run has ended, or another round has begun: this round stops where it is. */
  superseded: 'RunSuperseded',
  /** The run failed, as its record says. */
  failed: 'RunFailed',
  /** Three processes have died in one part of the run: it ends with the error CRASHED. */
  deadly: 'RunIsDeadly',
} as const;

/**
 * The way of a run from a step that has ended, as it is recorded: `>` and the id of the next step, or nothing behind it at the end of a
 * chain. `end:…` ends the run. `failure` means that nobody takes up the step's failure, `pause` that a person is to look at it.
 */
export type Way = `>${string}` | EndWay | 'failure' | 'pause';

/** Ends that a step of the type `end` can ask for. */
const END_STATUSES = ['completed', 'failed', 'cancelled'] as const;
type EndStatus = (typeof END_STATUSES)[number];
type EndWay = `end:${EndStatus}`;

/** The way to a step; null ends the chain. */
export const wayTo = (stepId: string | null): Way => `>${stepId ?? ''}`;

/** The step that a way leads to, null at the end of a chain; undefined for the ways that leave the chain. */
export function stepBehind(way: Way): string | null | undefined {
  if (!way.startsWith('>')) return undefined;
  return way === '>' ? null : way.slice(1);
}

/** The way out of the run by a step of the type `end`. */
export const wayToEnd = (status: EndStatus): Way => `end:${status}`;

/** The status that a way ends the run with; undefined for all other ways. */
export const endOf = (way: Way): EndStatus | undefined => END_STATUSES.find((status) => way === `end:${status}`);

const HTTP_STATUS = /^HTTP_\d{3}$/;

/** Whether a code of a definition means this error: the code itself, `HTTP_4XX` for all of its hundred, or `*` for all. */
export const meansError = (listed: string, code: string): boolean =>
  listed === '*' || listed === code || (HTTP_STATUS.test(code) && listed === `${code.slice(0, 6)}XX`);

/** The way from a step that has failed for good. The first branch that names the error is taken. */
export function wayAfterFailure({ onError, next }: Pick<OutlineStep, 'onError' | 'next'>, code: string): Way {
  if (onError === 'continue') return wayTo(next);
  if (onError === 'pause') return 'pause';
  if (onError === 'fail') return 'failure';
  const branch = onError.find(({ errors }) => errors.some((listed) => meansError(listed, code)));
  return branch === undefined ? 'failure' : wayTo(branch.next);
}

/** The key of a step in a run: the same step is taken once for each item of the loops around it. */
export const stepKey = (stepId: string, iteration: string): string => `${stepId}#${iteration}`;

/** The iteration of an item within the loop whose own iteration is given; items count from 0. */
export const iterationOf = (loopIteration: string, item: number): string =>
  loopIteration === '' ? String(item) : `${loopIteration}.${item}`;

/** The iterations that a step sees results of: its own, and those of the loops around it, outermost first. */
export function iterationsAround(iteration: string): string[] {
  if (iteration === '') return [''];
  const places = iteration.split('.');
  return ['', ...places.map((_, index) => places.slice(0, index + 1).join('.'))];
}

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
