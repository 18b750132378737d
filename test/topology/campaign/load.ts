import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../support/check/wait-for.ts';
import type { ClientEntry, SinkEntry } from '../ledger/entries.ts';
import type { Journal } from './journal.ts';

export type Api = { url: string; key: string };

/** One publication, of a message for each channel. */
type Unit = { mark: string; channels: string[]; key?: string };

export type Publisher = {
  /** One try, written down. Never rejects. Returns whether it was acknowledged. */
  publish(unit: Unit, options?: { apiKey?: string; caller?: string }): Promise<boolean>;
  newMark(): string;
};

// Longer than anything the API may take for an answer: its own limits end a request earlier.
const ANSWER_WITHIN_MS = 40_000;

/** A publisher that writes down each request before it is sent, and what it was told. */
export function createPublisher({ url, key }: Api, journal: Journal<ClientEntry>): Publisher {
  let marks = 0;
  let requests = 0;
  const send = async (unit: Unit, apiKey: string): Promise<Response> => {
    const { mark, channels, key: idempotencyKey } = unit;
    const messages = channels.map((channelId, n) => ({ channelId, eventType: 'order.created', payload: { mark, n } }));
    const [first] = messages;
    const isBatch = new Set(channels).size === 1;
    const within = messages.map(({ eventType, payload }) => ({ eventType, payload }));
    const [path, body] =
      messages.length === 1
        ? [`/v1/channels/${first?.channelId}/messages`, within[0]]
        : isBatch
          ? [`/v1/channels/${first?.channelId}/messages/batch`, { messages: within }]
          : ['/v1/messages/transactional', { messages }];
    return fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
  };
  return {
    newMark: () => `m${(marks += 1)}`,
    async publish(unit, { apiKey = key, caller } = {}) {
      const request = `r${(requests += 1)}`;
      const { mark, channels } = unit;
      journal.write({ kind: 'sent', at: Date.now(), request, mark, channels, ...(caller !== undefined && { caller }) });
      try {
        const answer = await send(unit, apiKey);
        const { status } = answer;
        // A proxy says 502 or 504 in its own words for an API that died with the request.
        const text = await answer.text();
        const body = answer.headers.get('content-type')?.includes('json') === true ? readAnswer(text) : {};
        const at = Date.now();
        const isInDoubt = body.error === undefined || body.error.details?.reason === 'unknown';
        if (answer.ok) journal.write({ kind: 'acked', at, request, ids: body.ids ?? [String(body.id)] });
        else if (isInDoubt) journal.write({ kind: 'unknown', at, request, status });
        else {
          const { code = 'none', details = {} } = body.error ?? {};
          journal.write({ kind: 'refused', at, request, status, code: [code, ...Object.values(details)].join(' ') });
        }
        return answer.ok;
      } catch {
        journal.write({ kind: 'unknown', at: Date.now(), request, status: 0 });
        return false;
      }
    },
  };
}

type Answer = { id?: string; ids?: string[]; error?: { code: string; details?: { field?: string; reason?: string } } };

// `as`: the API's own shapes; a missing part shows as undefined.
const readAnswer = (text: string): Answer => JSON.parse(text) as Answer;

export type Load = {
  /** Waits until something published from now on was acknowledged and has come to each of these subscriptions of the first channel. */
  works(subscriptions: readonly string[]): Promise<void>;
  /** Ends the requests under way; keyed ones are sent until they have their answer. */
  stop(): Promise<void>;
};

export type LoadOptions = {
  api: Api;
  publisher: Publisher;
  /** The first one gets most; a transactional publish has both. */
  channels: readonly [string, string];
  client: Journal<ClientEntry>;
  sink: Journal<SinkEntry>;
  /** Key of a caller whose limit is always used up. */
  limitedKey: string;
  /** Publications a second, about. */
  rate: number;
};

const PUBLISHERS = 4;
// Part of a publisher's turn that it rests; its requests take the others. 25 publications a second make 60 requests to receivers.
const REST = 0.75;
const LIMITED_PAUSE_MS = 400;
const AGAIN_AFTER_MS = 150;
// Beyond the time in which a fault heals on a busy machine.
const WORKS_WITHIN_MS = 60_000;

/** Publishes without an end: single messages, batches, transactional publishes, and single ones that are repeated under a key. */
export function startLoad({ publisher, channels, client, sink, limitedKey, rate }: LoadOptions): Load {
  const [main, other] = channels;
  const pauseMs = (REST * PUBLISHERS * 1_000) / rate;
  let isStopped = false;
  let count = 0;
  const publishOne = async (): Promise<void> => {
    const mark = publisher.newMark();
    count += 1;
    if (count % 5 === 0) await publisher.publish({ mark, channels: [main, main, main] });
    else if (count % 5 === 1) await publisher.publish({ mark, channels: [main, other] });
    else if (count % 5 === 2) {
      const unit = { mark, channels: [main], key: `${mark}-${Date.now()}` };
      while (!(await publisher.publish(unit))) await sleep(AGAIN_AFTER_MS);
    } else await publisher.publish({ mark, channels: [main] });
  };
  const work = async (): Promise<void> => {
    while (!isStopped) {
      await publishOne();
      await sleep(pauseMs);
    }
  };
  const useUp = async (): Promise<void> => {
    while (!isStopped) {
      const unit = { mark: publisher.newMark(), channels: [other, other] };
      await publisher.publish(unit, { apiKey: limitedKey, caller: 'limited' });
      await sleep(LIMITED_PAUSE_MS);
    }
  };
  const running = [...Array.from({ length: PUBLISHERS }, work), useUp()];
  return {
    works(subscriptions) {
      const [fromClient, fromSink] = [client.entries.length, sink.entries.length];
      const look = async (): Promise<boolean> => {
        const [told, seen] = [client.entries.slice(fromClient), sink.entries.slice(fromSink)];
        const sent = new Set(
          told.flatMap((entry) => (entry.kind === 'sent' && entry.channels[0] === main ? [entry.request] : [])),
        );
        const ids = new Set(
          told.flatMap((entry) => (entry.kind === 'acked' && sent.has(entry.request) ? entry.ids : [])),
        );
        const reached = new Set(seen.filter(({ message }) => ids.has(message)).map(({ subscription }) => subscription));
        return subscriptions.every((subscription) => reached.has(subscription));
      };
      return waitFor('publishing and delivering to work again', look, WORKS_WITHIN_MS).then(() => undefined);
    },
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
