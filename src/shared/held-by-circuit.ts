import { CIRCUIT_OPEN_MS } from './circuit.ts';

/** Last chances of one subscription, over all workers. One of the places at a time is the probe's. */
export const LAST_CHANCES = { atATime: 5, perSecond: 10 } as const;

/** An unfinished delivery whose subscription's circuit is not closed. */
export type HeldByCircuit = {
  /** When its policy would have ended: `policyEndsAt` from its beginning, or from the subscription's last resume. */
  policyEndsAt: Date;
  /** Its own time: of its first try, or of its next retry. */
  dueAt: Date;
  /** Its own attempts under the policy in force. */
  policyAttempts: number;
};

/** A circuit that is not closed, as it is stored. */
export type NotClosed = {
  /** The last opening, a probe that failed included. */
  openedAt: Date;
  /** When the next probe may be made; while one is under way, when the next one may be, should that be lost. */
  probeAt: Date;
  /** The last probe that failed since the circuit opened; null before the first one. */
  probeFailedAt: Date | null;
};

/** How a try passes a circuit that is not closed: as its probe, or as its delivery's last chance. Neither: it is closed. */
export type Passage = { isProbe: boolean; isLastChance: boolean };

/** Waits for a probe; may make its one attempt although the circuit is open; or is given up. */
export type HeldStanding = 'waits' | 'lastChance' | 'givenUp';

/**
 * Where a held delivery stands. It waits until a probe has failed after its policy would have ended and after its own time
 * had come. From then on it is given up, but never without an attempt of its own: one that has none makes it first. Written in
 * SQL as well, in src/deliveries/statements/settle-circuit.ts; a test compares them.
 */
export function standingOf(held: HeldByCircuit, { probeFailedAt }: Pick<NotClosed, 'probeFailedAt'>): HeldStanding {
  const overAt = Math.max(held.policyEndsAt.getTime(), held.dueAt.getTime());
  if (probeFailedAt === null || probeFailedAt.getTime() < overAt) return 'waits';
  return held.policyAttempts === 0 ? 'lastChance' : 'givenUp';
}

/**
 * The nextRetryAt of a held delivery: the probe, or its own time when that is later. Past its end it is the probe that failed: a
 * time in the past, for it is due as soon as its turn comes. So it is never later than the moment of giving up. A probe that
 * is under way is shown with the time from which it could be made; the lease that a lost one is given is no promise.
 */
export function nextRetryOfHeld(held: HeldByCircuit, circuit: NotClosed): Date {
  const probeAt = Math.min(circuit.probeAt.getTime(), circuit.openedAt.getTime() + CIRCUIT_OPEN_MS);
  const isOver = standingOf(held, circuit) !== 'waits';
  const shownAt = isOver && circuit.probeFailedAt !== null ? circuit.probeFailedAt.getTime() : probeAt;
  return new Date(Math.max(held.dueAt.getTime(), shownAt));
}
