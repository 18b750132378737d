import type { Message } from '../generated/types.ts';
import { ConnectionError } from '../errors.ts';
import { textsOf } from '../lines.ts';
import type { Opened } from '../opened.ts';
import { delayBefore, isWorthAnotherTry } from '../retry.ts';
import { wait } from '../wait.ts';
import { createEventParser, type ServerEvent } from './event-parser.ts';

export type StreamedMessage = {
  /** Its place in the stream: to go on behind it later, give it as `lastEventId`. */
  eventId: string;
  message: Message;
  /** The message as it came, digit for digit. */
  text: string;
};

/** Opens the stream behind the event with that id, or where its query says. `isFirst` is for the first connection. */
type Open = (lastEventId: string | undefined, isFirst: boolean) => Promise<Opened>;

/** The service sends something every 15 s. A connection that is silent for three times as long is lost. */
const SILENCE_MS = 45_000;
/** As the service asks for where it says nothing. */
const RECONNECT_MS = 1_000;

/**
 * Messages of a channel as they are published. `for await` opens the stream and opens it again behind the last event whenever it ends:
 * no message is missed and none comes twice. The loop ends with the signal, without an error; refusals are thrown.
 */
export class MessageStream implements AsyncIterable<StreamedMessage> {
  readonly #open: Open;
  readonly #signal: AbortSignal | undefined;
  #lastEventId: string | undefined;

  constructor(open: Open, { signal, lastEventId }: { signal?: AbortSignal; lastEventId?: string }) {
    this.#open = open;
    this.#signal = signal;
    this.#lastEventId = lastEventId;
  }

  /** Where the stream is: the last message that was given, or a later heartbeat. Undefined before it is open. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamedMessage, void, undefined> {
    try {
      yield* this.#follow();
    } catch (failure) {
      if (this.#signal?.aborted !== true) throw failure;
    }
  }

  async *#follow(): AsyncGenerator<StreamedMessage, void, undefined> {
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
          // `as`: the service sends messages of this form.
          if (data !== undefined)
            yield { eventId: this.#lastEventId ?? '', message: JSON.parse(data) as Message, text: data };
        }
      } catch (error) {
        failure = error;
      }
      this.#signal?.throwIfAborted();
      const isRefused = !(failure === undefined || isWorthAnotherTry(failure, { isRepeatable: true, isKeyed: false }));
      // Wrong credentials, a wrong address or a channel that is gone show at once, or after the retries of any request.
      if (isRefused || (failure !== undefined && !hasOpened)) throw failure;
      if (failure !== undefined) failures += 1;
      const delayMs =
        failures === 0 ? reconnectMs * (0.5 + Math.random()) : delayBefore(failures, failure, Math.random());
      await wait(delayMs, this.#signal);
    }
  }

  /** Events of one connection, to its end. */
  async *#events(isFirst: boolean): AsyncGenerator<ServerEvent, void, undefined> {
    const opened = await this.#open(this.#lastEventId, isFirst);
    const type = opened.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) {
      opened.close();
      throw new ConnectionError(`The answer is of the type ${type}, and no stream`);
    }
    const parse = createEventParser();
    for await (const text of textsOf(opened, SILENCE_MS)) yield* parse(text);
  }
}
