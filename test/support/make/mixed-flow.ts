import { keepRepeating, type RepeatedRequest, type Repeating, type RequestOf } from './repeated-requests.ts';
import { after, type createScenes, type Scene } from './scene.ts';
import { followStream, type StreamFollower } from '../world/stream-follower.ts';
import { TEST_THRESHOLD } from '../service/threshold.ts';
import { newIdempotencyKey } from '../service/two-apis.ts';
import { waitFor } from '../check/wait-for.ts';

type RepeatedPart = 'ids' | 'keys' | 'transactional' | 'scheduled' | 'persons' | 'erasures' | 'channels';

/** Everything that callers do to an API, concurrently and without end. */
export type MixedFlow = {
  /** Plain publishes, client-supplied ids, keys, transactional and scheduled messages, to two subscriptions; two streams show it. */
  orders: Scene;
  /** The other channel of the transactional publishes. */
  invoices: Scene;
  /** Messages that are erased as soon as they are published. */
  persons: Scene;
  /** Requests that are repeated until they succeed. */
  parts: Record<RepeatedPart, Repeating>;
  streams: StreamFollower[];
  /** Waits until each part has been done by requests started since then, and their messages have arrived. */
  worksSince(at: number, withinMs?: number): Promise<void>;
  /** Starts nothing more and waits for the requests in progress; the streams continue. */
  stop(): Promise<void>;
  /** Stops everything immediately, the streams too. Safe to call again. */
  abandon(): Promise<void>;
};

// Seven parts and two publishers send about 30 messages a second: each part has to meet the faults, but no load is needed. Where each
// delivery has its own Temporal workflow, a busy machine does fewer than that.
const PAUSE_MS = TEST_THRESHOLD === 'off' ? 1_000 : 250;
// Less than any fault lasts, so that some come due in the middle of it.
const SCHEDULED_FOR_MS = 1_500;
const SUBSCRIBERS = 2;
// Often enough to be reconnecting during any fault, rarely enough to keep up on a busy machine.
const HANG_UP_AFTER = 50;

/** Creates the channels, whose receivers `scenes` closes, and starts. */
export async function startMixedFlow(
  api: { urlOf: () => string; key: string },
  scenes: ReturnType<typeof createScenes>,
): Promise<MixedFlow> {
  // Without retries: an attempt that our own outage counted as failed would become a dead letter.
  const set = (count: number) => scenes.set(count, () => after(20), { retryPolicy: { maxRetries: 0 } });
  const [orders, invoices, persons] = [await set(SUBSCRIBERS), await set(1), await set(1)];
  const stream = `/v1/channels/${orders.channelId}/stream`;
  const streams = [
    await followStream(api, { path: stream }),
    await followStream(api, { path: stream, hangUpAfter: HANG_UP_AFTER }),
  ];
  const plain = orders.recorder.keepPublishing(orders.channelId, {
    publishers: 2,
    pauseMs: PAUSE_MS,
    sizeOf: (n) => (n % 3 === 0 ? 3 : 1),
  });

  const repeat = (name: RepeatedPart, requestOf: RequestOf): Repeating =>
    keepRepeating(api, { name, pauseMs: PAUSE_MS, requestOf });
  const messagesOf = ({ channelId }: Scene): string => `/v1/channels/${channelId}/messages`;
  const message = (mark: string) => ({ eventType: 'order.created', payload: { mark } });
  const keyed = () => ({ headers: { 'idempotency-key': newIdempotencyKey() } });
  // Keeps drills of one database apart.
  const nameOf = (mark: string): string => `${mark} of ${orders.channelId}`;
  const publishingPersons = repeat('persons', (mark) => ({
    path: messagesOf(persons),
    ...keyed(),
    body: message(mark),
  }));
  let erased = 0;
  const parts: Record<RepeatedPart, Repeating> = {
    ids: repeat('ids', (mark) => ({ path: messagesOf(orders), body: { id: mark, ...message(mark) } })),
    keys: repeat('keys', (mark) => ({
      path: `${messagesOf(orders)}/batch`,
      ...keyed(),
      body: { messages: [message(mark), message(mark)] },
    })),
    transactional: repeat('transactional', (mark) => ({
      path: '/v1/messages/transactional',
      ...keyed(),
      body: { messages: [orders, invoices].map(({ channelId }) => ({ channelId, ...message(mark) })) },
    })),
    scheduled: repeat('scheduled', (mark) => ({
      path: messagesOf(orders),
      ...keyed(),
      body: { delay: SCHEDULED_FOR_MS, ...message(mark) },
    })),
    persons: publishingPersons,
    erasures: repeat('erasures', () => {
      const id = publishingPersons.requests.flatMap(idsIn)[erased];
      if (id === undefined) return undefined;
      erased += 1;
      return { method: 'DELETE', path: `/v1/messages/${id}` };
    }),
    channels: repeat('channels', (mark) => ({ path: '/v1/channels', ...keyed(), body: { name: nameOf(mark) } })),
  };

  const hasArrived = (id: string): boolean => orders.receiver.countOf(id) >= SUBSCRIBERS;
  return {
    orders,
    invoices,
    persons,
    parts,
    streams,
    async worksSince(at, withinMs) {
      const done = (part: Repeating): RepeatedRequest[] =>
        part.requests.filter(({ begunAt, answer }) => begunAt >= at && answer !== undefined);
      const published = (): string[] =>
        orders.recorder.publications.filter((publication) => publication.at >= at).flatMap(({ ids }) => ids);
      const looks: [string, () => boolean][] = [
        ['plain publishes', () => published().length > 0],
        ...Object.entries(parts).map(([name, part]): [string, () => boolean] => [name, () => done(part).length > 0]),
        ['what was published to arrive', () => published().some(hasArrived)],
        ['what was scheduled to arrive', () => done(parts.scheduled).flatMap(idsIn).some(hasArrived)],
        ...streams.map(({ ids }, n): [string, () => boolean] => [
          `stream ${n} to show what was published`,
          () => published().some((id) => ids.includes(id)),
        ]),
      ];
      await Promise.all(looks.map(([what, look]) => waitFor(what, look, withinMs)));
    },
    async stop() {
      await Promise.all([plain.stop(), ...Object.values(parts).map((part) => part.stop())]);
    },
    async abandon() {
      for (const part of Object.values(parts)) part.abandon();
      await Promise.all([plain.stop(), ...streams.map((each) => each.stop())]);
    },
  };
}

/** Returns the ids in the response of a publish: one message's response has its id, that of several has all their ids. */
export function idsIn({ answer }: RepeatedRequest): string[] {
  // `as`: missing fields show up as undefined.
  const { id, ids } = (answer?.body ?? {}) as { id?: string; ids?: string[] };
  return ids ?? (id === undefined ? [] : [id]);
}
