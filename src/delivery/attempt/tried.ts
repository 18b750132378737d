import type { SendResult } from '../../platform/outbound/post-webhook.ts';
import type { DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import type { Judgement } from './judge.ts';
import type { Tried } from '../../platform/observe/meters.ts';

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
