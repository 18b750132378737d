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
