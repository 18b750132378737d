import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Carriers } from '../../platform/temporal/starts.ts';
import { beginNextRound, findUnseen, recordSeen } from './due-store.ts';
import { recordEndedInTemporal } from './start-run.ts';

// A carried run is looked at a minute after it was last seen: one that moves is not asked for more often, however long it waits.
const UNSEEN_SECONDS = 60;
// Runs looked at per pass. With many that wait for months each is looked at the less often.
const LOOKED_AT_ONCE = 200;

/**
 * One pass over runs that Temporal carries. A run that was terminated or cancelled there ends here; one whose Temporal workflow is gone
 * goes on in its next round. Safe to repeat, and in several workers at once.
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
  /** Told of runs that it has cancelled, for the metrics. */
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
      'the reconciler cancelled runs that were ended in Temporal, or begins their next round',
    );
}
