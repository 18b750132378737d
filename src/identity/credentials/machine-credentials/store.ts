import type { Database, DatabaseTransaction } from '../../../platform/db/client.ts';
import type {
  MachineCredential as Row,
  MachineCredentialSecret,
  Prisma,
} from '../../../platform/db/generated/client.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import {
  type Scope,
  type EnvironmentKind,
  type Limits,
  resolveLimits,
  type Tier,
} from '../../../kernel/words/rights.ts';
import type { OwnLimits } from '../grants/service.ts';
import type { CredentialStatus } from '../grants/schema.ts';
import type { MachineCredential } from './schema.ts';
import type { SealedClientSecret } from './secret.ts';
import { execute, type Executor } from '../../../platform/db/transaction.ts';

type Db = DatabaseTransaction;

/** A machine credential to be stored, with its first secret. */
export type MachineCredentialDraft = {
  id: string;
  environmentId: string;
  name: string;
  tier: Tier;
  scopes: readonly Scope[];
  limits: OwnLimits;
  createdAt: Date;
  expiresAt: Date | undefined;
  secret: SealedClientSecret;
};

/** Where a credential belongs, for an operator who sees all of them. */
export type Home = { organisation: string; app: string; environment: EnvironmentKind };

const full = {
  environment: { include: { app: true } },
  secrets: { orderBy: { id: 'desc' } },
} as const satisfies Prisma.MachineCredentialInclude;
type FullRow = Row & { environment: { kind: string; appId: string }; secrets: MachineCredentialSecret[] };

/** Columns that can change. Omitted limits do not change. */
export type MachineCredentialEdit = Partial<{
  name: string;
  tier: Tier;
  scopes: Scope[];
  limits: { readonly [name in keyof Limits]?: number | null };
  expiresAt: Date | null;
}>;

export async function insertMachineCredential(db: Db, draft: MachineCredentialDraft): Promise<MachineCredential> {
  const { limits, scopes, expiresAt, secret, ...rest } = draft;
  const row = await db.machineCredential.create({
    data: {
      ...rest,
      scopes: [...scopes],
      requestsPerMinute: limits.requestsPerMinute ?? null,
      burst: limits.burst ?? null,
      concurrent: limits.concurrent ?? null,
      batchPerMinute: limits.batchPerMinute ?? null,
      expiresAt: expiresAt ?? null,
      secrets: { create: { ...secret, createdAt: draft.createdAt } },
    },
    include: full,
  });
  return toMachineCredential(row, draft.createdAt);
}

export async function findMachineCredential(
  db: Db,
  environmentId: string,
  id: string,
  now: Date,
): Promise<MachineCredential | undefined> {
  const row = await db.machineCredential.findFirst({ where: { id, environmentId }, include: full });
  return row === null ? undefined : toMachineCredential(row, now);
}

/** Filter for each status, matching how `toMachineCredential` computes it. */
const STANDING: Record<CredentialStatus, (now: Date) => Prisma.MachineCredentialWhereInput> = {
  revoked: () => ({ status: 'revoked' }),
  expired: (now) => ({ status: { not: 'revoked' }, expiresAt: { lte: now } }),
  active: (now) => ({ status: { not: 'revoked' }, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }),
};

/** Returns the rows of a page and one more, newest first. */
export async function findMachineCredentials(
  db: Db,
  { environmentId, status }: { environmentId: string; status: CredentialStatus | undefined },
  page: PageRequest,
  now: Date,
): Promise<MachineCredential[]> {
  const rows = await db.machineCredential.findMany({
    where: {
      environmentId,
      ...(status !== undefined && STANDING[status](now)),
      ...(page.after !== undefined && { id: { lt: page.after } }),
    },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
    include: full,
  });
  return rows.map((row) => toMachineCredential(row, now));
}

/**
 * Returns machine credentials of all environments, newest first, optionally of one kind or app or with one id. For the
 * operator only.
 */
export async function findAllMachineCredentials(
  db: Database,
  { id, kind, appId }: { id?: string; kind?: EnvironmentKind | undefined; appId?: string | undefined },
  now: Date,
): Promise<(MachineCredential & { place: Home })[]> {
  const rows = await db.machineCredential.findMany({
    where: {
      ...(id !== undefined && { id }),
      environment: { ...(kind !== undefined && { kind }), ...(appId !== undefined && { appId }) },
    },
    orderBy: { id: 'desc' },
    include: { ...full, environment: { include: { app: { include: { organisation: true } } } } },
  });
  return rows.map((row) => {
    const { app, kind: environment } = row.environment;
    const place = { organisation: app.organisation.name, app: app.name, environment: readKind(environment) };
    return { ...toMachineCredential(row, now), place };
  });
}

/** Returns the app's environment of that kind, and where it belongs. */
export async function findHome(
  db: Database,
  { kind, appId }: { kind: EnvironmentKind; appId: string },
): Promise<{ environmentId: string; place: Home } | undefined> {
  const row = await db.environment.findFirst({
    where: { kind, appId },
    include: { app: { include: { organisation: true } } },
  });
  if (row === null) return undefined;
  const place = { organisation: row.app.organisation.name, app: row.app.name, environment: kind };
  return { environmentId: row.id, place };
}

/** A machine credential with the limits set on itself, locked until the transaction ends. */
export type LockedMachineCredential = MachineCredential & { ownLimits: OwnLimits };

/** The caller must have locked the row (grants/service.ts). */
export async function readLocked(
  db: Db,
  environmentId: string,
  id: string,
  now: Date,
): Promise<LockedMachineCredential | undefined> {
  const row = await db.machineCredential.findFirst({ where: { id, environmentId }, include: full });
  if (row === null) return undefined;
  const { requestsPerMinute, burst, concurrent, batchPerMinute } = row;
  const ownLimits = { requestsPerMinute, burst, concurrent, batchPerMinute };
  return { ...toMachineCredential(row, now), ownLimits };
}

export async function editMachineCredential(
  db: Db,
  id: string,
  edit: MachineCredentialEdit,
  now: Date,
): Promise<MachineCredential> {
  const { limits, ...columns } = edit;
  const row = await db.machineCredential.update({ where: { id }, data: { ...columns, ...limits }, include: full });
  return toMachineCredential(row, now);
}

/**
 * Makes `secret` the current one. Older ones end at `overlapUntil` at the latest; expired ones are deleted. Without an
 * overlap, the epoch is incremented, which ends the tokens of the older ones too.
 */
export async function replaceSecret(
  db: Db,
  id: string,
  secret: SealedClientSecret,
  { overlapUntil, now }: { overlapUntil: Date; now: Date },
): Promise<MachineCredential> {
  await db.machineCredentialSecret.updateMany({
    where: { machineCredentialId: id, OR: [{ expiresAt: null }, { expiresAt: { gt: overlapUntil } }] },
    data: { expiresAt: overlapUntil },
  });
  await db.machineCredentialSecret.deleteMany({ where: { machineCredentialId: id, expiresAt: { lte: now } } });
  await db.machineCredentialSecret.create({ data: { ...secret, machineCredentialId: id, createdAt: now } });
  const data = overlapUntil > now ? {} : { epoch: { increment: 1 } };
  return toMachineCredential(await db.machineCredential.update({ where: { id }, data, include: full }), now);
}

/**
 * Revokes a machine credential. If it is already revoked, its time stays. Returns its environment, or undefined if
 * there is no such credential.
 */
export async function revokeMachineCredential(db: Db, id: string, now: Date): Promise<string | undefined> {
  await db.machineCredential.updateMany({
    where: { id, status: 'active' },
    data: { status: 'revoked', revokedAt: now, epoch: { increment: 1 } },
  });
  return (await db.machineCredential.findUnique({ where: { id } }))?.environmentId;
}

const isTaken = ({ expiresAt }: MachineCredentialSecret, now: Date): boolean => expiresAt === null || expiresAt > now;

function toMachineCredential(row: FullRow, now: Date): MachineCredential {
  const { tier, scopes } = read(row);
  const isExpired = row.expiresAt !== null && row.expiresAt <= now;
  return {
    id: row.id,
    name: row.name,
    appId: row.environment.appId,
    environment: readKind(row.environment.kind),
    tier,
    limits: resolveLimits(tier, row),
    scopes,
    status: row.status === 'revoked' ? 'revoked' : isExpired ? 'expired' : 'active',
    secrets: row.secrets
      .filter((secret) => isTaken(secret, now))
      .map(({ last4, createdAt, expiresAt, lastUsedAt }) => ({
        last4,
        createdAt,
        ...(expiresAt !== null && { expiresAt }),
        ...(lastUsedAt !== null && { lastUsedAt }),
      })),
    createdAt: row.createdAt,
    ...(row.expiresAt !== null && { expiresAt: row.expiresAt }),
    ...(row.lastUsedAt !== null && { lastUsedAt: row.lastUsedAt }),
    ...(row.lastUsedAddress !== null && { lastUsedAddress: row.lastUsedAddress }),
  };
}

// The columns are text and are only written with values of these unions (insertMachineCredential; the migration for
// environments).
const read = (row: Pick<Row, 'tier' | 'scopes'>): { tier: Tier; scopes: Scope[] } => ({
  tier: row.tier as Tier,
  scopes: row.scopes as Scope[],
});
const readKind = (kind: string): EnvironmentKind => kind as EnvironmentKind;

/** What authentication needs from a machine credential. */
export type KnownCredential = {
  id: string;
  organisationId: string;
  appId: string;
  environmentId: string;
  environment: EnvironmentKind;
  isAppSuspended: boolean;
  scopes: Scope[];
  limits: Limits;
  /** Tokens of another epoch are no longer valid. */
  epoch: number;
  expiresAt: Date | undefined;
  newestSecretId: string | undefined;
};

/** Returns the machine credential with this id, unless it is revoked. */
export async function findKnownCredential(db: Database, id: string): Promise<KnownCredential | undefined> {
  const row = await db.machineCredential.findUnique({
    where: { id },
    include: { environment: full.environment, secrets: { ...full.secrets, take: 1 } },
  });
  return row === null || row.status !== 'active' ? undefined : toKnown(row);
}

/**
 * Returns the machine credential with its encrypted secrets that are valid now, newest first. Undefined if it is
 * revoked.
 */
export async function findWithSecrets(
  db: Database,
  id: string,
  now: Date,
): Promise<{ known: KnownCredential; secrets: { id: string; ciphertext: string }[] } | undefined> {
  const row = await db.machineCredential.findUnique({ where: { id }, include: full });
  if (row === null || row.status !== 'active') return undefined;
  const secrets = row.secrets.filter((secret) => isTaken(secret, now));
  return { known: toKnown(row), secrets: secrets.map((secret) => ({ id: secret.id, ciphertext: secret.ciphertext })) };
}

/** Records that a secret obtained a token, and from which address. */
export async function touchSecret(
  db: Executor,
  { id, secretId, address }: { id: string; secretId: string; address: string },
  now: Date,
): Promise<void> {
  await execute(
    db,
    `WITH used AS (UPDATE machine_credentials SET last_used_at = $3, last_used_address = $4 WHERE id = $1)
     UPDATE machine_credential_secrets SET last_used_at = $3 WHERE id = $2`,
    [id, secretId, now, address],
  );
}

function toKnown(
  row: Row & {
    environment: { appId: string; kind: string; app: { organisationId: string; status: string } };
    secrets: Pick<MachineCredentialSecret, 'id'>[];
  },
): KnownCredential {
  const { tier, scopes } = read(row);
  return {
    id: row.id,
    organisationId: row.environment.app.organisationId,
    appId: row.environment.appId,
    environmentId: row.environmentId,
    environment: readKind(row.environment.kind),
    isAppSuspended: row.environment.app.status === 'suspended',
    scopes,
    limits: resolveLimits(tier, row),
    epoch: row.epoch,
    expiresAt: row.expiresAt ?? undefined,
    newestSecretId: row.secrets[0]?.id,
  };
}
