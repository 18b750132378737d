import type { Subscription } from '../api/client.ts';
import { durationText } from './format.ts';

type Policy = Subscription['retryPolicy'];
/** As many as the service takes. While a larger number is being written, no more are reckoned: 20 million stopped the page for 3 s. */
const MOST_RETRIES = 100;

/** Milliseconds from the first attempt to each one, if every attempt fails at once: the delays without the jitter that is added to them. */
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

/** The time from the first attempt to the last one, ms. */
export const policySpan = (policy: Policy): number => attemptTimes(policy).at(-1) ?? 0;

/** `4 attempts over about 8 s`. */
export function policyText(policy: Policy): string {
  const times = attemptTimes(policy);
  const span = times.at(-1) ?? 0;
  return times.length === 1 ? '1 attempt, no retries' : `${times.length} attempts over about ${durationText(span)}`;
}
