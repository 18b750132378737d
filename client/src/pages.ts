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
 * A list, newest first. `for await` gives its items and asks for pages as it goes; `pages()` gives the pages themselves, and `page()`
 * a single one. Nothing is asked for before one of them is called.
 */
export class Pages<T> implements AsyncIterable<T> {
  readonly #fetch: (query: object) => Call<Page<T>>;
  readonly #query: object;

  constructor(fetch: (query: object) => Call<Page<T>>, query: object) {
    this.#fetch = fetch;
    this.#query = query;
  }

  /** The page that the query asks for: the first one, or the one at its `cursor`. */
  page(): Call<Page<T>> {
    return this.#fetch(this.#query);
  }

  /** That page and all behind it. */
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

  /** Every item of the list, in memory. */
  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}

/** The largest page that there is: items are asked for with the fewest requests, unless the query says otherwise. */
const ITEMS_AT_A_TIME = 100;
