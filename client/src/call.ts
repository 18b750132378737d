import type { Answer } from './answer.ts';

/**
 * A request in progress. Awaiting it returns the data of the response; `withAnswer` also returns the text and the
 * headers.
 */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #answer: Promise<Answer<T>>;

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer;
  }

  /** Returns the response with its text, status, headers and request id. Rejects like the call itself. */
  withAnswer(): Promise<Answer<T>> {
    return this.#answer;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- calls are meant to be awaited
  then<A = T, B = never>(
    fulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(fulfilled, rejected);
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(null, rejected);
  }

  finally(settled?: (() => void) | null): Promise<T> {
    return this.then().finally(settled);
  }
}
