import type { Pool } from 'pg';
import { lowestIdAt } from '../../../kernel/values/ids.ts';
import type { CarriedRun } from '../load-store.ts';
import type { Matching, Wanted } from './arrivals/matching.ts';
import { createFirstFit } from './arrivals/verdicts.ts';
import { findCandidates } from './wait-store.ts';

/** Returns the id of the first message since then that a run waits for; undefined if none has come. */
export type LookBack = (
  run: Pick<CarriedRun, 'id' | 'environmentId'>,
  waiting: { wanted: Wanted; key: string; since: Date },
) => Promise<string | undefined>;

/**
 * Looks through the messages that a run may have missed. Each run reads the ids of its candidates itself; their payloads are read and
 * evaluated once in a process for all runs that want the same.
 */
export function createLookBack(deps: Matching & { pool: Pool }): LookBack {
  const firstFit = createFirstFit(deps);
  return async ({ id: runId, environmentId }, { wanted, key, since }) => {
    const { channelIds, eventTypes } = wanted;
    const sinceId = lowestIdAt('message', since);
    const ids = await findCandidates(deps.pool, { environmentId, runId, channelIds, eventTypes, sinceId });
    return firstFit({ environmentId, wanted, key }, ids);
  };
}
