import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { coverChanged } from '../triggers/cover.ts';
import { noteSchedule } from '../triggers/note-schedule.ts';
import type { Listening } from '../../messaging/publishing/configs/event-triggers.ts';
import { coverOf } from './references/references.ts';
import { triggerTypeOf } from './plan/trigger-type.ts';

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
