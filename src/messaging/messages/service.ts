import type { EraseDeliveries } from '../delivery-changes.ts';
import type { PoolClient } from 'pg';
import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RecordAudit } from '../../identity/tenancy/audit/record.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, notFound } from '../../kernel/errors.ts';
import { mayBeSentForMs } from '../../kernel/contract/delivery-workflow.ts';
import { idsWithin, millisecondsOf, windowText } from '../../kernel/values/instant.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/values/page.ts';
import { wantsEventType } from '../../kernel/words/event-types.ts';
import { BEGINNING, type StreamPosition, streamPositions } from '../../kernel/values/commit-position.ts';
import { eraseMessage, eraseWaiting, type Transact } from './erasure-store.ts';
import { type FoundMessages, goesOnLooking, lookThrough, type PayloadCondition } from './look-through.ts';
import type { ListMessages, LookThrough, Message, MessageSummary, SearchMessages, TracedMessage } from './schema.ts';
import { findSummaries } from './summaries-store.ts';
import * as store from './store.ts';

const RETRY_AFTER_SECONDS = 1;

export type Messages = ReturnType<typeof createMessages>;

/** Reads and erases messages (spec §4 Messages), including scheduled ones. */
export function createMessages(
  { tenants }: Pick<Dependencies, 'tenants'>,
  { audit, eraseDeliveries }: { audit: { record: RecordAudit }; eraseDeliveries: EraseDeliveries },
) {
  /**
   * Returns messages of a channel in commit order, oldest first. The page always has a cursor, after everything that
   * was examined: a client that keeps continuing from it receives every message once, however late its transaction
   * became visible.
   */
  const listCommitted = async (
    caller: EnvironmentCaller,
    channelId: string,
    { cursor, limit, eventType, since }: ListMessages,
  ): Promise<Page<Message>> =>
    tenants.list(caller, async (transaction) => {
      const { environmentId } = caller;
      if (!(await store.channelExists(transaction, environmentId, channelId))) throw notFound('channel');
      const run = await store.runInOrder(transaction);
      const { database, horizon, bound, last: newest } = await store.findCommitOrder(run, channelId);
      const { encode, decode } = streamPositions(
        { channelId, environmentId, database },
        { field: 'cursor', list: 'list in the order of commits', eventType },
      );
      const start = async (): Promise<StreamPosition> =>
        since === undefined
          ? BEGINNING
          : ((await store.findPositionSince(run, channelId, { since: new Date(millisecondsOf(since)), bound })) ??
            newest);
      const at = cursor === undefined ? await start() : decode(cursor, horizon);
      const { found, isLast } = await store.findCommittedBehind(run, channelId, { ...at, bound });
      const wanted = found.filter((each) => wantsEventType(eventType === undefined ? [] : [eventType], each.eventType));
      const asked = wanted.slice(0, limit);
      const fitting = await store.fittingOf(
        transaction,
        asked.map(({ id }) => id),
      );
      // Messages that retention has removed meanwhile are skipped.
      const last = asked.findLastIndex(({ id }) => id === fitting.at(-1));
      const shown = last === -1 ? asked : asked.slice(0, last + 1);
      const isCut = wanted.length > shown.length;
      const messages = await store.findMessages(
        transaction,
        environmentId,
        shown.map(({ id }) => id),
      );
      const messageOf = new Map(messages.map((message) => [message.id, message]));
      const end = (isCut ? shown : found).at(-1) ?? at;
      return {
        data: shown.flatMap(({ id }) => messageOf.get(id) ?? []),
        pagination: { cursor: encode(end), hasMore: isCut || !isLast },
      };
    });

  return {
    /**
     * Lists messages of a channel, newest first or in commit order, including those of a deleted channel until their
     * retention ends.
     */
    async list(caller: EnvironmentCaller, channelId: string, query: ListMessages): Promise<Page<Message>> {
      const { environmentId } = caller;
      if (query.order === 'committed') return listCommitted(caller, channelId, query);
      const { limit, eventType, since, until } = query;
      const filters = { eventType, ...windowText({ since, until }) };
      const scope: ListScope = { list: `messages of ${channelId}`, environmentId, filters };
      const filter = { environmentId, channelId, eventType, ids: idsWithin('message', { since, until }) };
      const list = async (transaction: DatabaseTransaction) => {
        if (!(await store.channelExists(transaction, environmentId, channelId))) throw notFound('channel');
        return store.listMessages(transaction, filter, pageRequest(scope, query));
      };
      const { messages, lookedTo } = await tenants.list(caller, list);
      return toPage(scope, limit, messages, (message) => message, lookedTo);
    },

    /** Lists messages of all channels of the environment, newest first, without payloads. */
    async search(caller: EnvironmentCaller, query: SearchMessages): Promise<Page<MessageSummary>> {
      const { environmentId } = caller;
      const { cursor: _, limit, since, until, ...own } = query;
      const scope: ListScope = {
        list: 'messages',
        environmentId,
        filters: { ...own, deliveryStatus: own.deliveryStatus?.join(','), ...windowText({ since, until }) },
      };
      const page = pageRequest(scope, query);
      const filter = { environmentId, ...own, ids: idsWithin('message', { since, until }) };
      const { messages, lookedTo } = await tenants.list(caller, (transaction) =>
        findSummaries(transaction, filter, page),
      );
      return toPage(scope, limit, messages, (message) => message, lookedTo);
    },

    /** Lists messages whose payloads match, with what was read to find them. */
    lookThrough: (caller: EnvironmentCaller, query: LookThrough, condition: PayloadCondition): Promise<FoundMessages> =>
      lookThrough(tenants, caller, query, condition),

    /** Whether the cursor of the query belongs to such a search with this condition. */
    goesOnLooking,

    /** Returns published messages by id, newest first, with payloads. */
    getMany: (caller: EnvironmentCaller, ids: readonly string[]): Promise<Message[]> =>
      tenants.list(caller, (transaction) => store.findMessages(transaction, caller.environmentId, ids)),

    async get(caller: EnvironmentCaller, messageId: string): Promise<TracedMessage> {
      const message = await tenants.read(caller, (reader) =>
        store.findMessage(reader, caller.environmentId, messageId),
      );
      if (message === undefined) throw notFound('message');
      return message;
    },

    /**
     * Permanently erases payload, metadata and the responses of receivers, ends unfinished deliveries and discards open
     * dead letters. Erasing again changes nothing. Returns when no process can start a request with the message any
     * more, which takes up to 1.25 s if it was about to be sent. A scheduled message is cancelled. Throws UNAVAILABLE
     * if its deliveries cannot be locked.
     */
    async erase(caller: EnvironmentCaller, messageId: string): Promise<void> {
      const tell = (connection: PoolClient): Promise<void> =>
        audit.record(connection, caller, { action: 'message.erased', target: { id: messageId } });
      const transact: Transact = (work) => tenants.onConnection(caller, work);
      if (await eraseWaiting(transact, caller.environmentId, messageId, tell)) return;
      const erased = await eraseMessage(transact, caller.environmentId, messageId, { tell, eraseDeliveries });
      if (erased === undefined) throw notFound('message');
      if (erased === 'busy') {
        throw new ApiError(
          'UNAVAILABLE',
          'The deliveries of the message are being changed at the moment, so nothing was erased; wait as long as Retry-After says, then try again',
          { retryAfter: RETRY_AFTER_SECONDS },
        );
      }
      const waitMs = erased.wasAboutToBeSent ? mayBeSentForMs(erased.agoMs) : 0;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    },
  };
}
