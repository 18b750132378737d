import type { Pool } from 'pg';

/** Gives claimed deliveries back: due again, in the same round, at once or `afterSeconds` later. Returns how many were still held. */
export async function releaseDeliveries(
  pool: Pool,
  { ids, incarnationId, afterSeconds = 0 }: { ids: readonly string[]; incarnationId: string; afterSeconds?: number },
): Promise<number> {
  if (ids.length === 0) return 0;
  const { rowCount } = await pool.query(
    `UPDATE deliveries SET holder = NULL, due_at = CASE WHEN $3 > 0 THEN now() + make_interval(secs => $3) ELSE due_at END
     WHERE id = ANY ($1::text[]) AND holder = $2 AND due_at IS NOT NULL`,
    [ids, incarnationId, afterSeconds],
  );
  return rowCount ?? 0;
}

/** Gives back every claim of an incarnation that ends. */
export async function releaseAllOf(pool: Pool, incarnationId: string): Promise<void> {
  await pool.query('UPDATE deliveries SET holder = NULL WHERE holder = $1', [incarnationId]);
}

// SQL, a SET list. The round stays: if the dead worker did start the Temporal workflow, the second start is refused and nothing is
// sent twice (decision 12). Each takeover is counted, because one of these deliveries may be what has killed the worker.
const TAKEN_OVER = 'holder = NULL, takeovers = least(takeovers + 1, 1000)';

/** Frees the claims of these dead incarnations. Returns how many deliveries are due again. */
export async function takeOverFrom(pool: Pool, incarnationIds: readonly string[]): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'take_over',
    text: `UPDATE deliveries SET ${TAKEN_OVER} WHERE holder = ANY ($1::text[])`,
    values: [incarnationIds],
  });
  return rowCount ?? 0;
}

/**
 * Frees the claims of incarnations without a lease, known or not, except `ownIds`, those of this process. Reads all held rows. Returns
 * how many deliveries are due again.
 */
export async function takeOverFromUnleased(pool: Pool, ownIds: readonly string[]): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE deliveries SET ${TAKEN_OVER}
     WHERE holder IS NOT NULL AND holder <> ALL ($1::text[])
       AND holder NOT IN (SELECT id FROM incarnations WHERE expires_at > now())`,
    [ownIds],
  );
  return rowCount ?? 0;
}

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
