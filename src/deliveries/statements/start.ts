import type { Pool } from 'pg';

/** A started delivery: its Temporal workflow carries it from here. Nothing happens to one that has already moved on. */
export async function setCarrier(
  pool: Pool,
  started: { id: string; round: number; incarnationId: string; carrier: string },
): Promise<void> {
  await pool.query({
    name: 'set_carrier',
    text: 'UPDATE deliveries SET carrier = $4, holder = NULL WHERE id = $1 AND round = $2 AND holder = $3',
    values: [started.id, started.round, started.incarnationId, started.carrier],
  });
}
