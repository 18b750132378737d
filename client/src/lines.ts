import type { Opened } from './opened.ts';

/** Longest silence in ms before a connection counts as lost. */
const SILENCE_MS = 60_000;

/** Texts of an open answer, as they come. Throws ConnectionError where the connection is cut. Closes it at its end in any case. */
export async function* textsOf(opened: Opened, silenceMs: number): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  try {
    for (;;) {
      opened.allow(silenceMs);
      const bytes = await opened.read();
      // A reader who is slow is not taken for a lost connection.
      opened.allow(Number.POSITIVE_INFINITY);
      if (bytes === undefined) return;
      yield decoder.decode(bytes, { stream: true });
    }
  } finally {
    opened.close();
  }
}

/** An answer of one line of JSON for each item, read as it comes. `for await` begins the request, each time anew. */
export class Lines<T> implements AsyncIterable<T> {
  readonly #open: () => Promise<Opened>;

  constructor(open: () => Promise<Opened>) {
    this.#open = open;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    // `as`: the service writes lines of this form.
    for await (const line of this.texts()) yield JSON.parse(line) as T;
  }

  /** The lines as they came, byte for byte, without their line feeds. */
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
