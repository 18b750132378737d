import type { DatabaseTransaction } from '../../db/client.ts';
import type { Connection as ConnectionRow } from '../../db/generated/client.ts';
import type { PageRequest } from '../../kernel/page.ts';
import type { Connection } from './schema.ts';

type Status = Connection['status'];

/** Every query here is bound to one environment. */
type Db = DatabaseTransaction;

/** A connection and its row's sealed credentials. */
export type StoredConnection = { connection: Connection; ciphertext: string };

export async function insertConnection(
  db: Db,
  draft: { id: string; environmentId: string; connector: string; name: string; ciphertext: string; status: Status },
  now: Date,
): Promise<Connection> {
  return toConnection(await db.connection.create({ data: { ...draft, createdAt: now, updatedAt: now } }));
}

export async function findConnection(db: Db, environmentId: string, id: string): Promise<StoredConnection | undefined> {
  const row = await db.connection.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : { connection: toConnection(row), ciphertext: row.ciphertext };
}

/** Reads a connection and keeps it from changing until the transaction ends. */
export async function lockConnection(db: Db, environmentId: string, id: string): Promise<StoredConnection | undefined> {
  await db.$queryRaw`SELECT id FROM connections WHERE id = ${id} AND environment_id = ${environmentId} FOR UPDATE`;
  return findConnection(db, environmentId, id);
}

/** The page's connections, newest first, and one more when there is one. */
export async function findConnections(
  db: Db,
  environmentId: string,
  { limit, after }: PageRequest,
  { connectorId }: { connectorId?: string | undefined },
): Promise<Connection[]> {
  const rows = await db.connection.findMany({
    where: {
      environmentId,
      ...(after !== undefined && { id: { lt: after } }),
      ...(connectorId !== undefined && { connector: connectorId }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return rows.map(toConnection);
}

export async function updateConnection(
  db: Db,
  environmentId: string,
  id: string,
  change: { name?: string; ciphertext?: string; status?: Status; stateHash?: null; updatedAt: Date },
): Promise<Connection> {
  return toConnection(await db.connection.update({ where: { id, environmentId }, data: change }));
}

/** Keeps the state that a browser is to come back with, in place of an earlier one. */
export async function beginAuthorization(
  db: Db,
  environmentId: string,
  id: string,
  { stateHash, ciphertext }: { stateHash: Buffer; ciphertext: string },
): Promise<void> {
  const data = { stateHash: new Uint8Array(stateHash), ciphertext };
  await db.connection.update({ where: { id, environmentId }, data });
}

export async function deleteConnection(db: Db, environmentId: string, id: string): Promise<void> {
  await db.connection.delete({ where: { id, environmentId } });
}

const toConnection = ({
  id,
  connector,
  name,
  status,
  createdAt,
  updatedAt,
  lastUsedAt,
}: ConnectionRow): Connection => ({
  id,
  connectorId: connector,
  name,
  // `as`: nothing else is written.
  status: status as Status,
  createdAt,
  updatedAt,
  ...(lastUsedAt !== null && { lastUsedAt }),
});
