import { createHash } from 'node:crypto';
import { invalidField } from '../errors.ts';
import { hasIdForm } from './ids.ts';

/** Page size (spec §4 common rule 1). */
export const PAGE_LIMIT = { min: 1, max: 100, default: 20 } as const;

/** Request for a page of a list. `after` is the id after which the page begins (lists are newest first). */
export type PageRequest = { limit: number; after: string | undefined };

/** Spec §4 common rule 2. The cursor is absent on the last page. */
export type Page<T> = { data: T[]; pagination: { cursor?: string; hasMore: boolean } };

/** The list, the environment and the filters that a cursor belongs to. Undefined filters do not count. */
export type ListScope = { list: string; environmentId: string; filters: Record<string, string | undefined> };

const SEPARATOR = '.';

/** A short fingerprint that identifies the list of a cursor: 96 bits of a hash, without any secret. */
export function fingerprint(scope: ListScope): string {
  const filters = Object.entries(scope.filters)
    .filter((entry) => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([scope.list, scope.environmentId, filters]))
    .digest('base64url')
    .slice(0, 16);
}

/** The cursor of this list that begins after the row with that id. */
export const cursorBehind = (scope: ListScope, id: string): string =>
  Buffer.from(`${id}${SEPARATOR}${fingerprint(scope)}`).toString('base64url');

/**
 * Decodes a cursor that `toPage` created for the same list, environment and filters. Throws INVALID_REQUEST (field cursor) for anything
 * else. The cursor is bound to its list but not signed, since it only reaches the caller's own list.
 */
function decodeCursor(scope: ListScope, cursor: string): string {
  const [id, mark, ...more] = Buffer.from(cursor, 'base64url').toString('utf8').split(SEPARATOR);
  // A caller with one cursor can forge another with the same fingerprint; without the id check a NUL would reach the database.
  const isOurs = id !== undefined && hasIdForm(id) && mark === fingerprint(scope) && more.length === 0;
  // Node's decoder skips unknown characters; encoding again reveals them.
  if (!isOurs || cursorBehind(scope, id) !== cursor) {
    throw invalidField('cursor', 'must be a cursor of this list with these filters');
  }
  return id;
}

/** Whether a cursor belongs to this list with these filters, for queries that may continue in either of two lists. */
export const isCursorOf = (scope: ListScope, cursor: string): boolean =>
  Buffer.from(cursor, 'base64url').toString('utf8').split(SEPARATOR)[1] === fingerprint(scope);

/** The page that a caller requested with the query parameters cursor and limit. */
export function pageRequest(scope: ListScope, query: { cursor?: string | undefined; limit: number }): PageRequest {
  return { limit: query.limit, after: query.cursor === undefined ? undefined : decodeCursor(scope, query.cursor) };
}

/**
 * Cuts `rows` (newest first, up to limit + 1 of them) to a page; an extra row means that there is more. `lookedTo`: rows were examined
 * only down to this id, so even a page that is not full continues after it.
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

/** Positions of a page, newest first, one more than requested. `lookedTo`: the scan ended at this position, and further rows may match. */
export type NamedRows = { positions: string[]; lookedTo: string | undefined };

/** The filter of a list whose rows are found by id: if part of a name is requested, `look` returns the ids that match on this page. */
export async function narrowByName<Filter extends { ids?: readonly string[] | undefined }>(
  filter: Filter,
  name: string | undefined,
  look: (filter: Filter & { part: string }) => Promise<NamedRows>,
): Promise<{ wanted: Filter; lookedTo?: string | undefined }> {
  if (name === undefined) return { wanted: filter };
  const { positions, lookedTo } = await look({ ...filter, part: name });
  return { wanted: { ...filter, ids: positions }, lookedTo };
}
