import type { Opened } from './opened.ts';

/** A connection that is silent for this long, in ms, counts as lost. */
const SILENCE_MS = 60_000;

/**
 * Yields the text of an open response as it arrives. Throws ConnectionError if the connection is lost. Always closes
 * the response at the end.
 */
export async function* textsOf(opened: Opened, silenceMs: number): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  try {
    for (;;) {
      opened.allow(silenceMs);
      const bytes = await opened.read();
      // Time that a slow reader takes does not count as silence.
      opened.allow(Number.POSITIVE_INFINITY);
      if (bytes === undefined) return;
      yield decoder.decode(bytes, { stream: true });
    }
  } finally {
    opened.close();
  }
}

/** A response with one JSON object per line, parsed as it arrives. Each `for await` sends the request again. */
export class Lines<T> implements AsyncIterable<T> {
  readonly #open: () => Promise<Opened>;

  constructor(open: () => Promise<Opened>) {
    this.#open = open;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    // `as`: the service writes lines of this type.
    for await (const line of this.texts()) yield JSON.parse(line) as T;
  }

  /** Yields the lines as received, byte for byte, without line feeds. */
  async *texts(): AsyncGenerator<string, void, undefined> {
    let rest = '';
    for await (const text of textsOf(await this.#open(), SILENCE_MS)) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  }
}
