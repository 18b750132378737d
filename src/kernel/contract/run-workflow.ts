import type { RunOutline, OutlineStep } from './run-outline.ts';

/** Argument of the Temporal workflow runWorkflow. Definition, payload, inputs and outputs stay in PostgreSQL. */
export type RunInput = { runId: string; round: number };

/** A run's Temporal workflow id. There is one per round, so starting it twice is harmless. */
export const runWorkflowId = ({ runId, round }: RunInput): string => `run/${runId}/${round}`;

/** The run and round of one of our Temporal workflow ids; undefined for any other id. */
export function runOfWorkflowId(workflowId: string): RunInput | undefined {
  const [kind, runId, round, ...more] = workflowId.split('/');
  if (kind !== 'run' || runId === undefined || !/^[1-9]\d*$/.test(round ?? '') || more.length > 0) return undefined;
  return { runId, round: Number(round) };
}

/** The reason of a run or delivery that somebody terminated in Temporal, with the reason given there, if any. */
export const withWords = (reason: string, words: string | undefined): string =>
  words === undefined ? reason : `${reason}: ${words}`;

/** Identifies a step of a round. `iteration` contains the item numbers in the loops around it. */
export type StepInput = RunInput & { stepId: string; iteration: string };

/** The result of a finished step. */
export type Taken = { way: Way };

/** The start of a round: the steps, and the transitions of those outside loops that earlier rounds have finished. */
export type OpenedRun = { outline: RunOutline; ways: Readonly<Record<string, Way>> };

/** A delay that has started. `until` in ms since 1970, the same however often it is read. */
export type BegunDelay = Taken | { until: number };

/** A wait that has started. `until` in ms since 1970, the same however often it is read; `summary` is for the timer in the Temporal UI. */
export type BegunWait = Taken | { until: number; summary: string };

/** A wait that was woken, or has timed out. */
export type WaitEnd = StepInput & { isOver: boolean };

/** The signal that wakes a waiting step; the argument is its match key. A wait that has not ended by then continues. */
export const WAKE_SIGNAL = 'wake';

/** A loop that has started: the unfinished items, and the transitions of their finished steps, by key. */
export type OpenedLoop = Taken | { items: number; unfinished: readonly number[]; ways: Readonly<Record<string, Way>> };

/** An item of a loop that has reached the end of its chain, or has failed. */
export type ItemEnd = StepInput & { item: number; isFailed: boolean };

/** A step whose last attempt has not reported a result: the transition it took after all, or the failures that count against its policy. */
export type StepStanding = Taken | { failures: number };

/** How a round ended. `superseded`: the run was ended or restarted elsewhere. */
export type RunResult = 'completed' | 'failed' | 'cancelled' | 'paused' | 'superseded';

/** The end of a round. `reason` and `error` are for people; a failure without an error is that of the failed step. */
export type EndRunInput = RunInput & {
  status: Exclude<RunResult, 'superseded'>;
  reason?: string;
  error?: { code: string; message: string };
};

/** The recorded end of a round, and the filter that ended the run, if one did. */
export type EndedRound = { filteredBy?: string };

/** Result of the query `state`: the steps in progress, by key. */
export type RunState = { steps: readonly string[] };

/**
 * How long a part of a run that has crashed processes may wait for its turn, in ms: longer than its longest pause
 * (src/platform/crashes).
 */
export const DEADLY_PATIENCE_MS = 30_000;

/** Attempts of one step that may be lost with their worker before the step fails. */
export const MAX_STEP_CRASHES = 10;

/** Shown in the Temporal UI for a run whose step failed. The log does not repeat it, because the run and its dead letter are on record. */
export const STEP_FAILED = 'a step failed; the record of the run says why';

/** Failure types of the activities of runs, shown in the Temporal UI next to the codes below. */
export const RUN_FAILURES = {
  /** The run has ended, or another round has started, so this round stops. */
  superseded: 'RunSuperseded',
  /** The run failed; its record says why. */
  failed: 'RunFailed',
  /** Three processes have crashed in one part of the run, so it ends with the error CRASHED. */
  deadly: 'RunIsDeadly',
} as const;

/**
 * The transition of a run from a finished step, as it is recorded: `>` and the id of the next step, or nothing after it at the end of a
 * chain. `end:…` ends the run. `failure` means that nothing handles the step's failure, `pause` that a person has to look at it.
 */
export type Way = `>${string}` | EndWay | 'failure' | 'pause';

/** Statuses that a step of the type `end` can end a run with. */
const END_STATUSES = ['completed', 'failed', 'cancelled'] as const;
type EndStatus = (typeof END_STATUSES)[number];
type EndWay = `end:${EndStatus}`;

/** The transition to a step; null ends the chain. */
export const wayTo = (stepId: string | null): Way => `>${stepId ?? ''}`;

/** The step that a transition leads to, or null at the end of a chain; undefined for transitions that leave the chain. */
export function stepBehind(way: Way): string | null | undefined {
  if (!way.startsWith('>')) return undefined;
  return way === '>' ? null : way.slice(1);
}

/** The transition of a step of the type `end`. */
export const wayToEnd = (status: EndStatus): Way => `end:${status}`;

/** The status that a transition ends the run with; undefined for all others. */
export const endOf = (way: Way): EndStatus | undefined => END_STATUSES.find((status) => way === `end:${status}`);

const HTTP_STATUS = /^HTTP_\d{3}$/;

/** Whether a code in a definition matches this error: the code itself, `HTTP_4XX` for its class, or `*` for all. */
export const meansError = (listed: string, code: string): boolean =>
  listed === '*' || listed === code || (HTTP_STATUS.test(code) && listed === `${code.slice(0, 6)}XX`);

/** The transition from a step that has failed permanently. The first branch that names the error is taken. */
export function wayAfterFailure({ onError, next }: Pick<OutlineStep, 'onError' | 'next'>, code: string): Way {
  if (onError === 'continue') return wayTo(next);
  if (onError === 'pause') return 'pause';
  if (onError === 'fail') return 'failure';
  const branch = onError.find(({ errors }) => errors.some((listed) => meansError(listed, code)));
  return branch === undefined ? 'failure' : wayTo(branch.next);
}

/** The key of a step in a run: the same step is executed once for each item of the loops around it. */
export const stepKey = (stepId: string, iteration: string): string => `${stepId}#${iteration}`;

/** The iteration of an item within the loop whose own iteration is given; items count from 0. */
export const iterationOf = (loopIteration: string, item: number): string =>
  loopIteration === '' ? String(item) : `${loopIteration}.${item}`;

/** The iterations whose results a step can see: its own, and those of the loops around it, outermost first. */
export function iterationsAround(iteration: string): string[] {
  if (iteration === '') return [''];
  const places = iteration.split('.');
  return ['', ...places.map((_, index) => places.slice(0, index + 1).join('.'))];
}

/** Argument of the Temporal workflow runScheduled, which is started by a Temporal schedule. */
export type ScheduledRunInput = { workflowId: string };

/** The id of a workflow's schedule in Temporal, with which the ids of its Temporal workflows begin. */
export const scheduleIdOf = (workflowId: string): string => `workflow/${workflowId}`;

/**
 * The run for one time of a schedule, for the Temporal UI. `attributes`: Keyword search attributes, if the namespace has them. Null if
 * the workflow is no longer active.
 */
export type BegunScheduledRun = {
  run: RunInput;
  summary: string;
  attributes: Readonly<Record<string, string>>;
} | null;
