/** A successful response with everything in addition to its data. */
export type Answer<T> = {
  /** The parsed body; undefined if there is none. */
  data: T;
  /** The body as received, digit for digit: JSON.parse would read `12.50` as 12.5. */
  text: string;
  status: number;
  headers: Headers;
  /** Identifies the request in the service's log. */
  requestId: string | undefined;
  /** Whether the service repeated its first response for this idempotency key. */
  isReplayed: boolean;
};
