import type { Dispatcher } from 'undici';
import type { Lease } from './connections.ts';
import { OutboundError } from './error-class.ts';
import { BODY_BOUNDS } from './response-content.ts';

/**
 * A few interim responses are fine (100 Continue, 103 Early Hints). A receiver that sends them endlessly would keep the parser busy
 * until the deadline.
 */
const MAX_INTERIM_ANSWERS = 100;

/** Maximum chunks of a body that are read. 64 KiB in chunks of one byte would cost 50 MB and half a second for several of them at once. */
const MAX_PIECES = 4_096;

type Headers = Record<string, string | string[] | undefined>;

/**
 * A complete response head, and its body as far as it arrived. By `performance.now()`: `at` is the end of the head, and `openedAt` when
 * the connection was opened, which may have ended since.
 */
export type ReceivedAnswer = {
  status: number;
  headers: Headers;
  at: number;
  openedAt: number;
  body: Buffer;
  isWhole: boolean;
};

/** `method`: POST by default. `readBytes`: how much of the body is read, 64 KiB by default. */
type Exchanged = {
  method?: Dispatcher.HttpMethod;
  path: string;
  headers: string[];
  body: Buffer | null;
  readBytes?: number;
};

/**
 * Sends a request on a leased connection and reads its response. Rejects if no complete head arrived. Then the body is read up to its
 * limit; a body that breaks off or is longer counts as far as it was read and is not whole, and the caller ends the connection. Nothing
 * is decoded. Uses an undici handler instead of `request`, which creates a stream, a signal and several promises per response.
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
          lease.destroy(new OutboundError('protocol', `more than ${MAX_INTERIM_ANSWERS} interim responses arrived`));
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
