import type { SendResult } from '../../platform/outbound/post-webhook.ts';
import type { DeliveryToAttempt } from './delivery-to-attempt.ts';
import type { Judgement } from './judge.ts';

/** A recorded attempt as it is measured. Times are seconds; those since the acceptance are left out for replays. */
export type Tried = {
  outcome: Judgement['status'];
  /** `none` for a delivered one. */
  errorClass: string;
  seconds: number;
  /** From the acceptance of the message to the beginning of the first attempt. */
  firstAfterSeconds: number | undefined;
  /** From the acceptance of the message to the end of the attempt that delivered it. */
  deliveredAfterSeconds: number | undefined;
  deadLetterReason: Judgement['deadLetterReason'];
};

export function triedOf(
  { round, attempts, message }: Pick<DeliveryToAttempt, 'round' | 'attempts' | 'message'>,
  sent: Pick<SendResult, 'startedAt' | 'durationMs' | 'error'>,
  { status, deadLetterReason }: Judgement,
): Tried {
  // Two clocks of two machines may differ: a time before the acceptance counts as none.
  const afterMs = Math.max(0, sent.startedAt.getTime() - message.publishedAt.getTime());
  const isReplay = round > 1;
  return {
    outcome: status,
    errorClass: sent.error?.class ?? 'none',
    seconds: sent.durationMs / 1_000,
    firstAfterSeconds: isReplay || attempts > 0 ? undefined : afterMs / 1_000,
    deliveredAfterSeconds: isReplay || status !== 'delivered' ? undefined : (afterMs + sent.durationMs) / 1_000,
    deadLetterReason,
  };
}
