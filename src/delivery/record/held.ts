import { nextRetryOfHeld } from '../../kernel/rules/circuit.ts';
import { policyEndsAt, type RetryPolicy } from '../../kernel/contract/retry-policy.ts';
import type { DeliveryStatus, SubscriptionStatus } from '../../kernel/words/statuses.ts';

/** The reason, beside its policy, why an unfinished delivery is not being tried. */
export const HELD_REASONS = [
  'app_suspended',
  'paused',
  'disabled',
  'circuit',
  'rate_limit',
  'secret_unreadable',
  'internal',
] as const;
type HeldReason = (typeof HELD_REASONS)[number];

/** `until` is the delivery's nextRetryAt; absent while only a resume ends the hold. */
export type Held = { reason: HeldReason; since: Date; until?: Date };

/** Columns of a delivery that say whether it is held. */
export type Holdable = RetryPolicy & {
  status: DeliveryStatus;
  dueAt: Date | null;
  nextRetryAt: Date | null;
  holder: string | null;
  carrier: string | null;
  heldReason: string | null;
  heldSince: Date | null;
  policyStartedAt: Date;
  policyAttempts: number;
};

/** Columns of the delivery's subscription that may hold it. The times of a circuit are null while it is closed. */
export type HoldingSubscription = {
  status: SubscriptionStatus;
  statusChangedAt: Date;
  appSuspendedAt: Date | null;
  timeoutMs: number;
  resumedAt: Date | null;
  circuitOpenedAt: Date | null;
  circuitProbeAt: Date | null;
  circuitProbeFailedAt: Date | null;
};

/** A worker has the delivery: claimed for the next try, or in a Temporal workflow whose try is due. */
const isBeingTried = ({ holder, carrier, dueAt }: Holdable, now: Date): boolean =>
  holder !== null || (carrier !== null && dueAt !== null && dueAt <= now);

/** The hold by a circuit that is not closed; undefined where there is none. */
function heldByCircuit(
  delivery: Holdable & { dueAt: Date },
  holder: HoldingSubscription | undefined,
): Required<Held> | undefined {
  if (holder === undefined || holder.circuitOpenedAt === null || holder.circuitProbeAt === null) return undefined;
  const { resumedAt, timeoutMs, circuitOpenedAt: openedAt, circuitProbeAt: probeAt } = holder;
  const { policyStartedAt, policyAttempts, dueAt } = delivery;
  const startedAt = resumedAt !== null && resumedAt > policyStartedAt ? resumedAt : policyStartedAt;
  const until = nextRetryOfHeld(
    { policyEndsAt: policyEndsAt(delivery, startedAt, timeoutMs), dueAt, policyAttempts },
    { openedAt, probeAt, probeFailedAt: holder.circuitProbeFailedAt },
  );
  return until > dueAt ? { reason: 'circuit', since: openedAt, until } : undefined;
}

/**
 * The time of a delivery's next try, and the hold until then, at `now`. The app's state comes first, then the subscription's own: while
 * one of them holds a delivery, nothing else matters, and no retry is coming. A circuit holds tries that would be made before
 * its next probe. A finished delivery is not held, nor one at its try, nor one that waits for its policy's next try alone.
 */
export function deliveryStandingOf(
  delivery: Holdable,
  subscription: HoldingSubscription | undefined,
  now: Date,
): { nextRetryAt: Date | null; held: Held | undefined } {
  const { dueAt, nextRetryAt, heldReason, heldSince } = delivery;
  if (dueAt === null || isBeingTried(delivery, now)) return { nextRetryAt, held: undefined };
  if (subscription !== undefined && subscription.appSuspendedAt !== null) {
    return { nextRetryAt: null, held: { reason: 'app_suspended', since: subscription.appSuspendedAt } };
  }
  if (subscription !== undefined && subscription.status !== 'active') {
    return { nextRetryAt: null, held: { reason: subscription.status, since: subscription.statusChangedAt } };
  }
  const byCircuit = heldByCircuit({ ...delivery, dueAt }, subscription);
  if (byCircuit !== undefined) return { nextRetryAt: byCircuit.until, held: byCircuit };
  const reason = HELD_REASONS.find((each) => each === heldReason);
  if (reason === undefined || heldSince === null) return { nextRetryAt, held: undefined };
  const until = nextRetryAt === null ? {} : { until: nextRetryAt };
  return { nextRetryAt, held: { reason, since: heldSince, ...until } };
}
