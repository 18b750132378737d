import type { Subscription } from '../api/client.ts';
import { durationText } from './format.ts';

type Policy = Subscription['retryPolicy'];
/**
 * Most attempts that the service accepts. Larger numbers, which occur while a number is being typed, are not computed:
 * 20 million stopped the page for 3 s.
 */
const MOST_RETRIES = 100;

/**
 * Returns the ms from the first attempt to each one if every attempt fails at once: the delays, without their random
 * jitter.
 */
export function attemptTimes({ maxRetries, initialDelay, maxDelay, backoffMultiplier }: Policy): number[] {
  const times = [0];
  let at = 0;
  let delay = initialDelay;
  for (let retry = 0; retry < Math.min(maxRetries, MOST_RETRIES); retry += 1) {
    at += Math.min(delay, maxDelay);
    times.push(at);
    delay *= backoffMultiplier;
  }
  return times;
}

/** Returns the time from the first attempt to the last one, in ms. */
export const policySpan = (policy: Policy): number => attemptTimes(policy).at(-1) ?? 0;

/** Returns a text such as `4 attempts over about 8 s`. */
export function policyText(policy: Policy): string {
  const times = attemptTimes(policy);
  const span = times.at(-1) ?? 0;
  return times.length === 1 ? '1 attempt, no retries' : `${times.length} attempts over about ${durationText(span)}`;
}
