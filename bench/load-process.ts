import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { nowMs } from './clock.ts';
import { answer } from './helper.ts';

/** The messages to publish. Either `concurrency` requests at a time, or `ratePerSecond` whatever the answers do (an open loop). */
export type Load = {
  url: string;
  key: string;
  channelId: string;
  count: number;
  /** Bytes of the payload's JSON text. */
  payloadBytes: number;
  concurrency: number;
  ratePerSecond?: number;
  /** Each message has an Idempotency-Key, or an id of its publisher's, that no other one has. */
  knownBy?: 'key' | 'id';
};

/** Accepted messages with the moments their request was sent and answered; times are ms of `nowMs`. */
export type Published = {
  ids: string[];
  sentAt: Float64Array;
  answeredAt: Float64Array;
  startedAt: number;
  /** Time of the last answer. */
  endedAt: number;
  /** Answers other than 202, and requests without an answer. */
  refused: number;
  unanswered: number;
  /** One of the refusals, for a person. */
  example?: string;
};

let accepted = 0;

const bodyOf = (number: number, { payloadBytes, knownBy }: Load): string => {
  const head = `{"number":${number},"text":"`;
  const id = knownBy === 'id' ? `"id":"${randomUUID()}",` : '';
  return `{${id}"eventType":"bench.sent","payload":${head}${'x'.repeat(Math.max(0, payloadBytes - head.length - 2))}"}}`;
};

const headersOf = ({ key, knownBy }: Load): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  ...(knownBy === 'key' && { 'idempotency-key': randomUUID() }),
});

async function publish(load: Load): Promise<Published> {
  const { count, concurrency, ratePerSecond } = load;
  const pool = new Pool(load.url, { connections: concurrency, pipelining: 1, keepAliveTimeout: 60_000 });
  const path = `/v1/channels/${load.channelId}/messages`;
  const sent: number[] = [];
  const answered: number[] = [];
  const published: Published = {
    ids: [],
    sentAt: new Float64Array(),
    answeredAt: new Float64Array(),
    startedAt: nowMs(),
    endedAt: 0,
    refused: 0,
    unanswered: 0,
  };
  accepted = 0;
  const one = async (number: number): Promise<void> => {
    const body = bodyOf(number, load);
    const sentAt = nowMs();
    try {
      const response = await pool.request({ path, method: 'POST', headers: headersOf(load), body });
      const text = await response.body.text();
      const id = /"id":"(msg_[0-9a-z]{26})"/.exec(text)?.[1];
      if (response.statusCode === 202 && id !== undefined) {
        published.ids.push(id);
        sent.push(sentAt);
        answered.push(nowMs());
        accepted += 1;
      } else {
        published.refused += 1;
        published.example ??= `${response.statusCode} ${text.slice(0, 200)}`;
      }
    } catch (failure) {
      published.unanswered += 1;
      published.example ??= String(failure);
      // The service is being killed (bench/crash.ts): no busy loop meanwhile.
      await sleep(20);
    }
  };
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await one(next);
    }
  };
  if (ratePerSecond === undefined) await Promise.all(Array.from({ length: concurrency }, worker));
  else {
    const open: Promise<void>[] = [];
    for (let number = 1; number <= count; number += 1) {
      const at = published.startedAt + ((number - 1) * 1_000) / ratePerSecond;
      await sleep(Math.max(0, at - nowMs()));
      open.push(one(number));
    }
    await Promise.all(open);
  }
  published.endedAt = nowMs();
  published.sentAt = Float64Array.from(sent);
  published.answeredAt = Float64Array.from(answered);
  await pool.destroy();
  return published;
}

const commands = { publish, accepted: (): Promise<number> => Promise.resolve(accepted) };

export type LoadCommands = typeof commands;
answer(commands);
