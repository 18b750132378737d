import { failureCodes } from '../../platform/db/failures.ts';
import type { Tenants } from '../../platform/db/tenants.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { idsWithin, windowText } from '../../kernel/values/instant.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import { cursorBehind, isCursorOf, type ListScope, pageRequest } from '../../kernel/values/page.ts';
import type { SearchPage, LookThrough, MessageSummary } from './schema.ts';
import { readPayloads, readSummaries } from './summaries-store.ts';

/**
 * Condition on a payload. A payload whose text does not contain `needle` (except in escaped form) cannot match. `name`
 * identifies the condition. `passes`: how often a payload is read at most to check it, once for each name of a path.
 */
export type PayloadCondition = {
  name: string;
  needle: string;
  passes: number;
  fits: (payload: string) => boolean;
};

/**
 * Characters to read in one turn of the event loop, or a single payload: about 30 ms. A query returns up to 1 MiB, and
 * a path has up to 32 names.
 */
const READ_PER_TURN = 4 * 1_048_576;

/** Bounds of one request, whichever is reached first. A query in progress is completed. */
export const MOST_LOOKED_THROUGH = { messages: 5_000, bytes: 16 * 1_048_576, milliseconds: 2_000 } as const;

export type FoundMessages = {
  messages: MessageSummary[];
  lookedThrough: SearchPage;
  /** Continues after the last message searched. Absent if all were searched. */
  cursor?: string;
};

// SQLSTATE query_canceled: a statement has reached its time limit.
const STATEMENT_TIMEOUT = '57014';

const scopeOf = ({ environmentId }: EnvironmentCaller, query: LookThrough, { name }: PayloadCondition): ListScope => {
  const { channelId, eventType, includeSystem, since, until } = query;
  const filters = { q: name, channelId, eventType, includeSystem, ...windowText({ since, until }) };
  return { list: 'messages looked through', environmentId, filters };
};

/** Whether the cursor of the query belongs to a search with this condition. */
export const goesOnLooking = (caller: EnvironmentCaller, query: LookThrough, condition: PayloadCondition): boolean =>
  query.cursor !== undefined && isCursorOf(scopeOf(caller, query, condition), query.cursor);

/**
 * Searches the payloads of stored messages, newest first, until `limit` match or a bound is reached. Each query is a
 * transaction of its own, so that no connection is held for the whole search. If PostgreSQL cancels a query at its time
 * limit, the search ends with what was found before, or with UNAVAILABLE if it was the first query.
 *
 * Values are compared as a whole and case-sensitively. Parts would find `10922` in every longer number, and searching
 * 16 MiB takes PostgreSQL 28 ms, but 130 ms in lower case.
 */
export async function lookThrough(
  tenants: Tenants,
  caller: EnvironmentCaller,
  query: LookThrough,
  condition: PayloadCondition,
): Promise<FoundMessages> {
  const startedAt = performance.now();
  const { environmentId } = caller;
  const { limit, channelId, eventType, includeSystem, since, until } = query;
  const scope = scopeOf(caller, query, condition);
  const filter = { environmentId, channelId, eventType, includeSystem, ids: idsWithin('message', { since, until }) };
  const ids: string[] = [];
  let { after } = pageRequest(scope, query);
  let first: string | undefined;
  let [messages, bytes, read, isLast] = [0, 0, 0, false];
  const elapsed = (): number => performance.now() - startedAt;
  const isOver = (): boolean =>
    isLast ||
    ids.length >= limit ||
    messages >= MOST_LOOKED_THROUGH.messages ||
    bytes >= MOST_LOOKED_THROUGH.bytes ||
    elapsed() >= MOST_LOOKED_THROUGH.milliseconds;
  do {
    const behind = { after, needle: condition.needle };
    const look = await tenants
      .list(caller, (transaction) => readPayloads(transaction, filter, behind))
      .catch((failure: unknown) => {
        if (messages === 0 || !failureCodes(failure).codes.includes(STATEMENT_TIMEOUT)) throw failure;
        return undefined;
      });
    if (look === undefined) break;
    isLast = look.isLast;
    for (const row of look.rows) {
      if (read >= READ_PER_TURN) {
        read = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
      first ??= row.id;
      after = row.id;
      messages += 1;
      bytes += row.bytes;
      if (row.payload === null) continue;
      read += row.payload.length * condition.passes;
      if (!condition.fits(row.payload)) continue;
      ids.push(row.id);
      // Later messages of this query are read again by the next request.
      if (ids.length >= limit) {
        isLast = isLast && row === look.rows.at(-1);
        break;
      }
    }
  } while (!isOver());
  const found = ids.length === 0 ? [] : await tenants.list(caller, (transaction) => readSummaries(transaction, ids));
  return {
    messages: found,
    lookedThrough: {
      messages,
      bytes,
      ...spanOf(first, messages === 0 ? undefined : after),
      isComplete: isLast,
      milliseconds: Math.ceil(elapsed()),
    },
    ...(!isLast && after !== undefined && { cursor: cursorBehind(scope, after) }),
  };
}

const spanOf = (newest: string | undefined, oldest: string | undefined): { newestAt?: Date; oldestAt?: Date } => {
  const newestAt = newest === undefined ? undefined : timeOfId('message', newest);
  const oldestAt = oldest === undefined ? undefined : timeOfId('message', oldest);
  return { ...(newestAt && { newestAt }), ...(newestAt && oldestAt && { oldestAt }) };
};
