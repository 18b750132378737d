import type { Dispatcher } from 'undici';
import type { Lease } from './connections.ts';
import { OutboundError } from './error-class.ts';
import { BODY_BOUNDS } from './response-content.ts';

/**
 * A few interim answers are fine (100 Continue, 103 Early Hints). A receiver that sends them without end would keep the parser busy
 * until the deadline.
 */
const MAX_INTERIM_ANSWERS = 100;

/** Pieces of a body that are read. 64 KiB in chunks of one byte would cost 50 MB and half a second for some of them at once. */
const MAX_PIECES = 4_096;

type Headers = Record<string, string | string[] | undefined>;

/**
 * One complete head of an answer, and its body as far as it came. By `performance.now()`: `at` is the end of the head, and `openedAt`
 * when the connection was open, which it may no longer be once somebody reads this.
 */
export type ReceivedAnswer = {
  status: number;
  headers: Headers;
  at: number;
  openedAt: number;
  body: Buffer;
  isWhole: boolean;
};

/** `method`: POST unless it says otherwise. `readBytes`: the body is read so far, 64 KiB by default. */
type Exchanged = {
  method?: Dispatcher.HttpMethod;
  path: string;
  headers: string[];
  body: Buffer | null;
  readBytes?: number;
};

/**
 * Sends one request on a leased connection and takes its answer. Rejects when no complete head came. Then the body is read to its bound;
 * one that breaks off, or goes on behind that, counts as far as it came and is not whole: the caller ends the connection. Nothing is
 * decoded. A handler of undici's and not its `request`, which makes a stream, a signal and several promises for each answer.
 */
export function exchange(
  lease: Lease,
  { method = 'POST', readBytes = BODY_BOUNDS.read, ...request }: Exchanged,
): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    let interimAnswers = 0;
    let head: Omit<ReceivedAnswer, 'body' | 'isWhole'> | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (isWhole: boolean): void => {
      if (head === undefined) return;
      const [first] = chunks;
      const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
      resolve({ ...head, body: body.subarray(0, readBytes), isWhole });
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart(_controller, status, headers) {
        if (status >= 200) head = { status, headers, at: performance.now(), openedAt: lease.openedAt() };
        else if ((interimAnswers += 1) > MAX_INTERIM_ANSWERS)
          lease.destroy(new OutboundError('protocol', `more than ${MAX_INTERIM_ANSWERS} interim answers came`));
      },
      onResponseData(controller, chunk) {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= readBytes && chunks.length < MAX_PIECES) return;
        controller.pause();
        finish(false);
      },
      onResponseEnd: () => finish(true),
      onResponseError(_controller, error) {
        if (head === undefined) reject(error);
        else finish(false);
      },
    };
    lease.expectAnswer(readBytes);
    lease.client.dispatch({ method, ...request }, handler);
  });
}
