import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import { type Channel as ChannelRow, Prisma } from '../../platform/db/generated/client.ts';
import { findByName } from '../../platform/db/sql/name-look.ts';
import { systemChannel } from '../../platform/db/sql/fragments.ts';
import type { NamedRows, PageRequest } from '../../kernel/values/page.ts';
import { SYSTEM_CHANNEL_NAME } from '../../kernel/words/event-types.ts';
import type { CancelReason, ChannelStatus } from '../../kernel/words/statuses.ts';
import type { Channel, CreateChannel, SchemaMode, UpdateChannel } from './schema.ts';

/** Every query here is limited to one environment and ignores deleted channels. */
type Db = DatabaseTransaction;

export async function insertChannel(
  db: Db,
  channel: CreateChannel & {
    id: string;
    environmentId: string;
    retentionDays: number;
    appSuspendedAt: Date | null;
    now: Date;
  },
): Promise<Channel> {
  const row = await db.channel.create({
    data: {
      id: channel.id,
      environmentId: channel.environmentId,
      name: channel.name,
      description: channel.description ?? null,
      status: channel.status,
      schema: toJson(channel.schema ?? null),
      schemas: toJson(channel.schemas ?? null),
      schemaMode: channel.schemaMode ?? 'enforce',
      retentionDays: channel.retentionDays,
      appSuspendedAt: channel.appSuspendedAt,
      createdAt: channel.now,
      updatedAt: channel.now,
    },
  });
  return toChannel(row);
}

export async function findChannel(
  db: Pick<DatabaseReader, 'channel'>,
  environmentId: string,
  id: string,
): Promise<Channel | undefined> {
  const row = await db.channel.findFirst({ where: { id, environmentId, deletedAt: null } });
  return row === null ? undefined : toChannel(row);
}

type ChannelFilter = { status?: ChannelStatus; ids?: string[] };

/** Returns the channels of a page, newest first, and one more if there is one. */
export async function findChannels(
  db: Pick<DatabaseReader, 'channel'>,
  environmentId: string,
  { limit, after }: PageRequest,
  { ids, ...filter }: ChannelFilter,
  { hasSchemas }: { hasSchemas: boolean },
): Promise<Channel[]> {
  const rows = await db.channel.findMany({
    omit: { schema: !hasSchemas, schemas: !hasSchemas },
    where: {
      environmentId,
      deletedAt: null,
      ...filter,
      id: { ...(ids !== undefined && { in: ids }), ...(after !== undefined && { lt: after }) },
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return hasSchemas ? rows.map(toChannel) : withoutSchemas(db, rows);
}

/** Returns the ids of the channels of a page whose names contain the given part. */
export const findChannelsNamed = (
  db: Db,
  environmentId: string,
  page: PageRequest,
  { status, ids, part }: ChannelFilter & { part: string },
): Promise<NamedRows> => findByName(db, { list: 'channels', environmentId, part, ids, columns: { status } }, page);

/** Converts channels whose schemas were not read. */
async function withoutSchemas(
  db: Pick<DatabaseReader, 'channel'>,
  rows: readonly Omit<ChannelRow, 'schema' | 'schemas'>[],
): Promise<Channel[]> {
  // A row without schemas still shows its mode if it has a schema, which is not read.
  const withSchema = await db.channel.findMany({
    select: { id: true },
    where: {
      id: { in: rows.map(({ id }) => id) },
      OR: [{ schema: { not: Prisma.DbNull } }, { schemas: { not: Prisma.DbNull } }],
    },
  });
  const ids = new Set(withSchema.map(({ id }) => id));
  return rows.map((row) => ({
    ...toChannel({ ...row, schema: null, schemas: null }),
    ...(ids.has(row.id) && { schemaMode: row.schemaMode as SchemaMode }),
  }));
}

/**
 * Reads a channel and locks it until the transaction ends. Publishing and subscribing, which lock it FOR SHARE, and
 * other changes have to wait.
 */
export async function lockChannel(db: Db, environmentId: string, id: string): Promise<Channel | undefined> {
  await db.$queryRaw`SELECT id FROM channels WHERE id = ${id} AND environment_id = ${environmentId} FOR UPDATE`;
  return findChannel(db, environmentId, id);
}

/** A change that affects publishing increments the version (publishing/configs/config-store.ts). */
export async function updateChannel(db: Db, id: string, change: UpdateChannel, now: Date): Promise<Channel> {
  const { schema, schemas, ...columns } = change;
  const isForPublishing = schema !== undefined || schemas !== undefined || change.schemaMode !== undefined;
  const row = await db.channel.update({
    where: { id },
    data: {
      ...columns,
      ...(schema === undefined ? {} : { schema: toJson(schema) }),
      ...(schemas === undefined ? {} : { schemas: toJson(schemas) }),
      ...(isForPublishing ? { configVersion: { increment: 1 } } : {}),
      updatedAt: now,
    },
  });
  return toChannel(row);
}

/** Whether it is the system channel, to which only the service publishes. */
export async function isSystemChannel(db: Db, id: string): Promise<boolean> {
  return (await db.channel.count({ where: { id, kind: 'system' } })) > 0;
}

/**
 * Creates the system channel of every environment that has none. Its id is derived, so creating it twice is harmless.
 */
export async function ensureSystemChannels(db: Pick<Db, '$executeRawUnsafe'>): Promise<void> {
  await db.$executeRawUnsafe(
    `INSERT INTO channels (id, environment_id, name, description, kind, created_at, updated_at)
     SELECT ${systemChannel('e.id')}, e.id, $1, $2, 'system', e.created_at, e.created_at FROM environments e
     ON CONFLICT (id) DO NOTHING`,
    SYSTEM_CHANNEL_NAME,
    'Service events: failing subscriptions, finished deliveries, backlogs',
  );
}

/** Makes scheduled messages due that were waiting for the channel to be active. */
export async function releaseScheduled(db: Db, id: string): Promise<void> {
  await db.$executeRaw`
    UPDATE scheduled_messages SET due_at = deliver_at WHERE channel_id = ${id} AND cancelled_at IS NULL AND due_at IS NULL`;
}

/**
 * Marks a channel and its subscriptions as deleted, cancels its scheduled messages, and returns the ids of the
 * subscriptions that were not deleted before.
 */
export async function markChannelDeleted(db: Db, id: string, now: Date): Promise<string[]> {
  await db.channel.update({ where: { id }, data: { deletedAt: now, updatedAt: now } });
  const cancelReason: CancelReason = 'channel_deleted';
  await db.scheduledMessage.updateMany({
    where: { channelId: id, cancelledAt: null },
    data: { cancelledAt: now, cancelReason, dueAt: null },
  });
  // In the order of ids, in which grouped results lock them too.
  await db.$executeRaw`SELECT FROM subscriptions WHERE channel_id = ${id} AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`;
  const subscriptions = await db.subscription.updateManyAndReturn({
    where: { channelId: id, deletedAt: null },
    data: { deletedAt: now, updatedAt: now },
    select: { id: true },
  });
  return subscriptions.map((subscription) => subscription.id);
}

function toChannel(row: ChannelRow): Channel {
  return {
    id: row.id,
    name: row.name,
    ...(row.description === null ? {} : { description: row.description }),
    // The column is only written with a validated status.
    status: row.status as ChannelStatus,
    // Both columns are only written with what schema.ts in this folder returns.
    ...(row.schema === null ? {} : { schema: row.schema as Record<string, unknown> }),
    ...(row.schemas === null ? {} : { schemas: row.schemas as Record<string, Record<string, unknown>> }),
    ...(row.schema === null && row.schemas === null ? {} : { schemaMode: row.schemaMode as SchemaMode }),
    retentionDays: row.retentionDays,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Null becomes SQL NULL and not the JSON value null. */
const toJson = (value: Record<string, unknown> | null) =>
  // The value comes from JSON.parse, so it is valid JSON, which Prisma's type does not know.
  value === null ? Prisma.DbNull : (value as Prisma.InputJsonObject);
