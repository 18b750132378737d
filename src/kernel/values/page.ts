import { createHash } from 'node:crypto';
import { invalidField } from '../errors.ts';
import { hasIdForm } from './ids.ts';

/** Page size (spec §4 common rule 1). */
export const PAGE_LIMIT = { min: 1, max: 100, default: 20 } as const;

/** Request for a page of a list. `after` is the id behind which the page begins (lists run newest first). */
export type PageRequest = { limit: number; after: string | undefined };

/** Spec §4 common rule 2. The cursor is absent on the last page. */
export type Page<T> = { data: T[]; pagination: { cursor?: string; hasMore: boolean } };

/** Names the list, the environment and the filters a cursor belongs to. Undefined filters do not count. */
export type ListScope = { list: string; environmentId: string; filters: Record<string, string | undefined> };

const SEPARATOR = '.';

/** A short mark by which a cursor is known as one of that list: 96 bits of a hash, no secret in it. */
export function fingerprint(scope: ListScope): string {
  const filters = Object.entries(scope.filters)
    .filter((entry) => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([scope.list, scope.environmentId, filters]))
    .digest('base64url')
    .slice(0, 16);
}

/** The cursor of this list that begins behind the row with that id. */
export const cursorBehind = (scope: ListScope, id: string): string =>
  Buffer.from(`${id}${SEPARATOR}${fingerprint(scope)}`).toString('base64url');

/**
 * Reads a cursor that `toPage` made for the same list, environment and filters. Throws INVALID_REQUEST (field cursor) for anything
 * else. The cursor is bound, not signed: it reaches only the caller's own list.
 */
function decodeCursor(scope: ListScope, cursor: string): string {
  const [id, mark, ...more] = Buffer.from(cursor, 'base64url').toString('utf8').split(SEPARATOR);
  // A caller with one cursor can write another with the same mark: without the form check a NUL would reach the database.
  const isOurs = id !== undefined && hasIdForm(id) && mark === fingerprint(scope) && more.length === 0;
  // Node's decoder skips unknown characters; encoding again shows whether any were there.
  if (!isOurs || cursorBehind(scope, id) !== cursor) {
    throw invalidField('cursor', 'is not a cursor of this list with these filters');
  }
  return id;
}

/** Whether a cursor was made for this list with these filters, where a question may go on in either of two lists. */
export const isCursorOf = (scope: ListScope, cursor: string): boolean =>
  Buffer.from(cursor, 'base64url').toString('utf8').split(SEPARATOR)[1] === fingerprint(scope);

/** The page a caller asked for with its query parameters cursor and limit. */
export function pageRequest(scope: ListScope, query: { cursor?: string | undefined; limit: number }): PageRequest {
  return { limit: query.limit, after: query.cursor === undefined ? undefined : decodeCursor(scope, query.cursor) };
}

/**
 * Cuts `rows` (newest first, up to limit + 1 of them) to a page; the one row too many says that there is more. `lookedTo`: rows were
 * looked at down to this id and no further, so a page that is not full goes on behind it.
 */
export function toPage<R extends { id: string }, T>(
  scope: ListScope,
  limit: number,
  rows: readonly R[],
  toResource: (row: R) => T,
  lookedTo?: string,
): Page<T> {
  const shown = rows.slice(0, limit);
  const end = rows.length > limit ? shown.at(-1)?.id : lookedTo;
  return {
    data: shown.map(toResource),
    pagination: end === undefined ? { hasMore: false } : { cursor: cursorBehind(scope, end), hasMore: true },
  };
}

/** Positions of a page, newest first, one more than asked for. `lookedTo`: the look ended at this one, and others may match behind it. */
export type NamedRows = { positions: string[]; lookedTo: string | undefined };

/** The filter of a list whose rows are found by their ids: where a part of a name is asked for, `look` says which have it on this page. */
export async function narrowByName<Filter extends { ids?: readonly string[] | undefined }>(
  filter: Filter,
  name: string | undefined,
  look: (filter: Filter & { part: string }) => Promise<NamedRows>,
): Promise<{ wanted: Filter; lookedTo?: string | undefined }> {
  if (name === undefined) return { wanted: filter };
  const { positions, lookedTo } = await look({ ...filter, part: name });
  return { wanted: { ...filter, ids: positions }, lookedTo };
}
