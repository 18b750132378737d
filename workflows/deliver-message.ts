import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { Activities } from '../activities/index.ts';
import {
  type AttemptResult,
  type DeliverMessageInput,
  type DeliveryEnd,
  FIRST_TASK_LOST_AFTER_MS,
  HEARTBEAT_TIMEOUT_MS,
  MAX_CRASHES,
  RECORDING_MS,
  type Standing,
} from '../src/kernel/contract/delivery-workflow.ts';
import { toTemporalRetry } from '../src/kernel/contract/retry-policy.ts';
import type { DeadLetterReason } from '../src/kernel/words/statuses.ts';
import { FAILURE_TYPES, TIMEOUT_TYPES } from '../src/kernel/contract/temporal-names.ts';
import { failureType } from './failure-type.ts';

// Bookkeeping in PostgreSQL, retried until it succeeds: nothing else may decide how a delivery ends.
const { recordCrash, endAsDeadLetter } = proxyActivities<Activities>({
  startToCloseTimeout: RECORDING_MS,
  retry: { initialInterval: 500, maximumInterval: 10_000 },
});

const STATE = defineSearchAttributeKey('PosthornState', 'KEYWORD');

/**
 * One round of one delivery: attempts under the subscription's retry policy until it is delivered, on hold or a dead
 * letter. A dead letter fails the Temporal workflow so that the Temporal UI shows it. PostgreSQL has the record; every
 * activity here may be repeated without changing anything twice.
 */
export async function deliverMessage(input: DeliverMessageInput): Promise<DeliveryEnd> {
  try {
    return await deliver(input);
  } catch (failure) {
    // The attempt that used up the policy has already written the dead letter. After a cancellation, crash or unknown
    // failure it still has to be written.
    if (failureType(failure) !== FAILURE_TYPES.deadLettered) {
      const isCancelled = isCancellation(failure) || CancellationScope.current().consideredCancelled;
      const reason: DeadLetterReason = isCancelled ? 'cancelled' : 'internal';
      const message = isCancelled
        ? 'cancelled in Temporal'
        : 'the attempts ended without a result; requests may have been sent';
      await CancellationScope.nonCancellable(() =>
        endAsDeadLetter({ deliveryId: input.deliveryId, round: input.round, reason, message }),
      );
      showState(input, 'dead_letter');
      // If an attempt fails during the cancellation, the workflow has the failure of the attempt; the Temporal UI must
      // show "cancelled" in this case, too.
      throw isCancelled && !isCancellation(failure) ? new CancelledFailure(message) : failure;
    }
    showState(input, 'dead_letter');
    throw failure;
  }
}

async function deliver(input: DeliverMessageInput): Promise<DeliveryEnd> {
  let standing: Standing = { attempts: input.attempts, policyAttempts: input.policyAttempts };
  const isSuspect = input.firstTry === 'local' && hasLostFirstTask();
  let isFirst = input.firstTry === 'local' && !isSuspect;
  for (let crashes = 0; crashes < MAX_CRASHES; crashes += 1) {
    try {
      if (isFirst) {
        isFirst = false;
        const first = await attemptOnceLocally(input);
        if (first.result !== 'retry') return toEnd(first);
        standing = { attempts: input.attempts + 1, policyAttempts: input.policyAttempts + 1 };
        showState(input, 'retrying');
      }
      return toEnd(await attemptUntilPolicyEnds(input, standing, isSuspect));
    } catch (failure) {
      const crash = crashOf(failure);
      if (crash === undefined) throw failure;
      standing = await recordCrash({ deliveryId: input.deliveryId, round: input.round, number: crash.number });
      if (standing.end === 'deadLettered')
        throw deadLettered('the last attempt was recorded by a worker that then stopped');
      if (standing.end !== undefined) return { result: standing.end };
    }
  }
  throw ApplicationFailure.nonRetryable(`the worker stopped in ${MAX_CRASHES} attempts`);
}

/**
 * A local attempt that kills its worker leaves no trace, so the next worker would repeat it endlessly. A regular
 * activity reports by its heartbeat that it has started, so that such crashes are counted.
 */
const hasLostFirstTask = (): boolean =>
  Date.now() - workflowInfo().startTime.getTime() > FIRST_TASK_LOST_AFTER_MS && patched('regular-after-a-lost-task');

/**
 * Runs the first attempt of this round, which is due now, as a local activity, because it saves a round trip to
 * Temporal (12 ms instead of 63 ms).
 */
function attemptOnceLocally(input: DeliverMessageInput): Promise<AttemptResult> {
  const { attemptLocally } = proxyLocalActivities<Activities>({
    startToCloseTimeout: input.timeoutMs + RECORDING_MS,
    retry: { maximumAttempts: 1 },
  });
  return attemptLocally({ deliveryId: input.deliveryId, round: input.round, number: input.attempts + 1 });
}

/**
 * Runs the attempts under the retry policy. Temporal counts, delays and shows them. Attempt 1 of the activity stands
 * for an attempt that is already recorded (the local one, or the last of an earlier round), unless there is none yet.
 */
function attemptUntilPolicyEnds(
  input: DeliverMessageInput,
  { attempts, policyAttempts }: { attempts: number; policyAttempts: number },
  isSuspect: boolean,
): Promise<AttemptResult> {
  const { attemptDelivery } = proxyActivities<Activities>({
    startToCloseTimeout: input.timeoutMs + RECORDING_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    // An attempt whose worker died comes back here immediately instead of after the policy's next interval.
    retry: { ...toTemporalRetry(input.policy, policyAttempts), nonRetryableErrorTypes: [...TIMEOUT_TYPES] },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary: input.target,
  });
  const number = policyAttempts === 0 ? attempts + 1 : attempts;
  return attemptDelivery({
    deliveryId: input.deliveryId,
    round: input.round,
    number,
    ...(isSuspect && { isSuspect }),
  });
}

/** Converts a result that ends the round. `retry` does not occur here because the regular activity throws it. */
function toEnd(result: AttemptResult): DeliveryEnd {
  if (result.result === 'deadLettered' || result.result === 'retry') throw deadLettered(result.message);
  return { result: result.result };
}

const deadLettered = (message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, FAILURE_TYPES.deadLettered);

/**
 * Detects an attempt that never reported because its worker died or PostgreSQL was down for all of its time. `number`
 * is the attempt from its heartbeat, null if it died before the first one. Returns undefined for every other failure.
 */
function crashOf(failure: unknown): { number: number | null } | undefined {
  if (CancellationScope.current().consideredCancelled) return undefined;
  // A local activity that throws fails with the bare failure. One that times out fails with a wrapped failure, which is
  // bare when replayed.
  const root = failure instanceof ActivityFailure ? failure.cause : failure;
  if (root instanceof TimeoutFailure) {
    const number = root.lastHeartbeatDetails;
    return { number: typeof number === 'number' ? number : null };
  }
  const type = failureType(failure);
  const isOurs = type === FAILURE_TYPES.attemptFailed || type === FAILURE_TYPES.deadLettered;
  return root instanceof ApplicationFailure && !isOurs ? { number: null } : undefined;
}

function showState(input: DeliverMessageInput, state: string): void {
  if (input.isSearchable) upsertSearchAttributes([{ key: STATE, value: state }]);
}
