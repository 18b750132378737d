import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { View as ViewRow } from '../../platform/db/generated/client.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import { lockPeople } from '../../platform/db/sql/people.ts';
import type { View } from './schema.ts';

type Db = DatabaseTransaction;
/** A view of a person. */
type Own = { userId: string; id: string };

/** Returns how many views a person has, and prevents them from saving others until the transaction ends. */
export async function countLocked(db: Db, userId: string): Promise<number> {
  await lockPeople(db, [userId]);
  return db.view.count({ where: { userId } });
}

/** Whether another view of the page has this name. */
export const isNameTaken = async (
  db: Db,
  { userId, page, name, id }: { userId: string; page: string; name: string; id?: string },
): Promise<boolean> =>
  (await db.view.count({ where: { userId, page, name, ...(id !== undefined && { id: { not: id } }) } })) > 0;

export async function insertView(db: Db, userId: string, view: View): Promise<View> {
  return toView(await db.view.create({ data: { ...view, userId } }));
}

/** Returns one page, newest first, plus one more if there is one. */
export async function findViews(db: Db, userId: string, { after, limit }: PageRequest): Promise<View[]> {
  const rows = await db.view.findMany({
    where: { userId, ...(after !== undefined && { id: { lt: after } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return rows.map(toView);
}

export async function findView(db: Db, { userId, id }: Own): Promise<View | undefined> {
  const row = await db.view.findUnique({ where: { id, userId } });
  return row === null ? undefined : toView(row);
}

export async function updateView(
  db: Db,
  id: string,
  change: Partial<Pick<View, 'name' | 'search'>>,
  updatedAt: Date,
): Promise<View> {
  return toView(await db.view.update({ where: { id }, data: { ...change, updatedAt } }));
}

export async function deleteView(db: Db, { userId, id }: Own): Promise<boolean> {
  return (await db.view.deleteMany({ where: { id, userId } })).count > 0;
}

const toView = ({ id, page, name, search, createdAt, updatedAt }: ViewRow): View => ({
  id,
  // `as`: only this service writes both columns, with validated values.
  page: page as View['page'],
  name,
  search: search as View['search'],
  createdAt,
  updatedAt,
});
