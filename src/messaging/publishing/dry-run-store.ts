import type { Database } from '../../platform/db/client.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { ChannelStatus, SubscriptionStatus } from '../../kernel/words/statuses.ts';

/**
 * Returns the status as publishing sees it: the system channel does not accept messages from callers. Undefined if it
 * is missing or deleted.
 */
export async function findChannel(
  db: Database,
  environmentId: string,
  id: string,
): Promise<{ status: ChannelStatus | 'system' } | undefined> {
  const row = await db.channel.findFirst({
    where: { id, environmentId, deletedAt: null },
    select: { status: true, kind: true },
  });
  // `as`: the column is only written with a validated status.
  return row === null ? undefined : { status: row.kind === 'system' ? 'system' : (row.status as ChannelStatus) };
}

/**
 * Returns a stored message as filters see it, including a scheduled one. Its payload is null if it has been erased. The
 * caller must have found the channel.
 */
export async function findSample(
  db: Database,
  channelId: string,
  id: string,
): Promise<{ eventType: string; payload: string | null; metadata: Record<string, string> | undefined } | undefined> {
  const select = { eventType: true, payload: true, metadata: true };
  // In this order: if it is published in between, the second query finds it.
  const waiting = await db.scheduledMessage.findFirst({ where: { id, channelId, cancelledAt: null }, select });
  const row = waiting ?? (await db.message.findFirst({ where: { id, channelId }, select }));
  if (row === null) return undefined;
  // `as`: only written with a validated Record<string, string>.
  return { ...row, metadata: (row.metadata ?? undefined) as Record<string, string> | undefined };
}

/** Returns the newest messages of a channel that are not erased. The caller must have found the channel. */
export const findNewest = (
  db: Database,
  channelId: string,
  limit: number,
): Promise<{ id: string; publishedAt: Date }[]> =>
  db.message.findMany({
    where: { channelId, erasedAt: null },
    orderBy: { id: 'desc' },
    take: limit,
    select: { id: true, publishedAt: true },
  });

/**
 * Returns the only subscription that a message was published to. Undefined if it goes to all subscriptions of its
 * channel.
 */
export async function findOnlySubscription(db: Database, messageId: string): Promise<string | undefined> {
  const row = await db.message.findUnique({ where: { id: messageId }, select: { onlySubscriptionId: true } });
  return row?.onlySubscriptionId ?? undefined;
}

export type DryRunSubscription = {
  id: string;
  name: string;
  status: SubscriptionStatus;
  appSuspendedAt: Date | null;
  eventTypes: string[];
  filter: string | null;
  circuitOpenedAt: Date | null;
  circuitProbeAt: Date | null;
};

/** Returns the subscriptions of a page, newest first, and one more if there is one. */
export async function findSubscriptions(
  db: Database,
  { channelId, subscriptionId }: { channelId: string; subscriptionId: string | undefined },
  { limit, after }: PageRequest,
): Promise<DryRunSubscription[]> {
  const rows = await db.subscription.findMany({
    where: {
      channelId,
      deletedAt: null,
      id: {
        ...(subscriptionId !== undefined && { equals: subscriptionId }),
        ...(after !== undefined && { lt: after }),
      },
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
    select: {
      id: true,
      name: true,
      status: true,
      appSuspendedAt: true,
      eventTypes: true,
      filter: true,
      circuitOpenedAt: true,
      circuitProbeAt: true,
    },
  });
  // `as`: the column is only written with a validated status.
  return rows.map((row) => ({ ...row, status: row.status as SubscriptionStatus }));
}

/** Returns the ids of the deliveries of a message by subscription. The caller must have found the message. */
export async function findDeliveriesTo(
  db: Database,
  messageId: string,
  subscriptionIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.delivery.findMany({
    where: { messageId, subscriptionId: { in: [...subscriptionIds] } },
    select: { id: true, subscriptionId: true },
  });
  return new Map(rows.map(({ id, subscriptionId }) => [subscriptionId, id]));
}
