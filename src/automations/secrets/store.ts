import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Secret as SecretRow } from '../../platform/db/generated/client.ts';
import { findByName } from '../../platform/db/sql/name-look.ts';
import type { NamedRows, PageRequest } from '../../kernel/values/page.ts';
import type { WorkflowSecret } from './schema.ts';
import type { Pool } from 'pg';

/** Every query here is limited to one environment. */
type Db = DatabaseTransaction;

/** A row with the encrypted secret. */
export type SecretDraft = { id: string; environmentId: string; name: string; ciphertext: string };

/** Returns undefined if the environment already has a secret with this name. */
export async function insertSecret(db: Db, draft: SecretDraft, now: Date): Promise<WorkflowSecret | undefined> {
  const { count } = await db.secret.createMany({
    data: [{ ...draft, createdAt: now, updatedAt: now }],
    skipDuplicates: true,
  });
  return count === 0 ? undefined : { id: draft.id, name: draft.name, createdAt: now, updatedAt: now };
}

export async function findSecret(db: Db, environmentId: string, id: string): Promise<WorkflowSecret | undefined> {
  const row = await db.secret.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : toSecret(row);
}

/** Reads a secret and locks it against changes until the transaction ends. */
export async function lockSecret(db: Db, environmentId: string, id: string): Promise<WorkflowSecret | undefined> {
  await db.$queryRaw`SELECT id FROM secrets WHERE id = ${id} AND environment_id = ${environmentId} FOR UPDATE`;
  return findSecret(db, environmentId, id);
}

/** Returns the page's secrets (or only those with these ids), newest first, plus one more if there is one. */
export async function findSecrets(
  db: Db,
  environmentId: string,
  { limit, after }: PageRequest,
  ids?: string[],
): Promise<WorkflowSecret[]> {
  const rows = await db.secret.findMany({
    where: {
      environmentId,
      id: { ...(ids !== undefined && { in: ids }), ...(after !== undefined && { lt: after }) },
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return rows.map(toSecret);
}

/** Returns the ids of the page's secrets whose names contain the text. */
export const findSecretsNamed = (db: Db, environmentId: string, page: PageRequest, part: string): Promise<NamedRows> =>
  findByName(db, { list: 'secrets', environmentId, part, ids: undefined, columns: {} }, page);

export async function setCiphertext(
  db: Db,
  environmentId: string,
  id: string,
  { ciphertext, now }: { ciphertext: string; now: Date },
): Promise<WorkflowSecret> {
  return toSecret(await db.secret.update({ where: { id, environmentId }, data: { ciphertext, updatedAt: now } }));
}

export async function deleteSecret(db: Db, environmentId: string, id: string): Promise<void> {
  await db.secret.delete({ where: { id, environmentId } });
}

const toSecret = ({ id, name, createdAt, updatedAt, lastUsedAt }: SecretRow): WorkflowSecret => ({
  id,
  name,
  createdAt,
  updatedAt,
  ...(lastUsedAt !== null && { lastUsedAt }),
});

type SealedSecret = { id: string; name: string; ciphertext: string; lastUsedAt: Date | null };

const READ = `
  SELECT id, name, ciphertext, last_used_at AS "lastUsedAt" FROM secrets WHERE environment_id = $1 AND name = ANY($2)`;

/** Returns the encrypted secrets of an environment with these names. */
export async function readSealed(pool: Pool, environmentId: string, names: readonly string[]): Promise<SealedSecret[]> {
  const { rows } = await pool.query<SealedSecret>({ name: 'read_secrets', text: READ, values: [environmentId, names] });
  return rows;
}

/** Records a use of these secrets, except those for which another process has recorded one since `unlessSince`. */
export async function noteUses(
  pool: Pool,
  environmentId: string,
  { ids, now, unlessSince }: { ids: readonly string[]; now: Date; unlessSince: Date },
): Promise<void> {
  await pool.query(
    `UPDATE secrets SET last_used_at = $3
     WHERE environment_id = $1 AND id = ANY($2) AND (last_used_at IS NULL OR last_used_at < $4)`,
    [environmentId, ids, now, unlessSince],
  );
}
