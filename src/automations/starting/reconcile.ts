import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Carriers } from '../../platform/temporal/starts.ts';
import { beginNextRound, findUnseen, recordSeen } from './due-store.ts';
import { recordEndedInTemporal } from './start-run.ts';

// A run is checked a minute after it was last seen in Temporal. A run that makes progress is not checked more often,
// however long it waits.
const UNSEEN_SECONDS = 60;
// Runs checked per pass. With many runs that wait for months, each is checked less often.
const LOOKED_AT_ONCE = 200;

/**
 * Runs one pass over the runs in Temporal. A run that was terminated or cancelled there is cancelled here; one whose
 * Temporal workflow no longer exists continues in its next round. Safe to repeat, and in several workers at once.
 */
export async function reconcileRuns({
  pool,
  log,
  carriers,
  observe,
}: {
  pool: Pool;
  log: Logger;
  carriers: Pick<Carriers, 'stateOf' | 'terminatedRuns' | 'whyEnded'>;
  /** Called for runs that were cancelled, for the metrics. */
  observe?: { ended(status: string): void } | undefined;
}): Promise<void> {
  let cancelled = 0;
  let again = 0;
  for (const terminated of await carriers.terminatedRuns())
    if (await recordEndedInTemporal({ pool, carriers }, terminated)) cancelled += 1;
  const seen: string[] = [];
  for (const run of await findUnseen(pool, { seconds: UNSEEN_SECONDS, most: LOOKED_AT_ONCE })) {
    const state = await carriers.stateOf(run.carrier);
    if (state === 'running') seen.push(run.runId);
    else if (state === 'cancelled') cancelled += (await recordEndedInTemporal({ pool, carriers }, run)) ? 1 : 0;
    else again += (await beginNextRound(pool, run)) ? 1 : 0;
  }
  for (let told = 0; told < cancelled; told += 1) observe?.ended('cancelled');
  if (seen.length > 0) await recordSeen(pool, seen);
  if (cancelled + again > 0)
    log.info(
      { cancelled, again },
      'the reconciler cancelled runs that were ended in Temporal, and continued runs whose Temporal workflow was gone in their next round',
    );
}
