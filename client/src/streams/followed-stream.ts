import { ConnectionError } from '../errors.ts';
import { textsOf } from '../lines.ts';
import type { Opened } from '../opened.ts';
import { delayBefore, isWorthRetrying } from '../retry.ts';
import { wait } from '../wait.ts';
import { createEventParser, type ServerEvent } from './event-parser.ts';

/**
 * Opens the stream after the event with that id, or where its query says. `isFirst` is set for the first connection.
 */
export type OpenStream = (lastEventId: string | undefined, isFirst: boolean) => Promise<Opened>;
export type Following = { signal?: AbortSignal; lastEventId?: string };

/** The service sends something every 15 s. A connection that is silent for three times as long counts as lost. */
const SILENCE_MS = 45_000;
/** Reconnection delay until the service sends one. */
const RECONNECT_MS = 1_000;

/**
 * Server-sent events. `for await` opens the stream and, whenever it ends, opens it again after the last event. The loop
 * ends with the signal, without an error; refusals are thrown.
 */
export class FollowedStream<T> implements AsyncIterable<T> {
  readonly #open: OpenStream;
  readonly #signal: AbortSignal | undefined;
  readonly #read: (text: string, eventId: string) => T;
  #lastEventId: string | undefined;

  /** `read` converts the data of an event into what the loop receives. */
  constructor(open: OpenStream, { signal, lastEventId }: Following, read: (text: string, eventId: string) => T) {
    this.#open = open;
    this.#signal = signal;
    this.#lastEventId = lastEventId;
    this.#read = read;
  }

  /** Position of the stream: the last event received or a later heartbeat. Undefined before the stream is open. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    try {
      yield* this.#follow();
    } catch (failure) {
      if (this.#signal?.aborted !== true) throw failure;
    }
  }

  async *#follow(): AsyncGenerator<T, void, undefined> {
    let reconnectMs = RECONNECT_MS;
    let failures = 0;
    let hasOpened = false;
    for (let isFirst = true; ; isFirst = false) {
      let failure: unknown;
      try {
        for await (const { id, data, retryMs } of this.#events(isFirst)) {
          failures = 0;
          hasOpened = true;
          reconnectMs = retryMs ?? reconnectMs;
          this.#lastEventId = id ?? this.#lastEventId;
          if (data !== undefined) yield this.#read(data, this.#lastEventId ?? '');
        }
      } catch (error) {
        failure = error;
      }
      this.#signal?.throwIfAborted();
      const isRefused = !(failure === undefined || isWorthRetrying(failure, { isRepeatable: true, isKeyed: false }));
      // Wrong credentials, a wrong address or a deleted channel are reported at once, or after the usual retries.
      if (isRefused || (failure !== undefined && !hasOpened)) throw failure;
      if (failure !== undefined) failures += 1;
      const delayMs =
        failures === 0 ? reconnectMs * (0.5 + Math.random()) : delayBefore(failures, failure, Math.random());
      await wait(delayMs, this.#signal);
    }
  }

  /** Yields the events of one connection until it ends. */
  async *#events(isFirst: boolean): AsyncGenerator<ServerEvent, void, undefined> {
    const opened = await this.#open(this.#lastEventId, isFirst);
    const type = opened.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) {
      opened.close();
      throw new ConnectionError(`The response has the type ${type} and is not an event stream`);
    }
    const parse = createEventParser();
    for await (const text of textsOf(opened, SILENCE_MS)) yield* parse(text);
  }
}
