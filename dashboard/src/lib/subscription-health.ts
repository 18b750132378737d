import type { Subscription } from '../api/client.ts';
import type { Tone } from '../ui/status.tsx';

export type Health = {
  tone: Tone;
  word: string;
  /** What is wrong, without a full stop. Absent if nothing is. */
  why?: string;
};

const DISABLED: Readonly<Record<NonNullable<Subscription['disabledReason']>, string>> = {
  gone: 'Disabled: the endpoint returned 410 Gone',
  failing: 'Disabled: every attempt failed for five days',
};

/**
 * Returns the health of a subscription in one word. What stops its deliveries takes precedence over its status.
 * `isFailing`: at least five attempts in a row have failed, the first of them at least a minute ago.
 */
export function healthOf(
  { status, circuit, disabledReason, secretUnreadableSince }: Subscription,
  { isFailing = false }: { isFailing?: boolean } = {},
): Health {
  if (secretUnreadableSince !== undefined)
    return { tone: 'failed', word: 'On hold', why: "Signing secret can't be decrypted" };
  if (status === 'disabled')
    return {
      tone: 'cancelled',
      word: 'Disabled',
      why: disabledReason === undefined ? 'Disabled' : DISABLED[disabledReason],
    };
  if (status === 'paused') return { tone: 'held', word: 'Paused', why: 'Paused. Messages are kept until you resume' };
  if (circuit.state === 'open')
    return { tone: 'failed', word: 'Circuit open', why: 'Circuit breaker open. Only probes are sent' };
  if (circuit.state === 'half_open')
    return { tone: 'retrying', word: 'Half-open', why: 'Circuit breaker half-open. A probe is under way' };
  if (isFailing) return { tone: 'failed', word: 'Failing', why: 'All recent attempts failed' };
  return { tone: 'delivered', word: 'Active' };
}
