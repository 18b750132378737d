import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Connection as ConnectionRow, Prisma } from '../../platform/db/generated/client.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { otherThan } from '../../kernel/words/rights.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { Connection } from './schema.ts';

type Status = Connection['status'];

/** Every query here is limited to one environment. */
type Db = DatabaseTransaction;

/** The environment of the caller. */
export type Asking = Pick<EnvironmentCaller, 'environmentId' | 'environment'>;

/** Matches the environment's own connections, and those shared by the other environment of its app. */
const seenBy = ({ environmentId }: Asking): Prisma.ConnectionWhereInput => ({
  environment: { app: { environments: { some: { id: environmentId } } } },
  OR: [{ environmentId }, { shared: true }],
});

/** A connection, its encrypted credentials and the environment that owns it. */
export type StoredConnection = { connection: Connection; ciphertext: string; ownerId: string };

export async function insertConnection(
  db: Db,
  own: Asking,
  draft: { id: string; connector: string; name: string; ciphertext: string; status: Status; shared: boolean },
  now: Date,
): Promise<Connection> {
  const data = { ...draft, environmentId: own.environmentId, createdAt: now, updatedAt: now };
  return toConnection(await db.connection.create({ data }), own);
}

/** Finds a connection that the environment owns or that is shared with it. */
export async function findConnection(db: Db, asking: Asking, id: string): Promise<StoredConnection | undefined> {
  return toStored(await db.connection.findFirst({ where: { id, ...seenBy(asking) } }), asking);
}

/** Reads a connection of the environment and locks it against changes until the transaction ends. */
export async function lockConnection(db: Db, own: Asking, id: string): Promise<StoredConnection | undefined> {
  const { environmentId } = own;
  await db.$queryRaw`SELECT id FROM connections WHERE id = ${id} AND environment_id = ${environmentId} FOR UPDATE`;
  return toStored(await db.connection.findFirst({ where: { id, environmentId } }), own);
}

/** Returns the page's connections, newest first, plus one more if there is one. */
export async function findConnections(
  db: Db,
  asking: Asking,
  { limit, after }: PageRequest,
  { connectorId, status }: { connectorId?: string | undefined; status?: Status | undefined },
): Promise<Connection[]> {
  const rows = await db.connection.findMany({
    where: {
      ...seenBy(asking),
      ...(after !== undefined && { id: { lt: after } }),
      ...(connectorId !== undefined && { connector: connectorId }),
      ...(status !== undefined && { status }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return rows.map((row) => toConnection(row, asking));
}

export async function updateConnection(
  db: Db,
  own: Asking,
  id: string,
  change: {
    name?: string;
    shared?: boolean;
    ciphertext?: string;
    status?: Status;
    stateHash?: null;
    lastTestedAt?: null;
    updatedAt: Date;
  },
): Promise<Connection> {
  const { environmentId } = own;
  return toConnection(await db.connection.update({ where: { id, environmentId }, data: change }), own);
}

/** Stores the result of a test, unless the connection was changed since: it may have other credentials by now. */
export async function noteTest(
  db: Db,
  { environmentId, id, updatedAt }: { environmentId: string; id: string; updatedAt: Date },
  { ok, message, at }: { ok: boolean; message: string; at: Date },
): Promise<void> {
  const data = { lastTestedAt: at, lastTestOk: ok, lastTestMessage: message };
  await db.connection.updateMany({ where: { id, environmentId, updatedAt }, data });
}

/** Stores the state for the browser to return with, replacing an earlier one. */
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

const toStored = (row: ConnectionRow | null, asking: Asking): StoredConnection | undefined =>
  row === null
    ? undefined
    : { connection: toConnection(row, asking), ciphertext: row.ciphertext, ownerId: row.environmentId };

const toConnection = (
  {
    id,
    environmentId,
    connector,
    name,
    shared,
    status,
    createdAt,
    updatedAt,
    lastUsedAt,
    lastTestedAt,
    lastTestOk,
    lastTestMessage,
  }: ConnectionRow,
  asking: Asking,
): Connection => ({
  id,
  connectorId: connector,
  name,
  environment: environmentId === asking.environmentId ? asking.environment : otherThan(asking.environment),
  shared,
  // `as`: nothing else is stored.
  status: status as Status,
  createdAt,
  updatedAt,
  ...(lastUsedAt !== null && { lastUsedAt }),
  // All three are written together.
  ...(lastTestedAt !== null && {
    lastTest: { at: lastTestedAt, ok: lastTestOk === true, message: lastTestMessage ?? '' },
  }),
});
