import type { Dependencies } from '../../platform/dependencies.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import type { Feed, Sink } from '../../api/http/event-stream.ts';
import { invalidField, notFound } from '../../kernel/errors.ts';
import { wantsEventType } from '../../kernel/words/event-types.ts';
import { ExactJson, stringifyExact } from '../../kernel/values/exact-json.ts';
import { millisecondsOf } from '../../kernel/values/instant.ts';
import { type StreamPosition, streamPositions } from '../../kernel/values/commit-position.ts';
import type { Message } from '../messages/schema.ts';
import type { StreamMessages } from './schema.ts';
import { findLiveChannels, findPositionSince, findStreamStart, readBehind, type StreamRow } from './store.ts';

// How late a stream shows what another process has published. One query serves all streams of this process.
const POLL_MS = 250;
// How late a stream ends after its channel was deleted.
const CHECK_CHANNELS_MS = 2_000;

// Characters sent to connections in one turn of the event loop. Sending messages of 250 KB to 300 readers took 200 ms
// without a break.
const SENT_PER_TURN = 1_048_576;

type Open = {
  channelId: string;
  at: StreamPosition;
  eventTypes: readonly string[];
  encode: (at: StreamPosition) => string;
  sink: Sink;
};

export type Streams = ReturnType<typeof createStreams>;

/**
 * The open streams of this process. Each has a position in its channel. A poll is one query that reads what follows all
 * positions, or those of the channels that were just published to. No query runs while no stream is open.
 *
 * A reader that takes nothing from one heartbeat to the next (15 s) is cut off, because it holds one of its key's
 * slots; a slow one is only waited for.
 */
export function createStreams({ pool, log }: Pick<Dependencies, 'pool' | 'log'>) {
  const open = new Set<Open>();
  let due = new Set<string>();
  let isLooking = false;
  let isLookingSoon = false;
  let isAway = false;
  let poll: NodeJS.Timeout | undefined;
  let checkedAt = 0;

  /**
   * Groups streams by position, so that readers at the same position share a query. A stream whose buffer is full waits
   * at its own position.
   */
  const positionsOf = (
    channelIds: ReadonlySet<string>,
  ): { position: StreamPosition & { channelId: string }; streams: Open[] }[] => {
    const groups = new Map<string, { position: StreamPosition & { channelId: string }; streams: Open[] }>();
    for (const stream of open) {
      const { channelId, at, sink } = stream;
      if (!channelIds.has(channelId) || sink.isFull()) continue;
      const name = `${channelId} ${at.transactionId} ${at.id}`;
      const group = groups.get(name);
      if (group === undefined) groups.set(name, { position: { channelId, ...at }, streams: [stream] });
      else group.streams.push(stream);
    }
    return [...groups.values()];
  };

  /** Reads once. Returns whether there is more after these positions. */
  const lookAt = async (channelIds: ReadonlySet<string>): Promise<boolean> => {
    const groups = positionsOf(channelIds);
    if (groups.length === 0) return false;
    const { rows, hasMore } = await readBehind(
      pool,
      groups.map(({ position }) => position),
    );
    let sent = 0;
    for (const row of rows) {
      const streams = (groups[row.asked]?.streams ?? []).filter((stream) => open.has(stream));
      const at: StreamPosition = { transactionId: row.transactionId, id: row.id };
      const text = streams[0] && eventText(row, streams[0].encode(at));
      for (const stream of streams) {
        if (!open.has(stream)) continue;
        stream.at = at;
        if (text === undefined || !wantsEventType(stream.eventTypes, row.eventType)) continue;
        stream.sink.send(text);
        sent += text.length;
        if (sent < SENT_PER_TURN) continue;
        sent = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return hasMore;
  };

  const endDeleted = async (): Promise<void> => {
    if (performance.now() - checkedAt < CHECK_CHANNELS_MS) return;
    checkedAt = performance.now();
    // A stream opened while the query runs was not included in it, and would look like one of a deleted channel.
    const asked = [...open];
    const live = await findLiveChannels(pool, [...channelsOf(asked)]);
    for (const stream of asked) if (!live.has(stream.channelId)) stream.sink.end();
  };

  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      while (due.size > 0) {
        const channelIds = due;
        due = new Set();
        await endDeleted();
        if (await lookAt(channelIds)) for (const channelId of channelIds) due.add(channelId);
      }
      if (isAway) log.info('streams can be read again');
      isAway = false;
    } catch (error) {
      if (!isAway) log.warn({ err: error }, 'could not read messages for streams; the next poll will try again');
      isAway = true;
    } finally {
      isLooking = false;
    }
  };

  /** Reads after this turn of the event loop, so that publishes committed together are read together. */
  const lookSoon = (channelId: string): void => {
    due.add(channelId);
    if (isLookingSoon || isLooking) return;
    isLookingSoon = true;
    setImmediate(() => {
      isLookingSoon = false;
      void look();
    });
  };

  const add = (stream: Open): void => {
    open.add(stream);
    poll ??= setInterval(() => {
      for (const channelId of channelsOf(open)) due.add(channelId);
      void look();
    }, POLL_MS);
    lookSoon(stream.channelId);
  };

  const remove = (stream: Open): void => {
    open.delete(stream);
    if (open.size > 0) return;
    clearInterval(poll);
    poll = undefined;
    due.clear();
  };

  return {
    /** Reads the messages of this process at once. */
    wake(channelId: string): void {
      if (open.size > 0) lookSoon(channelId);
    },

    /**
     * Opens a stream of the channel's messages as they commit, in the same order for all readers: by transaction, then
     * by id. It starts after `lastEventId`, or else with the first one published after `since`, or else after the
     * newest message. Throws NOT_FOUND for a channel that is missing or deleted, and INVALID_REQUEST (field
     * Last-Event-ID) for a position that does not belong to this stream.
     */
    async open(
      caller: EnvironmentCaller,
      channelId: string,
      request: StreamMessages & { lastEventId?: string },
    ): Promise<Feed> {
      const { environmentId } = caller;
      const start = await findStreamStart(pool, environmentId, channelId);
      if (start === undefined) throw notFound('channel');
      const { encode, decode } = streamPositions({ channelId, environmentId, database: start.database });
      const { lastEventId, since, eventTypes = [] } = request;
      if (lastEventId === '') throw invalidField('Last-Event-ID', 'must not be empty');
      const given =
        lastEventId !== undefined
          ? decode(lastEventId, start.horizon)
          : since === undefined
            ? undefined
            : await findPositionSince(pool, channelId, { since: new Date(millisecondsOf(since)), bound: start.bound });
      let at = given ?? start.last;
      let stream: Open | undefined;
      return {
        start(sink) {
          stream = { channelId, at, eventTypes, encode, sink };
          add(stream);
        },
        resume: () => lookSoon(channelId),
        stop() {
          if (stream === undefined) return;
          at = stream.at;
          remove(stream);
          stream = undefined;
        },
        position: () => encode(stream?.at ?? at),
      };
    },
  };
}

const channelsOf = (streams: Iterable<Open>): Set<string> => new Set(Array.from(streams, ({ channelId }) => channelId));

/** Formats an event (WHATWG HTML §9.2.5). Its data is the message as its endpoint shows it, in one line. */
function eventText(row: StreamRow, position: string): string {
  const message: Message = {
    id: row.id,
    channelId: row.channelId,
    eventType: row.eventType,
    ...(row.payload !== null && { payload: new ExactJson(row.payload) }),
    ...(row.erasedAt !== null && { erasedAt: row.erasedAt }),
    ...(row.metadata !== null && { metadata: row.metadata }),
    publishedAt: row.publishedAt,
    deliveryStatus: row.deliveryStatus,
  };
  // In JSON, a line break can occur only between two tokens, where a space is equivalent.
  const data = stringifyExact(message).replaceAll(/[\r\n]/g, ' ');
  return `id: ${position}\nevent: message\ndata: ${data}\n\n`;
}
