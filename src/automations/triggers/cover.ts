import type { DatabaseTransaction } from '../../platform/db/client.ts';

/**
 * Tells publishing that other workflows begin from now on with messages of these channels; an empty list stands for all channels of the
 * environment. To be called in the transaction that activates, pauses, changes or deletes a workflow with an event trigger, with the
 * channels that it covered before and those that it covers now. A publish that was decided by the earlier workflows stores nothing and
 * is decided again, in whichever process it is.
 */
export async function coverChanged(
  transaction: DatabaseTransaction,
  environmentId: string,
  channelIds: readonly string[],
): Promise<void> {
  // In the order of their ids: two workflows that are changed at once wait for each other instead of being deadlocked.
  await transaction.$executeRawUnsafe(
    `UPDATE channels SET config_version = config_version + 1
     WHERE id IN (SELECT c.id FROM channels c
       WHERE c.environment_id = $1 AND c.deleted_at IS NULL AND (cardinality($2::text[]) = 0 OR c.id = ANY ($2::text[]))
       ORDER BY c.id FOR NO KEY UPDATE)`,
    environmentId,
    [...channelIds],
  );
}
