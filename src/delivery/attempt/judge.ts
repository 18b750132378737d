import type { SendResult } from '../../platform/outbound/post-webhook.ts';
import type { AttemptInput, AttemptResult, DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import type { Passage } from '../../kernel/rules/circuit.ts';
import { delayAfterFailure, policyEndsAt } from '../../kernel/contract/retry-policy.ts';
import { type DeadLetterReason, type DeliveryStatus, isEndedForGood } from '../../kernel/words/statuses.ts';

/** The delivery's next status after a try. `dueAt` is the next retry, null when the delivery is finished. */
export type Judgement = {
  status: DeliveryStatus;
  dueAt: Date | null;
  deadLetterReason: DeadLetterReason | null;
};

/** The record's result for this try, when it need not or must not be made; undefined when it is to be made. */
export function recordedResult(
  delivery: DeliveryToAttempt,
  input: Pick<AttemptInput, 'round' | 'number'>,
  now: Date,
): AttemptResult | undefined {
  if (delivery.round !== input.round) return { result: 'superseded' };
  if (delivery.status === 'delivered') return { result: 'delivered' };
  if (delivery.status === 'failed') {
    return isEndedForGood(delivery.failureReason)
      ? { result: 'superseded' }
      : { result: 'deadLettered', message: delivery.lastErrorMessage ?? 'ended without a result' };
  }
  if (delivery.subscription.isDeleted) return { result: 'superseded' };
  if (delivery.attempts >= input.number) {
    return {
      result: 'retry',
      delayMs: untilThen(delivery.dueAt, now),
      message: delivery.lastErrorMessage ?? 'the recorded try failed',
    };
  }
  return undefined;
}

/**
 * Judges a try that ended at `now`. 410 ends the delivery at once. A try through a circuit that is not closed, a probe or a last
 * chance, ends its delivery when its policy is over by then: it could only wait for further probes.
 */
export function judge(
  delivery: DeliveryToAttempt,
  sent: SendResult,
  now: Date,
  { isProbe, isLastChance }: Passage,
): Judgement {
  if (sent.isDelivered) return { status: 'delivered', dueAt: null, deadLetterReason: null };
  if (sent.response?.status === 410) return { status: 'failed', dueAt: null, deadLetterReason: 'gone' };
  const delayMs = delayAfterFailure(delivery.policy, delivery.policyAttempts + 1, {
    retryAfterMs: sent.retryAfterMs,
    maxRetryAfter: delivery.subscription.maxRetryAfter,
  });
  if (delayMs === undefined) return { status: 'failed', dueAt: null, deadLetterReason: 'exhausted' };
  const isOver = policyEndsAt(delivery.policy, delivery.policyStartedAt, delivery.subscription.timeoutMs) <= now;
  if ((isProbe || isLastChance) && isOver) return { status: 'failed', dueAt: null, deadLetterReason: 'circuit' };
  return { status: 'retrying', dueAt: new Date(now.getTime() + delayMs), deadLetterReason: null };
}

/** The judgement in the form of the Temporal workflow. */
export function toResult(judgement: Judgement, message: string, now: Date): AttemptResult {
  if (judgement.status === 'delivered') return { result: 'delivered' };
  if (judgement.dueAt === null) return { result: 'deadLettered', message };
  return { result: 'retry', delayMs: untilThen(judgement.dueAt, now), message };
}

/** Milliseconds from now, at least 1: Temporal takes 0 as "use the maximum interval". */
const untilThen = (then: Date | null, now: Date): number => Math.max(1, (then?.getTime() ?? 0) - now.getTime());
