/** A good answer of the service, with all that came beside the data. */
export type Answer<T> = {
  /** The parsed body; undefined where the answer has none. */
  data: T;
  /** The body as it came, digit for digit: JSON.parse reads `12.50` as 12.5. */
  text: string;
  status: number;
  headers: Headers;
  /** Names the request in the service's log. */
  requestId: string | undefined;
  /** Whether the service has given the first answer of this idempotency key again. */
  isReplayed: boolean;
};
