import type { DatabaseTransaction } from '../platform/db/client.ts';
import type { InboundRefusal as RefusalRow, InboundWebhook as WebhookRow } from '../platform/db/generated/client.ts';
import { findByName } from '../platform/db/sql/name-look.ts';
import type { NamedRows, PageRequest } from '../kernel/values/page.ts';
import type { ChannelStatus } from '../kernel/words/statuses.ts';
import type { Refusal, RefusalReason, Webhook, WebhookSettings } from './schema.ts';
import type { SealedWebhookSecret } from './secrets.ts';

/** Every query here is limited to one environment, or to a row found in it. */
type Db = DatabaseTransaction;

/** A webhook without its address, which depends on the settings of the service. `position` orders lists. */
export type StoredWebhook = Omit<Webhook, 'url'>;
export type PlacedWebhook = { id: string; webhook: StoredWebhook };
export type WebhookDraft = Omit<StoredWebhook, 'createdAt' | 'updatedAt'> & { environmentId: string; position: string };

/** Returns a channel that is not deleted and locks it against changes until the transaction ends. */
export async function shareChannel(
  db: Db,
  environmentId: string,
  id: string,
): Promise<{ status: ChannelStatus; isSystem: boolean } | undefined> {
  const rows = await db.$queryRaw<{ status: ChannelStatus; isSystem: boolean }[]>`
    SELECT status, kind = 'system' AS "isSystem" FROM channels
    WHERE id = ${id} AND environment_id = ${environmentId} AND deleted_at IS NULL FOR SHARE`;
  return rows[0];
}

export async function insertWebhook(
  db: Db,
  { id, position, environmentId, channelId, name, scheme, provider, status, ...settings }: WebhookDraft,
  now: Date,
): Promise<StoredWebhook> {
  const columns = { id, position, environmentId, channelId, name, scheme, status, provider: provider ?? null };
  const row = await db.inboundWebhook.create({ data: { ...columns, settings, createdAt: now, updatedAt: now } });
  return toWebhook(row);
}

export async function findWebhook(db: Db, environmentId: string, id: string): Promise<StoredWebhook | undefined> {
  const row = await db.inboundWebhook.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : toWebhook(row);
}

type WebhookFilter = { channelId?: string | undefined; status?: string | undefined; ids?: string[] };

/**
 * Returns the page's webhooks, newest first, plus one more if there is one; with `positions` only those at one of them.
 */
export async function findWebhooks(
  db: Db,
  environmentId: string,
  { limit, after }: PageRequest,
  { channelId, status, ids, positions }: WebhookFilter & { positions?: string[] },
): Promise<PlacedWebhook[]> {
  const rows = await db.inboundWebhook.findMany({
    where: {
      environmentId,
      ...(channelId !== undefined && { channelId }),
      ...(status !== undefined && { status }),
      ...(ids !== undefined && { id: { in: ids } }),
      position: { ...(positions !== undefined && { in: positions }), ...(after !== undefined && { lt: after }) },
    },
    orderBy: { position: 'desc' },
    take: limit + 1,
  });
  return rows.map((row) => ({ id: row.position, webhook: toWebhook(row) }));
}

/** Returns the positions of the page's webhooks whose names contain the text. */
export function findWebhooksNamed(
  db: Db,
  environmentId: string,
  page: PageRequest,
  { channelId, status, ids, part }: WebhookFilter & { part: string },
): Promise<NamedRows> {
  const columns = { channel_id: channelId, status };
  return findByName(db, { list: 'inbound_webhooks', environmentId, part, ids, columns }, page);
}

/** Reads a webhook and locks it and its secrets against other changes until the transaction ends. */
export async function lockWebhook(db: Db, environmentId: string, id: string): Promise<StoredWebhook | undefined> {
  await db.$queryRaw`SELECT id FROM inbound_webhooks WHERE id = ${id} AND environment_id = ${environmentId} FOR UPDATE`;
  return findWebhook(db, environmentId, id);
}

export async function updateWebhook(
  db: Db,
  { id, name, status, ...webhook }: StoredWebhook,
  now: Date,
): Promise<StoredWebhook> {
  const settings = settingsOf(webhook);
  return toWebhook(await db.inboundWebhook.update({ where: { id }, data: { name, status, settings, updatedAt: now } }));
}

/** Deletes the webhook with its secrets and its log. Event ids remain for their 72 hours. */
export async function deleteWebhook(db: Db, id: string): Promise<void> {
  await db.inboundWebhook.delete({ where: { id } });
}

export async function insertSecrets(
  db: Db,
  webhookId: string,
  secrets: readonly SealedWebhookSecret[],
  now: Date,
): Promise<void> {
  await db.inboundWebhookSecret.createMany({
    data: secrets.map((secret) => ({ ...secret, webhookId, createdAt: now })),
  });
}

type StoredWebhookSecret = SealedWebhookSecret & { createdAt: Date; expiresAt: Date | null };

/** Returns the valid secrets, newest first. */
export const findSecrets = (db: Db, webhookId: string, now: Date): Promise<StoredWebhookSecret[]> =>
  db.inboundWebhookSecret.findMany({
    where: { webhookId, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    orderBy: { id: 'desc' },
    select: { id: true, ciphertext: true, createdAt: true, expiresAt: true },
  });

/** Makes `sealed` the current secret. Older ones end at `overlapUntil` at the latest; expired ones are removed. */
export async function replaceSecret(
  db: Db,
  webhookId: string,
  sealed: SealedWebhookSecret,
  { now, overlapUntil }: { now: Date; overlapUntil: Date },
): Promise<void> {
  await db.inboundWebhookSecret.updateMany({
    where: { webhookId, OR: [{ expiresAt: null }, { expiresAt: { gt: overlapUntil } }] },
    data: { expiresAt: overlapUntil },
  });
  await db.inboundWebhookSecret.deleteMany({ where: { webhookId, expiresAt: { lte: now } } });
  await insertSecrets(db, webhookId, [sealed], now);
}

/** Returns the page's refusals of a webhook, newest first, plus one more if there is one. */
export async function findRefusals(
  db: Db,
  { environmentId, webhookId, reason }: { environmentId: string; webhookId: string; reason?: RefusalReason },
  { limit, after }: PageRequest,
): Promise<Refusal[]> {
  const rows = await db.inboundRefusal.findMany({
    where: {
      webhookId,
      environmentId,
      ...(reason === undefined ? {} : { reason }),
      ...(after === undefined ? {} : { id: { lt: after } }),
    },
    omit: { body: true, head: true },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return rows.map(toRefusal);
}

const settingsOf = ({ signature, eventId, eventType, payload }: WebhookSettings): WebhookSettings => ({
  ...(signature !== undefined && { signature }),
  ...(eventId !== undefined && { eventId }),
  ...(eventType !== undefined && { eventType }),
  ...(payload !== undefined && { payload }),
});

function toWebhook({ id, channelId, name, scheme, provider, status, settings, createdAt, updatedAt }: WebhookRow) {
  return {
    id,
    name,
    channelId,
    // `as`: only validated values are stored.
    scheme: scheme as Webhook['scheme'],
    ...(provider !== null && { provider: provider as NonNullable<Webhook['provider']> }),
    status: status as Webhook['status'],
    ...settingsOf(settings as WebhookSettings),
    createdAt,
    updatedAt,
  };
}

const toRefusal = ({
  id,
  webhookId,
  reason,
  detail,
  address,
  userAgent,
  eventId,
  bytes,
  keptBytes,
  messageId,
  refusedAt,
}: Omit<RefusalRow, 'body' | 'head'>): Refusal => ({
  id,
  webhookId,
  // `as`: only reasons from the list are stored.
  reason: reason as RefusalReason,
  detail,
  address,
  ...(userAgent !== null && { userAgent }),
  ...(eventId !== null && { eventId }),
  bytes,
  hasBody: keptBytes !== null,
  ...(messageId !== null && { messageId }),
  refusedAt,
});
