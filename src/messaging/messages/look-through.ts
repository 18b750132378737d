import { failureCodes } from '../../platform/db/failures.ts';
import type { Tenants } from '../../platform/db/tenants.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { idsWithin, windowText } from '../../kernel/values/instant.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import { cursorBehind, isCursorOf, type ListScope, pageRequest } from '../../kernel/values/page.ts';
import type { SearchPage, LookThrough, MessageSummary } from './schema.ts';
import { readPayloads, readSummaries } from './summaries-store.ts';

/**
 * The condition on a payload: no payload without `needle` in its text, escapes of JSON aside, fits. `name` tells two of them
 * apart. `passes`: how often a payload is read at most to find out whether it fits, once for each name of a path.
 */
export type PayloadCondition = {
  name: string;
  needle: string;
  passes: number;
  fits: (payload: string) => boolean;
};

/** Characters that are read in one turn of the event loop, or one payload: about 30 ms. A look brings 1 MiB, and a path has 32 names. */
const READ_PER_TURN = 4 * 1_048_576;

/** Bounds of one request, whichever is reached first. A look that has begun is finished. */
export const MOST_LOOKED_THROUGH = { messages: 5_000, bytes: 16 * 1_048_576, milliseconds: 2_000 } as const;

export type FoundMessages = {
  messages: MessageSummary[];
  lookedThrough: SearchPage;
  /** Goes on behind the last message that was looked through. Absent where all were. */
  cursor?: string;
};

// SQLSTATE query_canceled: a statement has reached its time limit.
const STATEMENT_TIMEOUT = '57014';

const scopeOf = ({ environmentId }: EnvironmentCaller, query: LookThrough, { name }: PayloadCondition): ListScope => {
  const { channelId, eventType, includeSystem, since, until } = query;
  const filters = { q: name, channelId, eventType, includeSystem, ...windowText({ since, until }) };
  return { list: 'messages looked through', environmentId, filters };
};

/** Whether the query's cursor goes on with a look for this condition. */
export const goesOnLooking = (caller: EnvironmentCaller, query: LookThrough, condition: PayloadCondition): boolean =>
  query.cursor !== undefined && isCursorOf(scopeOf(caller, query, condition), query.cursor);

/**
 * Looks through the payloads of stored messages, newest first, until `limit` fit or a bound is reached. Each look is a transaction of its
 * own, so that no connection is kept for the whole of it. A look that PostgreSQL ends at its time limit ends the request: with what was
 * found before, or with UNAVAILABLE if it was the first.
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
      // Messages behind it were read and are read again.
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
