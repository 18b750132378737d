import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Listening } from '../../messaging/publishing/configs/event-triggers.ts';
import { coverOf } from './references.ts';

/** The type in a stored trigger (JSON text); undefined without a trigger. */
export function triggerTypeOf(trigger: string | undefined): string | undefined {
  // `as`: its form was checked when it was written.
  return trigger === undefined ? undefined : (JSON.parse(trigger) as { type: string }).type;
}

/** A workflow with a schedule was changed: Temporal is to be told, once the transaction commits. */
async function noteSchedule(
  transaction: DatabaseTransaction,
  { workflowId, environmentId }: { workflowId: string; environmentId: string },
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO workflow_schedules AS s (workflow_id, environment_id) VALUES (${workflowId}, ${environmentId})
    ON CONFLICT (workflow_id) DO UPDATE SET revision = s.revision + 1`;
}

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

/** Tells publishing of channels whose messages begin other runs from now on, and Temporal of a schedule. Triggers are JSON texts. */
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
 * Tells publishing of channels whose messages the steps of a new version may wait for. That is done when the version is written, and so
 * before it has a run: runs of versions that are no longer the present one wait, too.
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
