import { type ApiError, invalidField } from '../../kernel/errors.ts';
import { MESSAGE_LIMITS } from '../messages/schema.ts';

/** When a message is to be published, as its publisher asked: a time or ms from now; neither: at once. */
export type ScheduleRequest = { deliverAt?: Date | undefined; delay?: number | undefined };

// The publisher's clock and ours may differ; what is older than that was meant for another day.
const PAST_MS = 300_000;

/**
 * When to publish a message; undefined is at once, which a `deliverAt` up to five minutes ago means too. `at` stands before the
 * field of a refusal: `messages[3].`. INVALID_REQUEST for both fields and for more than five minutes ago or 365 days ahead.
 */
export function timeToPublish({ deliverAt, delay }: ScheduleRequest, now: Date, at = ''): Date | undefined {
  if (deliverAt === undefined) return delay === undefined ? undefined : new Date(now.getTime() + delay);
  if (delay !== undefined) throw invalidField(`${at}delay`, 'must not stand beside deliverAt');
  const past = problemOfPast({ deliverAt }, now, at);
  if (past !== undefined) throw past;
  const aheadMs = deliverAt.getTime() - now.getTime();
  if (aheadMs > MESSAGE_LIMITS.delayMs) throw invalidField(`${at}deliverAt`, 'must be at most 365 days ahead');
  return aheadMs > 0 ? deliverAt : undefined;
}

/** INVALID_REQUEST for a `deliverAt` of more than five minutes ago. A publisher that repeats a message may still name it. */
export function problemOfPast({ deliverAt }: ScheduleRequest, now: Date, at = ''): ApiError | undefined {
  const isPast = deliverAt !== undefined && deliverAt.getTime() - now.getTime() < -PAST_MS;
  return isPast ? invalidField(`${at}deliverAt`, 'lies in the past') : undefined;
}
