import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Listening } from '../../messaging/publishing/configs/event-triggers.ts';
import { coverOf } from './references.ts';

/** Returns the type of a stored trigger (JSON text); undefined without a trigger. */
export function triggerTypeOf(trigger: string | undefined): string | undefined {
  // `as`: validated when it was written.
  return trigger === undefined ? undefined : (JSON.parse(trigger) as { type: string }).type;
}

/** Records that the schedule of a workflow has changed, so that it is synchronised with Temporal after the commit. */
async function noteSchedule(
  transaction: DatabaseTransaction,
  { workflowId, environmentId }: { workflowId: string; environmentId: string },
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO workflow_schedules AS s (workflow_id, environment_id) VALUES (${workflowId}, ${environmentId})
    ON CONFLICT (workflow_id) DO UPDATE SET revision = s.revision + 1`;
}

/**
 * Notifies publishing that the workflows started by messages of these channels have changed; an empty list means all
 * channels of the environment. Call it in the transaction that activates, pauses, changes or deletes a workflow with an
 * event trigger, with the channels covered before and after. A publish based on the earlier workflows then stores
 * nothing and is evaluated again, in any process.
 */
export async function coverChanged(
  transaction: DatabaseTransaction,
  environmentId: string,
  channelIds: readonly string[],
): Promise<void> {
  // Locked in id order, so that two workflows changed at the same time wait for each other instead of causing a
  // deadlock.
  await transaction.$executeRawUnsafe(
    `UPDATE channels SET config_version = config_version + 1
     WHERE id IN (SELECT c.id FROM channels c
       WHERE c.environment_id = $1 AND c.deleted_at IS NULL AND (cardinality($2::text[]) = 0 OR c.id = ANY ($2::text[]))
       ORDER BY c.id FOR NO KEY UPDATE)`,
    environmentId,
    [...channelIds],
  );
}

/**
 * Notifies publishing of channels whose messages now start other runs, and records changed schedules. Triggers are JSON
 * texts.
 */
export async function announceTriggers(
  transaction: DatabaseTransaction,
  { environmentId, workflowId }: { environmentId: string; workflowId: string },
  ...triggers: (string | undefined)[]
): Promise<void> {
  if (triggers.some((trigger) => triggerTypeOf(trigger) === 'schedule'))
    await noteSchedule(transaction, { environmentId, workflowId });
  await tell(
    transaction,
    environmentId,
    triggers.flatMap((trigger) => coverOf(trigger) ?? []),
  );
}

/**
 * Notifies publishing of channels whose messages the steps of a new version may wait for. Called when the version is
 * written, before it has a run, because runs of older versions may be waiting, too.
 */
export async function announceListening(
  transaction: DatabaseTransaction,
  environmentId: string,
  listens: readonly Listening[] = [],
): Promise<void> {
  await tell(transaction, environmentId, listens);
}

async function tell(
  transaction: DatabaseTransaction,
  environmentId: string,
  covers: readonly { channelIds: readonly string[] }[],
): Promise<void> {
  if (covers.length === 0) return;
  const isAll = covers.some(({ channelIds }) => channelIds.length === 0);
  await coverChanged(transaction, environmentId, isAll ? [] : covers.flatMap(({ channelIds }) => channelIds));
}
