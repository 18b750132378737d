import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Marker as MarkerRow } from '../../platform/db/generated/client.ts';
import type { IdRange } from '../../kernel/values/instant.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { Marker } from './schema.ts';

type Draft = Pick<Marker, 'id' | 'name' | 'at' | 'madeBy' | 'createdAt'> & { environmentId: string };

export async function insertMarker(db: DatabaseTransaction, data: Draft): Promise<Marker> {
  return toMarker(await db.marker.create({ data }));
}

/** Deletes all but the latest `most` markers, by their marked time. */
export async function keepNewest(db: DatabaseTransaction, environmentId: string, most: number): Promise<void> {
  const [first] = await db.marker.findMany({
    where: { environmentId },
    orderBy: { id: 'desc' },
    skip: most,
    take: 1,
    select: { id: true },
  });
  if (first !== undefined) await db.marker.deleteMany({ where: { environmentId, id: { lte: first.id } } });
}

/** Returns the page's markers, latest first, plus one more if there is one. Ids contain the marked time. */
export async function findMarkers(
  db: DatabaseTransaction,
  { environmentId, ids }: { environmentId: string; ids: IdRange },
  { limit, after }: PageRequest,
): Promise<Marker[]> {
  const bounds = [
    ...(ids.from === undefined ? [] : [{ id: { gte: ids.from } }]),
    ...(ids.before === undefined ? [] : [{ id: { lt: ids.before } }]),
    ...(after === undefined ? [] : [{ id: { lt: after } }]),
  ];
  const rows = await db.marker.findMany({
    where: { environmentId, AND: bounds },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return rows.map(toMarker);
}

export async function findMarker(
  db: DatabaseTransaction,
  environmentId: string,
  id: string,
): Promise<Marker | undefined> {
  const row = await db.marker.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : toMarker(row);
}

export async function deleteMarker(db: DatabaseTransaction, environmentId: string, id: string): Promise<void> {
  await db.marker.deleteMany({ where: { id, environmentId } });
}

const toMarker = ({ id, name, at, madeBy, createdAt }: MarkerRow): Marker => ({ id, name, at, madeBy, createdAt });
