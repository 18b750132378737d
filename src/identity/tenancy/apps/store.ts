import type { Database, DatabaseTransaction } from '../../../platform/db/client.ts';
import type { App as AppRow, Prisma } from '../../../platform/db/generated/client.ts';
import type { EnvironmentKind } from '../../../kernel/words/rights.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import type { AppStatus } from '../../../kernel/words/statuses.ts';
import { type App, type AppSettings, settingsInForce } from './schema.ts';

/**
 * Every query here is bound to one organisation, or to an app found in it, unless its comment says it is for the
 * operator.
 */
type Db = DatabaseTransaction;

/** An app with its own settings, which changes are merged into. */
export type StoredApp = App & { ownSettings: AppSettings };

export type NewApp = Pick<App, 'id' | 'organisationId' | 'name' | 'slug' | 'status'> & {
  description?: string;
  ownSettings: AppSettings;
  now: Date;
  environmentIds: Record<EnvironmentKind, string>;
};

/** Stores an app and its environments. */
export async function insertApp(db: Db, { environmentIds, ownSettings, now, ...app }: NewApp): Promise<StoredApp> {
  const row = await db.app.create({
    data: {
      ...app,
      description: app.description ?? null,
      settings: toJson(ownSettings),
      suspendedAt: app.status === 'suspended' ? now : null,
      createdAt: now,
      updatedAt: now,
    },
  });
  const environments = Object.entries(environmentIds).map(([kind, id]) => ({
    id,
    appId: app.id,
    kind,
    createdAt: now,
  }));
  await db.environment.createMany({ data: environments });
  return toApp(row);
}

export async function findApp(db: Db, organisationId: string, id: string): Promise<StoredApp | undefined> {
  const row = await db.app.findFirst({ where: { id, organisationId } });
  return row === null ? undefined : toApp(row);
}

/** Returns the rows of a page and one more, newest first. */
export async function findApps(
  db: Db,
  { organisationId, status }: { organisationId: string; status: AppStatus | undefined },
  page: PageRequest,
): Promise<StoredApp[]> {
  const rows = await db.app.findMany({
    where: {
      organisationId,
      ...(status !== undefined && { status }),
      ...(page.after !== undefined && { id: { lt: page.after } }),
    },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  return rows.map(toApp);
}

/** For the operator: returns all apps of all organisations, oldest first. */
export async function findAllApps(db: Database): Promise<StoredApp[]> {
  const rows = await db.app.findMany({ orderBy: { id: 'asc' } });
  return rows.map(toApp);
}

/** For the operator: returns up to `limit` of the oldest apps of all organisations, or those with that id or slug. */
export async function findAppsNamed(db: Database, ref: string | undefined, limit: number): Promise<StoredApp[]> {
  const where = ref === undefined ? {} : { OR: [{ id: ref }, { slug: ref }] };
  return (await db.app.findMany({ where, orderBy: { id: 'asc' }, take: limit })).map(toApp);
}

/** For the operator: returns up to `limit` of the oldest organisations that have an app. */
export async function findOrganisationsWithApps(db: Database, limit: number): Promise<string[]> {
  const where = { apps: { some: {} } };
  const rows = await db.organisation.findMany({ where, orderBy: { id: 'asc' }, take: limit, select: { id: true } });
  return rows.map(({ id }) => id);
}

/**
 * Locks an organisation until the transaction ends, which keeps the slugs in it from changing. Returns false if there
 * is no such organisation.
 */
export async function lockOrganisation(db: Db, id: string): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`SELECT FROM organisations WHERE id = ${id} FOR NO KEY UPDATE`;
  return rows.length > 0;
}

export async function hasSlug(db: Db, organisationId: string, slug: string, butOf?: string): Promise<boolean> {
  const but = butOf === undefined ? {} : { id: { not: butOf } };
  return (await db.app.count({ where: { organisationId, slug, ...but } })) > 0;
}

/** Reads an app and locks it until the transaction ends. Creating a channel or a subscription in it has to wait. */
export async function lockApp(db: Db, organisationId: string, id: string): Promise<StoredApp | undefined> {
  await db.$queryRaw`SELECT FROM apps WHERE id = ${id} AND organisation_id = ${organisationId} FOR NO KEY UPDATE`;
  return findApp(db, organisationId, id);
}

/** Columns of an app that can change. */
export type AppEdit = Partial<Pick<App, 'name' | 'slug' | 'status'>> & {
  description?: string | null;
  ownSettings?: AppSettings;
};

export async function updateApp(
  db: Db,
  id: string,
  { ownSettings, ...columns }: AppEdit,
  now: Date,
): Promise<StoredApp> {
  const row = await db.app.update({
    where: { id },
    data: {
      ...columns,
      ...(columns.status !== undefined && { suspendedAt: columns.status === 'suspended' ? now : null }),
      ...(ownSettings !== undefined && { settings: toJson(ownSettings) }),
      updatedAt: now,
    },
  });
  return toApp(row);
}

/** What creating a resource in an app needs from it. */
export type AppAsParent = { settings: Required<AppSettings>; suspendedAt: Date | null };

/**
 * Returns the app with a shared lock until the transaction ends. Suspending it has to wait, and then includes what the
 * transaction created.
 */
export async function shareApp(db: Db, id: string): Promise<AppAsParent | undefined> {
  const [row] = await db.$queryRaw<{ settings: AppSettings; suspendedAt: Date | null }[]>`
    SELECT settings, suspended_at AS "suspendedAt" FROM apps WHERE id = ${id} FOR SHARE`;
  return row && { settings: settingsInForce(row.settings), suspendedAt: row.suspendedAt };
}

// `as`: the columns are only written with validated values.
const toJson = (settings: AppSettings): Prisma.InputJsonObject => settings as Prisma.InputJsonObject;

function toApp(row: AppRow): StoredApp {
  const ownSettings = row.settings as AppSettings;
  return {
    id: row.id,
    organisationId: row.organisationId,
    name: row.name,
    slug: row.slug,
    ...(row.description !== null && { description: row.description }),
    status: row.status as AppStatus,
    settings: settingsInForce(ownSettings),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ownSettings,
  };
}

/*
 * A suspended app holds its deliveries by a flag on its channels and subscriptions, which the delivery statements read anyway, so
 * that none of them has to query the app. Channels and subscriptions created meanwhile get the flag at once (`shareApp`). Both
 * statements run in the transaction that has locked the app, and lock channels before subscriptions, each by id, as everywhere.
 */
const LIVE = 'JOIN environments e ON e.id = x.environment_id WHERE e.app_id = $1 AND x.deleted_at IS NULL';

const mark = (table: 'channels' | 'subscriptions'): string => `
  UPDATE ${table} SET app_suspended_at = $2 WHERE id IN (
    SELECT x.id FROM ${table} x ${LIVE} AND x.app_suspended_at IS NULL ORDER BY x.id FOR NO KEY UPDATE OF x)`;

/** Once this is committed, no further attempts start. Attempts in progress continue. */
export async function suspendResources(db: DatabaseTransaction, appId: string, at: Date): Promise<void> {
  await db.$executeRawUnsafe(mark('channels'), appId, at);
  await db.$executeRawUnsafe(mark('subscriptions'), appId, at);
}

const OPEN_CHANNELS = `
  UPDATE channels SET app_suspended_at = NULL WHERE id IN (
    SELECT x.id FROM channels x ${LIVE} AND x.app_suspended_at IS NOT NULL ORDER BY x.id FOR NO KEY UPDATE OF x)`;

// Messages that came due meanwhile were set aside (scheduling/due/due-store.ts).
const RELEASE_SCHEDULED = `
  UPDATE scheduled_messages SET due_at = deliver_at
  WHERE cancelled_at IS NULL AND due_at IS NULL
    AND channel_id IN (SELECT x.id FROM channels x ${LIVE} AND x.status = 'active')`;

// As when a subscription is resumed (subscriptions/store.ts), circuits close and times count from now. A trigger
// notifies workers of each subscription that can receive attempts again.
const OPEN_SUBSCRIPTIONS = `
  UPDATE subscriptions SET app_suspended_at = NULL,
    resumed_at = CASE WHEN status = 'active' THEN $2 ELSE resumed_at END,
    circuit_opened_at = CASE WHEN status = 'active' THEN NULL ELSE circuit_opened_at END,
    circuit_probe_at = CASE WHEN status = 'active' THEN NULL ELSE circuit_probe_at END,
    circuit_probe_failed_at = CASE WHEN status = 'active' THEN NULL ELSE circuit_probe_failed_at END
  WHERE id IN (
    SELECT x.id FROM subscriptions x ${LIVE} AND x.app_suspended_at IS NOT NULL ORDER BY x.id FOR NO KEY UPDATE OF x)`;

/** Deliveries and scheduled messages continue from where they were held. */
export async function activateResources(db: DatabaseTransaction, appId: string, at: Date): Promise<void> {
  await db.$executeRawUnsafe(OPEN_CHANNELS, appId);
  await db.$executeRawUnsafe(RELEASE_SCHEDULED, appId);
  await db.$executeRawUnsafe(OPEN_SUBSCRIPTIONS, appId, at);
}
