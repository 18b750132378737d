import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Mark as MarkRow } from '../../platform/db/generated/client.ts';
import type { IdRange } from '../../kernel/values/instant.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { Mark } from './schema.ts';

type Draft = Pick<Mark, 'id' | 'name' | 'at' | 'madeBy' | 'createdAt'> & { environmentId: string };

export async function insertMark(db: DatabaseTransaction, data: Draft): Promise<Mark> {
  return toMark(await db.mark.create({ data }));
}

/** Removes the oldest marks beyond so many, by the times that they mark. */
export async function keepNewest(db: DatabaseTransaction, environmentId: string, most: number): Promise<void> {
  const [first] = await db.mark.findMany({
    where: { environmentId },
    orderBy: { id: 'desc' },
    skip: most,
    take: 1,
    select: { id: true },
  });
  if (first !== undefined) await db.mark.deleteMany({ where: { environmentId, id: { lte: first.id } } });
}

/** The page's marks, the latest time first, and one more when there is one. An id carries the time that its mark marks. */
export async function findMarks(
  db: DatabaseTransaction,
  { environmentId, ids }: { environmentId: string; ids: IdRange },
  { limit, after }: PageRequest,
): Promise<Mark[]> {
  const bounds = [
    ...(ids.from === undefined ? [] : [{ id: { gte: ids.from } }]),
    ...(ids.before === undefined ? [] : [{ id: { lt: ids.before } }]),
    ...(after === undefined ? [] : [{ id: { lt: after } }]),
  ];
  const rows = await db.mark.findMany({
    where: { environmentId, AND: bounds },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return rows.map(toMark);
}

export async function findMark(db: DatabaseTransaction, environmentId: string, id: string): Promise<Mark | undefined> {
  const row = await db.mark.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : toMark(row);
}

export async function deleteMark(db: DatabaseTransaction, environmentId: string, id: string): Promise<void> {
  await db.mark.deleteMany({ where: { id, environmentId } });
}

const toMark = ({ id, name, at, madeBy, createdAt }: MarkRow): Mark => ({ id, name, at, madeBy, createdAt });
