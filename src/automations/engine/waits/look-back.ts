import { lowestIdAt } from '../../../kernel/values/ids.ts';
import type { CarriedRun } from '../load-store.ts';
import { readArrived } from './arrivals/arrived.ts';
import type { WaitDependencies } from './kind.ts';
import { keyOfMessage, type Wanted } from './arrivals/matching.ts';
import { findCandidates } from './wait-store.ts';

// Payloads that are held in memory at once have 12 MiB at most.
const READ_AT_ONCE = 50;

/** The id of the first message since then that a run waits for; undefined where none has come. */
export async function lookBack(
  deps: WaitDependencies,
  { id: runId, environmentId }: Pick<CarriedRun, 'id' | 'environmentId'>,
  { wanted, key, since }: { wanted: Wanted; key: string; since: Date },
): Promise<string | undefined> {
  const { channelIds, eventTypes } = wanted;
  const sinceId = lowestIdAt('message', since);
  const ids = await findCandidates(deps.pool, { environmentId, runId, channelIds, eventTypes, sinceId });
  for (let at = 0; at < ids.length; at += READ_AT_ONCE)
    for (const message of await readArrived(deps.pool, ids.slice(at, at + READ_AT_ONCE)))
      if ((await keyOfMessage(deps, wanted, message)) === key) return message.id;
  return undefined;
}
