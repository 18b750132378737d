import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { wakeWorkers } from '../../platform/db/waking.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { Filters } from '../../messaging/filters/filters.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { invalidField } from '../../kernel/errors.ts';
import { lowestIdAt } from '../../kernel/values/ids.ts';
import { firstTimeFrom, type Instant, millisecondsOf } from '../../kernel/values/instant.ts';
import {
  type CountedMessages,
  type CountedSpan,
  countReplayed,
  findCounted,
  readToCount,
  shownMessage,
  insertMessageReplay,
} from './message-store.ts';
import { NO_OUTCOME } from './outcome-store.ts';
import { type MessageReplay, type MessageReplayPreview, type MessageReplayRequest, REPLAY_RATE } from './schema.ts';

// A publish that did not see the new subscription has committed by then. What both cover is delivered only once.
const OVERLAP_MS = 5_000;
// Counting goes through 100,000 messages in a second or two. Prisma's default is 5 s.
const COUNT_TIMEOUT_MS = 30_000;
// With a filter, a count reads this many messages per query, because payloads may have 256 KiB each, and runs at most
// this many queries.
const READ_AT_ONCE = 100;
const MOST_READS = 20;
// Number of messages that a dry run shows.
const SHOWN = 5;

type Needed = Pick<Dependencies, 'tenants' | 'newId' | 'clock'>;
type Collaborators = { audit: { record: RecordAudit }; filters: Pick<Filters, 'evaluate'> };
type Asked = Pick<MessageReplay, 'subscriptionId' | 'since' | 'until' | 'eventTypes' | 'onlyMissing'>;

/** Starts and previews replays of stored messages to one subscription. */
export const createMessageReplays = ({ tenants, newId, clock }: Needed, { audit, filters }: Collaborators) => {
  /** Counts in one statement, or, if there is a filter to evaluate, query by query with no transaction open. */
  const preview = async (caller: EnvironmentCaller, asked: Asked): Promise<MessageReplayPreview> => {
    const target = await tenants.within(caller, (transaction) => findCounted(transaction, asked.subscriptionId));
    if (target === undefined) return { status: 'preview', matched: 0, isExact: true, oldest: [], replayed: 0 };
    const { channelId, filter } = target;
    const ids = { from: lowestIdAt('message', asked.since), before: lowestIdAt('message', asked.until) };
    const span: CountedSpan = { ...asked, ...ids, channelId };
    const counted =
      filter === null
        ? await tenants.within(caller, (transaction) => countReplayed(transaction, span, SHOWN), {
            timeout: COUNT_TIMEOUT_MS,
          })
        : await countFiltered(caller, span, filter);
    return { status: 'preview', ...counted, replayed: 0 };
  };

  const countFiltered = async (
    caller: EnvironmentCaller,
    span: CountedSpan,
    filter: string,
  ): Promise<CountedMessages> => {
    const counted: CountedMessages = { matched: 0, isExact: false, oldest: [] };
    let { from } = span;
    for (let reads = 0; reads < MOST_READS && !counted.isExact; reads += 1) {
      const next = { ...span, from };
      const found = await tenants.within(caller, (transaction) => readToCount(transaction, next, READ_AT_ONCE));
      for (const { id, eventType, metadata, payload } of found) {
        if (payload === null) continue;
        const input = { key: span.channelId, eventType, payload, metadata: metadata ?? undefined };
        const [verdict] = await filters.evaluate([filter], input);
        if (verdict?.matches !== true) continue;
        counted.matched += 1;
        if (counted.oldest.length < SHOWN) counted.oldest.push(shownMessage({ id, eventType }));
      }
      counted.isExact = found.length < READ_AT_ONCE;
      // All ids have the same length, so no id lies between this one and itself with a character appended.
      from = `${found.at(-1)?.id ?? span.before}0`;
    }
    return counted;
  };

  return {
    /**
     * Starts a replay to a subscription of the caller, or counts for a dry run what it would deliver now. Throws
     * INVALID_REQUEST for a start in the future.
     */
    async start(
      caller: EnvironmentCaller,
      subscription: { id: string },
      { since, until, dryRun, ...request }: MessageReplayRequest,
    ): Promise<MessageReplay | MessageReplayPreview> {
      const { environmentId, principal } = caller;
      const now = clock();
      const end = until === undefined ? now : firstTimeFrom(until);
      const draft = {
        ...request,
        id: newId('messageReplay'),
        environmentId,
        subscriptionId: subscription.id,
        since: beginning('since', since, now),
        until: end < now ? end : now,
        requestedBy: principal.id,
      };
      if (dryRun) return preview(caller, draft);
      return tenants.within(caller, async (transaction) => {
        const replay = await insertMessageReplay(transaction, draft);
        await wakeWorkers(transaction);
        const after = { ...request, subscriptionId: subscription.id, since: draft.since, until: draft.until };
        await audit.record(transaction, caller, { action: 'replay.started', target: { id: replay.id }, after });
        return { ...replay, outcome: NO_OUTCOME };
      });
    },

    /**
     * Starts the replay of what was published since `startFrom`, for a new subscription and in its transaction. Throws
     * INVALID_REQUEST for a time in the future.
     */
    async startWithin(
      transaction: DatabaseTransaction,
      { environmentId, principal }: EnvironmentCaller,
      { subscriptionId, startFrom }: { subscriptionId: string; startFrom: Instant },
    ): Promise<{ id: string }> {
      const now = clock();
      const replay = await insertMessageReplay(transaction, {
        id: newId('messageReplay'),
        environmentId,
        subscriptionId,
        since: beginning('startFrom', startFrom, now),
        until: new Date(now.getTime() + OVERLAP_MS),
        eventTypes: [],
        onlyMissing: true,
        ratePerSecond: REPLAY_RATE.max,
        requestedBy: principal.id,
      });
      await wakeWorkers(transaction);
      return replay;
    },
  };
};

/**
 * Returns the start of a replay in whole milliseconds. The clock is no finer, so rounding up cannot skip anything to
 * come.
 */
function beginning(field: string, from: Instant, now: Date): Date {
  if (millisecondsOf(from) > now.getTime()) throw invalidField(field, 'must not be in the future');
  return firstTimeFrom(from);
}
