import { setTimeout as sleep } from 'node:timers/promises';
import type { Posthorn } from '../../client/src/index.ts';
import { type ChannelName, CHANNELS, type Events, type ShopEvent } from './events.ts';

/** Publishes events to the channels of the shop. */
export type Traffic = {
  /** Number of messages accepted so far. */
  published(): number;
  /** Publishes events of the mix from position `from` to before `until`, evenly over `overMs`. */
  spread(from: number, until: number, overMs: number): Promise<void>;
  publish(events: readonly ShopEvent[]): Promise<void>;
  /** Publishes about one event a second until `signal` is aborted. */
  trickle(from: number): Promise<void>;
};

// Often enough that charts by the second show a curve, seldom enough that a request carries several messages.
const TICK_MS = 500;
const TRICKLE_MS = 1_000;
// The maximum for one request (spec §4).
const BATCH_SIZE = 100;
const SCHEDULED_AFTER_MS = [1_800_000, 7_200_000, 86_400_000];

export function createTraffic(options: {
  posthorn: Posthorn;
  channels: Readonly<Record<ChannelName, string>>;
  events: Events;
  signal: AbortSignal;
}): Traffic {
  const { posthorn, channels, events, signal } = options;
  let published = 0;

  async function publish(given: readonly ShopEvent[]): Promise<void> {
    for (const channel of CHANNELS) {
      const of = given.filter((event) => event.channel === channel);
      for (let start = 0; start < of.length; start += BATCH_SIZE) {
        const messages = of.slice(start, start + BATCH_SIZE).map(toMessage);
        published += (await posthorn.messages.publishBatch(channels[channel], { messages })).ids.length;
      }
    }
  }

  return {
    published: () => published,
    publish,
    async spread(from, until, overMs) {
      const ticks = Math.max(1, Math.min(until - from, Math.round(overMs / TICK_MS)));
      const startedAt = Date.now();
      for (let tick = 0; tick < ticks; tick += 1) {
        const first = from + Math.round(((until - from) * tick) / ticks);
        const last = from + Math.round(((until - from) * (tick + 1)) / ticks);
        await publish(Array.from({ length: last - first }, (_, index) => events.at(first + index)));
        const dueAt = startedAt + (overMs * (tick + 1)) / ticks;
        await sleep(Math.max(0, dueAt - Date.now()), undefined, { signal });
      }
    },
    async trickle(from) {
      for (let position = from; ; position += 1) {
        await publish([events.at(position)]);
        await sleep(TRICKLE_MS, undefined, { signal });
      }
    },
  };
}

/** Publishes three scheduled messages: in half an hour, in two hours and tomorrow. */
export async function schedule(posthorn: Posthorn, channelId: string, events: Events): Promise<void> {
  for (const afterMs of SCHEDULED_AFTER_MS) {
    const message = toMessage(events.paidOrder(120, 'DE'));
    await posthorn.messages.publish(channelId, { ...message, deliverAt: new Date(Date.now() + afterMs) });
  }
}

const toMessage = ({ eventType, payload, metadata }: ShopEvent) => ({ eventType, payload, metadata });
