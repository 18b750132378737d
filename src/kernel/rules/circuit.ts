/** After opening no try is made for this long, then one probe at a time, ms. */
export const CIRCUIT_OPEN_MS = 30_000;

/** A circuit opens when at least 90 % of at least 20 tries of the last 5 minutes have failed. */
export const CIRCUIT_OPENS_AT = { windowMs: 300_000, attempts: 20, failedPart: 0.9 } as const;

export const CIRCUIT_STATES = ['closed', 'open', 'half_open'] as const;
type CircuitState = (typeof CIRCUIT_STATES)[number];

/** A subscription's circuit breaker as it is shown. `openedAt` is the last opening, a probe that failed included. */
export type Circuit = { state: CircuitState; openedAt?: Date; nextProbeAt?: Date };

/**
 * The circuit at `now` from the stored times: none of them while it is closed; `open` for 30 s after each opening, then `half_open`
 * until a probe decides. `nextProbeAt` may be past: then the next due delivery is the probe.
 */
export function toCircuit({ openedAt, probeAt }: { openedAt: Date | null; probeAt: Date | null }, now: Date): Circuit {
  if (openedAt === null) return { state: 'closed' };
  const isOpen = now.getTime() < openedAt.getTime() + CIRCUIT_OPEN_MS;
  return { state: isOpen ? 'open' : 'half_open', openedAt, ...(probeAt !== null && { nextProbeAt: probeAt }) };
}

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
