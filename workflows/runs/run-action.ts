import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { HEARTBEAT_TIMEOUT_MS, RECORDING_MS } from '../../src/kernel/contract/delivery-workflow.ts';
import { type RetryPolicy, retryDelay } from '../../src/kernel/contract/retry-policy.ts';
import type { OutlineStep } from '../../src/kernel/contract/run-outline.ts';
import {
  type Way,
  DEADLY_PATIENCE_MS,
  RUN_FAILURES,
  type StepInput,
  type Taken,
} from '../../src/kernel/contract/run-workflow.ts';
import { TIMEOUT_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import { local } from './run-local.ts';
import type { TakeStep } from './run-state.ts';

type ActionStep = OutlineStep & { type: 'action' };

/**
 * Executes a step with effects as a regular activity under the step's own retry policy. An attempt that never reported
 * (its worker died, or PostgreSQL was down for all of its time) is repeated and does not count against the policy.
 */
export const takeAction: TakeStep<ActionStep> = async (run, { step, stepId, iteration }) => {
  const input = { ...run.input, stepId, iteration };
  for (let failures = 0; ; ) {
    try {
      return (await attempt(step, input, failures)).way;
    } catch (failure) {
      const way = wayOf(failure);
      if (way !== undefined) return way;
      if (isOver(failure)) throw failure;
      const standing = await local(step.label).stepStanding({ ...input, crash: crashOf(failure) });
      if ('way' in standing) return standing.way;
      failures = standing.failures;
    }
  }
};

function attempt(step: ActionStep, input: StepInput, failures: number): Promise<Taken> {
  const activities = proxyActivities<Activities>({
    // After a crash of its worker an attempt may have to wait for its turn.
    startToCloseTimeout: step.timeoutMs + RECORDING_MS + DEADLY_PATIENCE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: {
      ...retryFrom(step.retryPolicy, failures),
      nonRetryableErrorTypes: [...step.nonRetryableErrors, ...TIMEOUT_TYPES],
    },
    // The response to a request in flight is no longer needed.
    cancellationType: 'TRY_CANCEL',
    summary: step.label,
  });
  if (step.action === 'connector') return activities.connectorStep(input);
  return step.action === 'publish' ? activities.publishStep(input) : activities.httpStep(input);
}

/**
 * Returns what is left of a policy after this many failures. After each attempt the activity says when the next one is
 * due.
 */
const retryFrom = (policy: RetryPolicy, failures: number) => ({
  maximumAttempts: Math.max(1, policy.maxRetries + 1 - failures),
  initialInterval: retryDelay(policy, failures + 1),
  maximumInterval: policy.maxDelay,
  backoffCoefficient: policy.backoffMultiplier,
});

const rootOf = (failure: unknown): unknown => (failure instanceof ActivityFailure ? failure.cause : failure);

/** Returns the transition of a step that has finally failed, as the activity recorded it. */
function wayOf(failure: unknown): Way | undefined {
  const root = rootOf(failure);
  if (!(root instanceof ApplicationFailure)) return undefined;
  // `as`: written by activities/run-steps.ts.
  const [taken] = (root.details ?? []) as [Taken?];
  return taken?.way;
}

/** Whether the run is over or being cancelled, so that nothing is retried. */
function isOver(failure: unknown): boolean {
  if (CancellationScope.current().consideredCancelled) return true;
  const root = rootOf(failure);
  const isEnded =
    root instanceof ApplicationFailure && (root.type === RUN_FAILURES.superseded || root.type === RUN_FAILURES.deadly);
  return isEnded || !(root instanceof ApplicationFailure || root instanceof TimeoutFailure);
}

/** Returns why an attempt ended without a report: its worker stopped sending heartbeats, or it ran out of time. */
function crashOf(failure: unknown): 'worker' | 'time' | undefined {
  const root = rootOf(failure);
  if (!(root instanceof TimeoutFailure)) return undefined;
  return root.timeoutType === 'HEARTBEAT' ? 'worker' : 'time';
}
