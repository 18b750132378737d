import type { Database } from '../db/client.ts';
import type { ApiKey as ApiKeyRow, Prisma } from '../db/generated/client.ts';
import type { EnvironmentKind, Limits } from '../http/context.ts';
import { resolveLimits, type Tier } from '../limits/tiers.ts';
import type { PageRequest } from '../shared/page.ts';
import type { Scope } from '../shared/scopes.ts';
import type { ApiKey } from './schema.ts';

/** A key as it is written: `limits` are only those of its own, beside its tier's. */
export type ApiKeyDraft = {
  id: string;
  environmentId: string;
  name: string;
  tier: Tier;
  scopes: readonly Scope[];
  limits: { readonly [name in keyof Limits]?: number | undefined };
  hash: Buffer;
  prefix: string;
  last4: string;
  createdAt: Date;
  expiresAt: Date | undefined;
};

/** What authentication needs to know of a key. */
export type KnownKey = {
  id: string;
  organisationId: string;
  appId: string;
  environmentId: string;
  environment: EnvironmentKind;
  scopes: Scope[];
  limits: Limits;
  expiresAt: Date | undefined;
  lastUsedAt: Date | undefined;
};

/** Where keys are made: one environment of one app. */
export type EnvironmentRef = { id: string; kind: EnvironmentKind };

const withEnvironment = { environment: { include: { app: true } } } as const;
type FullRow = ApiKeyRow & { environment: { kind: string } };

export async function insertApiKey(db: Database, draft: ApiKeyDraft): Promise<ApiKey> {
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

export async function findApiKey(
  db: Database,
  environmentId: string,
  id: string,
  now: Date,
): Promise<ApiKey | undefined> {
  const row = await db.apiKey.findFirst({ where: { id, environmentId }, include: withEnvironment });
  return row === null ? undefined : toApiKey(row, now);
}

/** The rows of one page and one more, newest first. */
export async function findApiKeys(
  db: Database,
  environmentId: string,
  page: PageRequest,
  now: Date,
): Promise<ApiKey[]> {
  const rows = await db.apiKey.findMany({
    where: { environmentId, ...(page.after !== undefined && { id: { lt: page.after } }) },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
    include: withEnvironment,
  });
  return rows.map((row) => toApiKey(row, now));
}

/** Every key of every environment, or of those of one kind, newest first: for the operator only. */
export async function findAllApiKeys(db: Database, kind: EnvironmentKind | undefined, now: Date): Promise<ApiKey[]> {
  const rows = await db.apiKey.findMany({
    where: kind === undefined ? {} : { environment: { kind } },
    orderBy: { id: 'desc' },
    include: withEnvironment,
  });
  return rows.map((row) => toApiKey(row, now));
}

/** Changes name or key. Undefined when the key is not there or, where `mustBeActive`, revoked in the meantime. */
export async function updateApiKey(
  db: Database,
  where: { id: string; environmentId: string; mustBeActive: boolean },
  change: { name: string } | { hash: Buffer; prefix: string; last4: string },
  now: Date,
): Promise<ApiKey | undefined> {
  const { id, environmentId, mustBeActive } = where;
  const data: Prisma.ApiKeyUpdateManyMutationInput =
    'hash' in change ? { ...change, hash: new Uint8Array(change.hash) } : change;
  const { count } = await db.apiKey.updateMany({
    where: { id, environmentId, ...(mustBeActive && { status: 'active' }) },
    data,
  });
  return count === 0 ? undefined : findApiKey(db, environmentId, id, now);
}

/** Revokes a key; one that is revoked keeps its time. Without an environment it is looked for in all of them. False when there is none. */
export async function revokeApiKey(
  db: Database,
  id: string,
  environmentId: string | undefined,
  now: Date,
): Promise<boolean> {
  const where = { id, ...(environmentId !== undefined && { environmentId }) };
  const { count } = await db.apiKey.updateMany({
    where: { ...where, status: 'active' },
    data: { status: 'revoked', revokedAt: now },
  });
  return count > 0 || (await db.apiKey.count({ where })) > 0;
}

/** The key with this hash, unless it is revoked. */
export async function findKnownKey(db: Database, hash: Buffer): Promise<KnownKey | undefined> {
  const row = await db.apiKey.findUnique({ where: { hash: new Uint8Array(hash) }, include: withEnvironment });
  if (row === null || row.status !== 'active') return undefined;
  const { id, environment, environmentId } = row;
  const { tier, scopes } = read(row);
  return {
    id,
    organisationId: environment.app.organisationId,
    appId: environment.appId,
    environmentId,
    environment: readKind(environment.kind),
    scopes,
    limits: resolveLimits(tier, row),
    expiresAt: row.expiresAt ?? undefined,
    lastUsedAt: row.lastUsedAt ?? undefined,
  };
}

/** Notes a use, unless another process has noted one since `unlessSince`. */
export async function touchApiKey(db: Database, id: string, now: Date, unlessSince: Date): Promise<void> {
  await db.apiKey.updateMany({
    where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: unlessSince } }] },
    data: { lastUsedAt: now },
  });
}

/** The oldest app's environment of that kind: the one that the first start has made. */
export async function findEnvironment(db: Database, kind: EnvironmentKind): Promise<EnvironmentRef | undefined> {
  const row = await db.environment.findFirst({ where: { kind }, orderBy: { appId: 'asc' } });
  return row === null ? undefined : { id: row.id, kind };
}

function toApiKey(row: FullRow, now: Date): ApiKey {
  const { tier, scopes } = read(row);
  return {
    id: row.id,
    name: row.name,
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
  };
}

// The columns are text, written only from values of these unions (insertApiKey; the environments' migration).
const read = (row: Pick<ApiKeyRow, 'tier' | 'scopes'>): { tier: Tier; scopes: Scope[] } => ({
  tier: row.tier as Tier,
  scopes: row.scopes as Scope[],
});
const readKind = (kind: string): EnvironmentKind => kind as EnvironmentKind;
