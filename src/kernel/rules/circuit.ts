/** How long a circuit breaker sends nothing after it has opened, in ms; then it allows one probe at a time. */
export const CIRCUIT_OPEN_MS = 30_000;

/** A circuit opens if at least 90 % of at least 20 attempts within the last 5 minutes have failed. */
export const CIRCUIT_OPENS_AT = { windowMs: 300_000, attempts: 20, failedPart: 0.9 } as const;

export const CIRCUIT_STATES = ['closed', 'open', 'half_open'] as const;
type CircuitState = (typeof CIRCUIT_STATES)[number];

/** A subscription's circuit breaker as shown in the API. `openedAt` is the last opening, including one after a failed probe. */
export type Circuit = { state: CircuitState; openedAt?: Date; nextProbeAt?: Date };

/**
 * The circuit at `now` according to the stored times, which are null while it is closed: `open` for 30 s after each opening, then
 * `half_open` until a probe decides. If `nextProbeAt` is in the past, the next due delivery is the probe.
 */
export function toCircuit({ openedAt, probeAt }: { openedAt: Date | null; probeAt: Date | null }, now: Date): Circuit {
  if (openedAt === null) return { state: 'closed' };
  const isOpen = now.getTime() < openedAt.getTime() + CIRCUIT_OPEN_MS;
  return { state: isOpen ? 'open' : 'half_open', openedAt, ...(probeAt !== null && { nextProbeAt: probeAt }) };
}

/** Final attempts of one subscription, over all workers. One of these slots is reserved for the probe. */
export const LAST_CHANCES = { atATime: 5, perSecond: 10 } as const;

/** An unfinished delivery whose subscription's circuit is not closed. */
export type HeldByCircuit = {
  /** The end of its policy: `policyEndsAt` from its beginning, or from the subscription's last resume. */
  policyEndsAt: Date;
  /** When its first attempt or its next retry is due. */
  dueAt: Date;
  /** Its own attempts under the current policy. */
  policyAttempts: number;
};

/** A circuit that is not closed, as it is stored. */
export type NotClosed = {
  /** The last opening, including one after a failed probe. */
  openedAt: Date;
  /** When the next probe may be sent. During a probe: when another may be sent if that one is lost. */
  probeAt: Date;
  /** The last failed probe since the circuit opened; null before the first one. */
  probeFailedAt: Date | null;
};

/**
 * How an attempt passes a circuit that is not closed: as the probe, or as its delivery's final attempt. Both are false if the circuit
 * is closed.
 */
export type Passage = { isProbe: boolean; isLastChance: boolean };

/** The delivery waits for a probe, may run its one attempt although the circuit is open, or is given up. */
export type HeldStanding = 'waits' | 'lastChance' | 'givenUp';

/**
 * The state of a held delivery. It waits until a probe has failed after both the end of its policy and its own due time. Then it is
 * given up, but never without an attempt of its own: a delivery without one gets a final attempt first. The same rule is in SQL in
 * src/delivery/record/statements/settle-circuit.ts; a test compares them.
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
 * The nextRetryAt of a held delivery: the probe, or its own due time if that is later. After the end of its policy it shows the failed
 * probe, a time in the past, because the delivery is due as soon as its turn comes; nextRetryAt is therefore never later than the
 * moment of giving up. For a probe in progress it shows the time from which that could be sent, not the end of its lease.
 */
export function nextRetryOfHeld(held: HeldByCircuit, circuit: NotClosed): Date {
  const probeAt = Math.min(circuit.probeAt.getTime(), circuit.openedAt.getTime() + CIRCUIT_OPEN_MS);
  const isOver = circuitStandingOf(held, circuit) !== 'waits';
  const shownAt = isOver && circuit.probeFailedAt !== null ? circuit.probeFailedAt.getTime() : probeAt;
  return new Date(Math.max(held.dueAt.getTime(), shownAt));
}
