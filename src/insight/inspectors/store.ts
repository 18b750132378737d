import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { InspectedRequest as RequestRow, Inspector as InspectorRow } from '../../platform/db/generated/client.ts';
import { findByName } from '../../platform/db/sql/name-look.ts';
import type { NamedRows, PageRequest } from '../../kernel/values/page.ts';
import type { ForcedAnswer, InspectedRequest, InspectedRow, Inspector, Signature } from './schema.ts';

/** An inspector without its address, which depends on the settings of the service. `position` orders lists. */
export type StoredInspector = Omit<Inspector, 'url'>;
export type PlacedInspector = { id: string; inspector: StoredInspector };
type Draft = { id: string; position: string; environmentId: string; name: string; answer: ForcedAnswer };

/** Returns the number of inspectors in an environment and makes other creators wait until the transaction ends. */
export async function countInspectors(db: DatabaseTransaction, environmentId: string): Promise<number> {
  await db.$queryRaw`SELECT 1 FROM (SELECT pg_advisory_xact_lock(hashtextextended(${`inspectors ${environmentId}`}, 0))) AS taken`;
  return db.inspector.count({ where: { environmentId } });
}

export async function insertInspector(
  db: DatabaseTransaction,
  { answer, ...draft }: Draft,
  now: Date,
): Promise<StoredInspector> {
  const data = { ...draft, ...columnsOf(answer), createdAt: now, updatedAt: now };
  return toInspector(await db.inspector.create({ data }));
}

export async function findInspector(
  db: DatabaseTransaction,
  environmentId: string,
  id: string,
): Promise<StoredInspector | undefined> {
  const row = await db.inspector.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : toInspector(row);
}

/** Returns the page's inspectors (or only those at these positions), newest first, plus one more if there is one. */
export async function findInspectors(
  db: DatabaseTransaction,
  environmentId: string,
  { limit, after }: PageRequest,
  positions?: string[],
): Promise<PlacedInspector[]> {
  const rows = await db.inspector.findMany({
    where: {
      environmentId,
      position: { ...(positions !== undefined && { in: positions }), ...(after !== undefined && { lt: after }) },
    },
    orderBy: { position: 'desc' },
    take: limit + 1,
  });
  return rows.map((row) => ({ id: row.position, inspector: toInspector(row) }));
}

/** Returns the positions of the page's inspectors whose names contain the text. */
export const findInspectorsNamed = (
  db: DatabaseTransaction,
  environmentId: string,
  page: PageRequest,
  part: string,
): Promise<NamedRows> => findByName(db, { list: 'inspectors', environmentId, part, ids: undefined, columns: {} }, page);

/** Reads an inspector and locks it against other changes until the transaction ends. */
export async function lockInspector(
  db: DatabaseTransaction,
  environmentId: string,
  id: string,
): Promise<StoredInspector | undefined> {
  await db.$queryRaw`SELECT id FROM inspectors WHERE id = ${id} AND environment_id = ${environmentId} FOR UPDATE`;
  return findInspector(db, environmentId, id);
}

export async function updateInspector(
  db: DatabaseTransaction,
  { id, name, answer }: Pick<StoredInspector, 'id' | 'name' | 'answer'>,
  now: Date,
): Promise<StoredInspector> {
  const data = { name, ...columnsOf(answer), updatedAt: now };
  return toInspector(await db.inspector.update({ where: { id }, data }));
}

/** Deletes the inspector and its requests. */
export async function deleteInspector(db: DatabaseTransaction, id: string): Promise<void> {
  await db.inspector.delete({ where: { id } });
}

type OfInspector = { environmentId: string; inspectorId: string };

/**
 * Returns the page's requests of an inspector without headers and bodies, newest first, plus one more if there is one.
 */
export async function findRequests(
  db: DatabaseTransaction,
  which: OfInspector,
  { limit, after, now, signatureStatus }: PageRequest & { now: Date; signatureStatus: Signature['status'] | undefined },
): Promise<InspectedRow[]> {
  const rows = await db.inspectedRequest.findMany({
    where: {
      ...which,
      expiresAt: { gt: now },
      ...(signatureStatus !== undefined && { signatureStatus }),
      ...(after !== undefined && { id: { lt: after } }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
    omit: { headers: true, body: true },
  });
  return rows.map(toRow);
}

export async function findRequest(
  db: DatabaseTransaction,
  environmentId: string,
  id: string,
  now: Date,
): Promise<InspectedRequest | undefined> {
  const row = await db.inspectedRequest.findFirst({ where: { environmentId, id, expiresAt: { gt: now } } });
  return row === null ? undefined : toRequest(row);
}

/** Returns the number of deleted requests. */
export async function deleteRequests(db: DatabaseTransaction, which: OfInspector): Promise<number> {
  const { count } = await db.inspectedRequest.deleteMany({ where: which });
  return count;
}

const columnsOf = ({ status, delayMs, failurePercent }: ForcedAnswer) => ({
  answerStatus: status,
  answerDelayMs: delayMs,
  failurePercent,
});

const toInspector = (row: InspectorRow): StoredInspector => ({
  id: row.id,
  name: row.name,
  answer: { status: row.answerStatus, delayMs: row.answerDelayMs, failurePercent: row.failurePercent },
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

const toRow = (row: Omit<RequestRow, 'headers' | 'body'>): InspectedRow => ({
  id: row.id,
  inspectorId: row.inspectorId,
  method: row.method,
  path: row.path,
  bytes: row.bytes,
  signature: {
    // `as`: only values of these lists are stored.
    status: row.signatureStatus as Signature['status'],
    ...(row.signatureReason !== null && { reason: row.signatureReason as NonNullable<Signature['reason']> }),
    ...(row.messageId !== null && { messageId: row.messageId }),
    ...(row.subscriptionId !== null && { subscriptionId: row.subscriptionId }),
  },
  answer: { status: row.answerStatus, delayMs: row.answerDelayMs },
  arrivedAt: row.arrivedAt,
});

function toRequest({ headers, body, ...row }: RequestRow): InspectedRequest {
  const isCut = body.length < row.bytes;
  return {
    ...toRow(row),
    // `as`: pairs are stored.
    headers: (headers as [string, string][]).map(([name, value]) => ({ name, value })),
    ...shownBody(Buffer.from(body), isCut),
    isCut,
  };
}

/** The cut may be inside a character; up to three bytes at the end are then ignored. */
function shownBody(body: Buffer, isCut: boolean): Pick<InspectedRequest, 'body' | 'encoding'> {
  for (let less = 0; less <= (isCut ? 3 : 0); less += 1) {
    const text = textOf(body.subarray(0, body.length - less));
    if (text !== undefined) return { body: text, encoding: 'text' };
  }
  return { body: body.toString('base64'), encoding: 'base64' };
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
