import type { Database } from '../../../platform/db/client.ts';
import { execute, type Executor } from '../../../platform/db/transaction.ts';
import type { MachineCredential as Row, MachineCredentialSecret } from '../../../platform/db/generated/client.ts';
import { type EnvironmentKind, type Scope, type Limits, resolveLimits } from '../../../kernel/words/rights.ts';
import { full, isTaken, read, readKind } from './store.ts';

/** A machine credential as authentication needs to know it. */
export type KnownCredential = {
  id: string;
  organisationId: string;
  appId: string;
  environmentId: string;
  environment: EnvironmentKind;
  isAppSuspended: boolean;
  scopes: Scope[];
  limits: Limits;
  /** Tokens of another epoch hold no longer. */
  epoch: number;
  expiresAt: Date | undefined;
  newestSecretId: string | undefined;
};

/** The machine credential with this id, unless it is revoked. */
export async function findKnownCredential(db: Database, id: string): Promise<KnownCredential | undefined> {
  const row = await db.machineCredential.findUnique({
    where: { id },
    include: { environment: full.environment, secrets: { ...full.secrets, take: 1 } },
  });
  return row === null || row.status !== 'active' ? undefined : toKnown(row);
}

/** The same with its sealed secrets that are taken now, newest first. */
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

/** Notes that a secret got a token, and the address that asked for it. */
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
