import type { Pool } from 'pg';

/**
 * The Temporal workflow will not move this delivery: it goes into its next round, with the rest of its policy. False when it has moved
 * meanwhile.
 */
export async function leaveCarrier(
  pool: Pool,
  { id, round, carrier }: { id: string; round: number; carrier: string },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE deliveries SET round = round + 1, carrier = NULL
     WHERE id = $1 AND round = $2 AND carrier = $3 AND due_at IS NOT NULL`,
    [id, round, carrier],
  );
  return rowCount === 1;
}

/** The same for everything unfinished, at its own time. Returns the number. */
export async function leaveAllCarriers(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE deliveries SET round = round + 1, carrier = NULL
     WHERE carrier IS NOT NULL AND due_at IS NOT NULL AND num_nulls(due_at) = 0`,
  );
  return rowCount ?? 0;
}
