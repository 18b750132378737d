import type { Pool, PoolClient } from 'pg';
import type { Publication, Stored } from '../../messages/publication.ts';
import type { Holder, NewDelivery } from './new-delivery.ts';

/**
 * Stores a group of publications in one transaction, with one delivery for every subscription that wants a message.
 * `routed` has the number of deliveries by message id, without messages that no subscription takes. `holder` says which process claims
 * new deliveries at once, and how many. Those it got come back in `taken`, `hasUntaken` says whether dispatchers must be woken for
 * others, and `hasRuns` whether runs have begun or may go on.
 * The room of deliveries provides it: one statement stores messages and their deliveries.
 */
export type StorePublications = (
  pool: Pool | PoolClient,
  publications: readonly Publication[],
  holder: Holder | undefined,
) => Promise<{
  stored: Stored[];
  routed: ReadonlyMap<string, number>;
  taken: NewDelivery[];
  hasUntaken: boolean;
  hasRuns: boolean;
}>;
