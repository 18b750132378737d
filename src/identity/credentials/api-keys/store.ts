import type { Database, DatabaseTransaction } from '../../../platform/db/client.ts';
import type { ApiKey as ApiKeyRow, Prisma } from '../../../platform/db/generated/client.ts';
import {
  type EnvironmentKind,
  type Scope,
  type Limits,
  resolveLimits,
  type Tier,
} from '../../../kernel/words/rights.ts';
import type { OwnLimits } from '../grants/service.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import type { ApiKey, ApiKeyStatus } from './schema.ts';

type Db = DatabaseTransaction;

/** A key to be stored. */
export type ApiKeyDraft = {
  id: string;
  environmentId: string;
  name: string;
  tier: Tier;
  scopes: readonly Scope[];
  limits: OwnLimits;
  hash: Buffer;
  prefix: string;
  last4: string;
  createdAt: Date;
  expiresAt: Date | undefined;
};

/** What authentication needs from an API key. */
export type KnownKey = {
  id: string;
  organisationId: string;
  appId: string;
  environmentId: string;
  environment: EnvironmentKind;
  isAppSuspended: boolean;
  /** One set, shared by all requests with the key while it is cached. */
  scopes: ReadonlySet<Scope>;
  limits: Limits;
  expiresAt: Date | undefined;
  lastUsedAt: Date | undefined;
};

/** The environment that a key belongs to. */
export type EnvironmentRef = { id: string; kind: EnvironmentKind };

const withEnvironment = { environment: { include: { app: true } } } as const;
type FullRow = ApiKeyRow & { environment: { kind: string; appId: string } };

/** Columns of a key that can change. Omitted limits do not change. */
export type ApiKeyEdit = Partial<{
  name: string;
  tier: Tier;
  scopes: Scope[];
  limits: { readonly [name in keyof Limits]?: number | null };
  expiresAt: Date | null;
}>;

export async function insertApiKey(db: Db, draft: ApiKeyDraft): Promise<ApiKey> {
  const { limits, hash, scopes, expiresAt, ...rest } = draft;
  const row = await db.apiKey.create({
    data: {
      ...rest,
      scopes: [...scopes],
      hash: new Uint8Array(hash),
      requestsPerMinute: limits.requestsPerMinute ?? null,
      burst: limits.burst ?? null,
      concurrent: limits.concurrent ?? null,
      batchPerMinute: limits.batchPerMinute ?? null,
      expiresAt: expiresAt ?? null,
    },
    include: withEnvironment,
  });
  return toApiKey(row, draft.createdAt);
}

export async function findApiKey(db: Db, environmentId: string, id: string, now: Date): Promise<ApiKey | undefined> {
  const row = await db.apiKey.findFirst({ where: { id, environmentId }, include: withEnvironment });
  return row === null ? undefined : toApiKey(row, now);
}

/** Filter for each status, matching how `toApiKey` computes it. */
const STANDING: Record<ApiKeyStatus, (now: Date) => Prisma.ApiKeyWhereInput> = {
  revoked: () => ({ status: 'revoked' }),
  expired: (now) => ({ status: { not: 'revoked' }, expiresAt: { lte: now } }),
  active: (now) => ({ status: { not: 'revoked' }, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }),
};

/** Returns the rows of a page and one more, newest first. */
export async function findApiKeys(
  db: Db,
  { environmentId, status }: { environmentId: string; status: ApiKeyStatus | undefined },
  page: PageRequest,
  now: Date,
): Promise<ApiKey[]> {
  const rows = await db.apiKey.findMany({
    where: {
      environmentId,
      ...(status !== undefined && STANDING[status](now)),
      ...(page.after !== undefined && { id: { lt: page.after } }),
    },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
    include: withEnvironment,
  });
  return rows.map((row) => toApiKey(row, now));
}

/**
 * Returns keys of all environments, newest first, optionally of one kind or app or with one id. For the operator only.
 */
export async function findAllApiKeys(
  db: Database,
  { id, kind, appId }: EnvironmentsOf & { id?: string },
  now: Date,
): Promise<ApiKey[]> {
  const rows = await db.apiKey.findMany({
    where: {
      ...(id !== undefined && { id }),
      environment: { ...(kind !== undefined && { kind }), ...(appId !== undefined && { appId }) },
    },
    orderBy: { id: 'desc' },
    include: withEnvironment,
  });
  return rows.map((row) => toApiKey(row, now));
}

/** A key with the limits set on itself, locked until the transaction ends. */
export type LockedApiKey = ApiKey & { ownLimits: OwnLimits };

/** Locks keys of one environment in the order of their ids, whatever the order of `ids`, and returns them by id. */
export async function lockApiKeys(
  db: Db,
  environmentId: string,
  ids: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, LockedApiKey>> {
  await db.$queryRaw`
    SELECT id FROM api_keys WHERE id = ANY(${ids}) AND environment_id = ${environmentId} ORDER BY id FOR NO KEY UPDATE`;
  const rows = await db.apiKey.findMany({ where: { id: { in: [...ids] }, environmentId }, include: withEnvironment });
  return new Map(rows.map((row) => [row.id, { ...toApiKey(row, now), ownLimits: ownLimitsOf(row) }]));
}

const ownLimitsOf = ({ requestsPerMinute, burst, concurrent, batchPerMinute }: ApiKeyRow): OwnLimits => ({
  requestsPerMinute,
  burst,
  concurrent,
  batchPerMinute,
});

export async function editApiKey(db: Db, id: string, edit: ApiKeyEdit, now: Date): Promise<ApiKey> {
  const { limits, ...columns } = edit;
  const row = await db.apiKey.update({ where: { id }, data: { ...columns, ...limits }, include: withEnvironment });
  return toApiKey(row, now);
}

/** Replaces the key of a row. The previous key stays valid until `previousExpiresAt`. */
export async function replaceKey(
  db: Db,
  id: string,
  {
    hash,
    prefix,
    last4,
    previousExpiresAt,
  }: Pick<ApiKeyDraft, 'hash' | 'prefix' | 'last4'> & { previousExpiresAt?: Date },
  now: Date,
): Promise<ApiKey> {
  const { hash: before } = await db.apiKey.findUniqueOrThrow({ where: { id }, select: { hash: true } });
  const data = {
    hash: new Uint8Array(hash),
    prefix,
    last4,
    previousHash: previousExpiresAt === undefined ? null : before,
    previousExpiresAt: previousExpiresAt ?? null,
  };
  return toApiKey(await db.apiKey.update({ where: { id }, data, include: withEnvironment }), now);
}

/**
 * Revokes a key. If it is already revoked, its time stays. Returns its environment, or undefined if there is no such
 * key.
 */
export async function revokeApiKey(db: Db, id: string, now: Date): Promise<string | undefined> {
  await db.apiKey.updateMany({ where: { id, status: 'active' }, data: { status: 'revoked', revokedAt: now } });
  return (await db.apiKey.findUnique({ where: { id } }))?.environmentId;
}

/**
 * Returns the key with this hash, unless it is revoked. The hash may be the one from before a rotation, whose overlap
 * may have ended.
 */
export async function findKnownKey(db: Database, hash: Buffer): Promise<KnownKey | undefined> {
  const bytes = new Uint8Array(hash);
  const where = { OR: [{ hash: bytes }, { previousHash: bytes }] };
  const row = await db.apiKey.findFirst({ where, include: withEnvironment });
  if (row === null || row.status !== 'active') return undefined;
  const { id, environment, environmentId } = row;
  const isLast = hash.equals(row.hash);
  const { tier, scopes } = read(row);
  return {
    id,
    organisationId: environment.app.organisationId,
    appId: environment.appId,
    environmentId,
    environment: readKind(environment.kind),
    // A key that is being replaced cannot manage credentials: it could keep itself alive by rotating again.
    scopes: new Set(isLast ? scopes : scopes.filter((scope) => scope !== 'credentials:write')),
    limits: resolveLimits(tier, row),
    isAppSuspended: environment.app.status !== 'active',
    expiresAt: isLast ? (row.expiresAt ?? undefined) : endOfPrevious(row),
    lastUsedAt: row.lastUsedAt ?? undefined,
  };
}

/** When the key from before the last rotation ends: with its overlap, or with the key itself if that is earlier. */
function endOfPrevious({ expiresAt, previousExpiresAt }: ApiKeyRow): Date {
  const overlap = previousExpiresAt ?? new Date(0);
  return expiresAt !== null && expiresAt < overlap ? expiresAt : overlap;
}

/** Records a use and its address, unless another process has recorded one since `unlessSince`. */
export async function touchApiKey(
  db: Database,
  id: string,
  { now, unlessSince, address }: { now: Date; unlessSince: Date; address: string | null },
): Promise<void> {
  await db.apiKey.updateMany({
    where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: unlessSince } }] },
    data: { lastUsedAt: now, lastUsedAddress: address },
  });
}

/** Environments of one kind, one app, or both. All environments if neither is given. */
export type EnvironmentsOf = { kind?: EnvironmentKind | undefined; appId?: string | undefined };

/** Returns an app's environment of that kind. Default: the oldest app, which was created at the first start. */
export async function findEnvironment(
  db: Database,
  { kind, appId }: EnvironmentsOf & { kind: EnvironmentKind },
): Promise<EnvironmentRef | undefined> {
  const where = { kind, ...(appId !== undefined && { appId }) };
  const row = await db.environment.findFirst({ where, orderBy: { appId: 'asc' } });
  return row === null ? undefined : { id: row.id, kind };
}

function toApiKey(row: FullRow, now: Date): ApiKey {
  const { tier, scopes } = read(row);
  return {
    id: row.id,
    name: row.name,
    appId: row.environment.appId,
    environment: readKind(row.environment.kind),
    tier,
    limits: resolveLimits(tier, row),
    scopes,
    prefix: row.prefix,
    last4: row.last4,
    status:
      row.status === 'revoked' ? 'revoked' : row.expiresAt !== null && row.expiresAt <= now ? 'expired' : 'active',
    createdAt: row.createdAt,
    ...(row.expiresAt !== null && { expiresAt: row.expiresAt }),
    ...(row.lastUsedAt !== null && { lastUsedAt: row.lastUsedAt }),
    ...(row.lastUsedAddress !== null && { lastUsedAddress: row.lastUsedAddress }),
    ...(row.previousExpiresAt !== null &&
      row.previousExpiresAt > now && { previousKeyExpiresAt: row.previousExpiresAt }),
  };
}

// The columns are text and are only written with values of these unions (insertApiKey; the migration for environments).
const read = (row: Pick<ApiKeyRow, 'tier' | 'scopes'>): { tier: Tier; scopes: Scope[] } => ({
  tier: row.tier as Tier,
  scopes: row.scopes as Scope[],
});
const readKind = (kind: string): EnvironmentKind => kind as EnvironmentKind;
