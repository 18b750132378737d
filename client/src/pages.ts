import type { Call } from './call.ts';

/** One page of a list. */
export type Page<T> = {
  readonly data: readonly T[];
  readonly pagination: {
    /** Pass it as the parameter `cursor` to get the next page. Absent on the last page. */
    readonly cursor?: string;
    readonly hasMore: boolean;
  };
};

/**
 * A list, newest first. `for await` yields its items and requests pages as needed; `pages()` yields the pages, and
 * `page()` returns a single one. Nothing is requested before one of them is called.
 */
export class Pages<T> implements AsyncIterable<T> {
  readonly #fetch: (query: object) => Call<Page<T>>;
  readonly #query: object;

  constructor(fetch: (query: object) => Call<Page<T>>, query: object) {
    this.#fetch = fetch;
    this.#query = query;
  }

  /** Returns the page that the query asks for: the first one, or the one at its `cursor`. */
  page(): Call<Page<T>> {
    return this.#fetch(this.#query);
  }

  /** Yields that page and all following ones. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let query = this.#query;
    for (;;) {
      const page = await this.#fetch(query);
      yield page;
      if (page.pagination.cursor === undefined) return;
      query = { ...this.#query, cursor: page.pagination.cursor };
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of new Pages(this.#fetch, { limit: ITEMS_AT_A_TIME, ...this.#query }).pages())
      yield* page.data;
  }

  /** Returns all items of the list in memory. */
  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}

/** The largest page size, so that items need as few requests as possible unless the query sets a limit. */
const ITEMS_AT_A_TIME = 100;
