import { CIRCUIT_OPEN_MS } from './circuit.ts';

/** Last chances of one subscription, over all workers. One of the places at a time is the probe's. */
export const LAST_CHANCES = { atATime: 5, perSecond: 10 } as const;

/** An unfinished delivery whose subscription's circuit is not closed. */
export type HeldByCircuit = {
  /** The end of its policy: `policyEndsAt` from its beginning, or from the subscription's last resume. */
  policyEndsAt: Date;
  /** The time of its first try, or of its next retry. */
  dueAt: Date;
  /** Its own attempts under the policy in force. */
  policyAttempts: number;
};

/** A circuit that is not closed, as it is stored. */
export type NotClosed = {
  /** The last opening, a probe that failed included. */
  openedAt: Date;
  /** When the next probe may be made. During a probe: when another may be made if that one is lost. */
  probeAt: Date;
  /** The last probe that failed since the circuit opened; null before the first one. */
  probeFailedAt: Date | null;
};

/**
 * The way in which a try passes a circuit that is not closed: as its probe, or as its delivery's last chance. Neither: the circuit is
 * closed.
 */
export type Passage = { isProbe: boolean; isLastChance: boolean };

/** Waits for a probe; may make its one attempt although the circuit is open; or is given up. */
export type HeldStanding = 'waits' | 'lastChance' | 'givenUp';

/**
 * State of a held delivery. The delivery waits until a probe has failed after its policy would have ended and after its own time had
 * come. From then on it is given up, but never without an attempt of its own: one that has none makes it first. The same rule is in
 * SQL in src/delivery/record/statements/settle-circuit.ts; a test compares them.
 */
export function circuitStandingOf(
  held: HeldByCircuit,
  { probeFailedAt }: Pick<NotClosed, 'probeFailedAt'>,
): HeldStanding {
  const overAt = Math.max(held.policyEndsAt.getTime(), held.dueAt.getTime());
  if (probeFailedAt === null || probeFailedAt.getTime() < overAt) return 'waits';
  return held.policyAttempts === 0 ? 'lastChance' : 'givenUp';
}

/**
 * The nextRetryAt of a held delivery: the probe, or its own time when that is later. Past the end of its policy it shows the failed
 * probe, a time in the past, because the delivery is due as soon as its turn comes. So nextRetryAt is never later than the moment of
 * giving up. A probe under way is shown with the time from which it could be made; the lease of a lost one is no promise.
 */
export function nextRetryOfHeld(held: HeldByCircuit, circuit: NotClosed): Date {
  const probeAt = Math.min(circuit.probeAt.getTime(), circuit.openedAt.getTime() + CIRCUIT_OPEN_MS);
  const isOver = circuitStandingOf(held, circuit) !== 'waits';
  const shownAt = isOver && circuit.probeFailedAt !== null ? circuit.probeFailedAt.getTime() : probeAt;
  return new Date(Math.max(held.dueAt.getTime(), shownAt));
}
