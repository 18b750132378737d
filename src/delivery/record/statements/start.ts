import type { Pool } from 'pg';

/** Marks a delivery as started: its Temporal workflow carries it from here. A delivery that has already moved on is left alone. */
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

/** Whether this process still has the claim of this round: nobody has taken it over, and no try is on record. */
export async function isStillClaimed(
  pool: Pool,
  { id, round, incarnationId }: { id: string; round: number; incarnationId: string },
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'is_still_claimed',
    text: 'SELECT FROM deliveries WHERE id = $1 AND round = $2 AND holder = $3',
    values: [id, round, incarnationId],
  });
  return rowCount === 1;
}
