import type { Database } from '../../../platform/db/client.ts';

/** The subscription's channel, for its test message. */
export async function subscriptionTarget(
  db: Database,
  environmentId: string,
  subscriptionId: string,
): Promise<{ channelId: string; status: string } | undefined> {
  const row = await db.subscription.findFirst({
    where: { id: subscriptionId, environmentId, deletedAt: null },
    select: { channelId: true, status: true },
  });
  return row ?? undefined;
}
