import type { Database, DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Organisation as OrganisationRow } from '../../../platform/db/generated/client.ts';
import type { PageRequest } from '../../../kernel/values/page.ts';
import type { Organisation } from './schema.ts';

export { lockPeople } from '../../../platform/db/sql/people.ts';

type Db = DatabaseTransaction;

export async function insertOrganisation(
  db: Db,
  { now, ...organisation }: Pick<Organisation, 'id' | 'name'> & { now: Date },
): Promise<Organisation> {
  return toOrganisation(await db.organisation.create({ data: { ...organisation, createdAt: now, updatedAt: now } }));
}

export async function findOrganisation(db: Db, id: string): Promise<Organisation | undefined> {
  const row = await db.organisation.findUnique({ where: { id } });
  return row === null ? undefined : toOrganisation(row);
}

/** Returns a page of the organisations that a user is a member of, and one more, newest first. */
export async function findOrganisationsOf(db: Database, userId: string, page: PageRequest): Promise<Organisation[]> {
  const rows = await db.organisation.findMany({
    where: { members: { some: { userId } }, ...(page.after !== undefined && { id: { lt: page.after } }) },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  return rows.map(toOrganisation);
}

/** Reads an organisation and locks it until the transaction ends. */
export async function lockOrganisation(db: Db, id: string): Promise<Organisation | undefined> {
  await db.$queryRaw`SELECT FROM organisations WHERE id = ${id} FOR NO KEY UPDATE`;
  return findOrganisation(db, id);
}

export async function updateOrganisation(
  db: Db,
  id: string,
  change: Partial<Pick<Organisation, 'name'>>,
  now: Date,
): Promise<Organisation> {
  return toOrganisation(await db.organisation.update({ where: { id }, data: { ...change, updatedAt: now } }));
}

const toOrganisation = ({ id, name, createdAt, updatedAt }: OrganisationRow): Organisation => ({
  id,
  name,
  createdAt,
  updatedAt,
});
