import type { Pool } from 'pg';
import { isoTime, publishEvents, serviceEvent } from '../record/statements/service-events.ts';
import { untilReachable } from '../../platform/db/failures.ts';
import { CIRCUIT_OPEN_MS } from '../../kernel/rules/circuit.ts';

/** Whether the call changed the circuit, and for how many ms from now it allows no attempts; null if it is closed. */
export type CircuitChange = { isChanged: boolean; probeInMs: number | null };

/**
 * Changes the state of circuit breakers, which all processes share. Each change and its service event are one
 * statement.
 */
export type Circuits = {
  /** Opens a closed circuit. */
  open(subscriptionId: string): Promise<CircuitChange>;
  /** Claims the one probe that may be sent now. If this process dies, the next one can be sent after `leaseMs`. */
  takeProbe(subscriptionId: string, leaseMs: number): Promise<CircuitChange>;
  /**
   * After a failed probe: the circuit stays open for the same time again, and deliveries beyond their policy are
   * resolved (settle-held.ts).
   */
  reopen(subscriptionId: string): Promise<CircuitChange>;
  /** After a probe or a final attempt was delivered: closes the circuit. */
  close(subscriptionId: string): Promise<CircuitChange>;
};

// now() is the same throughout a statement, so the columns and the event agree.
const OPEN = `
  WITH changed AS (
    UPDATE subscriptions SET circuit_opened_at = now(), circuit_probe_at = now() + make_interval(secs => $2 / 1000.0)
    WHERE id = $1 AND circuit_opened_at IS NULL AND circuit_breaker AND deleted_at IS NULL
    RETURNING id, environment_id, channel_id, circuit_opened_at, circuit_probe_at
  ), ${publishEvents(
    serviceEvent('circuit.opened', {
      from: 'changed',
      payload: {
        subscriptionId: 'e.id',
        channelId: 'e.channel_id',
        openedAt: isoTime('e.circuit_opened_at'),
        nextProbeAt: isoTime('e.circuit_probe_at'),
      },
    }),
  )}
  SELECT id FROM changed`;

const TAKE_PROBE = `
  UPDATE subscriptions SET circuit_probe_at = now() + make_interval(secs => $2 / 1000.0)
  WHERE id = $1 AND circuit_probe_at <= now()`;

const REOPEN = `
  UPDATE subscriptions SET circuit_opened_at = now(), circuit_probe_at = now() + make_interval(secs => $2 / 1000.0),
    circuit_probe_failed_at = now()
  WHERE id = $1 AND circuit_opened_at IS NOT NULL`;

const CLOSE = `
  WITH changed AS (
    UPDATE subscriptions SET circuit_opened_at = NULL, circuit_probe_at = NULL, circuit_probe_failed_at = NULL
    WHERE id = $1 AND circuit_opened_at IS NOT NULL
    RETURNING id, environment_id, channel_id
  ), ${publishEvents(
    serviceEvent('circuit.closed', {
      from: 'changed',
      payload: { subscriptionId: 'e.id', channelId: 'e.channel_id', closedAt: isoTime('now()') },
    }),
  )}
  SELECT id FROM changed`;

export function createCircuits(pool: Pool): Circuits {
  const change = async (statement: string, values: unknown[]): Promise<CircuitChange> =>
    // Repeat the write through an outage of the database: attempts show the same state afterwards.
    untilReachable(
      async () => {
        const { rowCount } = await pool.query(statement, values);
        const { rows } = await pool.query<{ probeInMs: number | null }>(
          `SELECT (extract(epoch FROM circuit_probe_at - now()) * 1000)::float8 AS "probeInMs" FROM subscriptions WHERE id = $1`,
          [values[0]],
        );
        return { isChanged: (rowCount ?? 0) > 0, probeInMs: rows[0]?.probeInMs ?? null };
      },
      () => pool.ending,
    );
  return {
    open: (subscriptionId) => change(OPEN, [subscriptionId, CIRCUIT_OPEN_MS]),
    takeProbe: (subscriptionId, leaseMs) => change(TAKE_PROBE, [subscriptionId, leaseMs]),
    reopen: (subscriptionId) => change(REOPEN, [subscriptionId, CIRCUIT_OPEN_MS]),
    close: (subscriptionId) => change(CLOSE, [subscriptionId]),
  };
}
