import { setTimeout as sleep } from 'node:timers/promises';

/** One request, repeated word for word until its response is a 2xx. */
export type RepeatedRequest = {
  /** Identifies the request; a publish has it in its payloads. */
  mark: string;
  begunAt: number;
  /** Attempts so far: each status, and whether the response said that the outcome is unknown. 0: there was no response. */
  tries: { status: number; isInDoubt: boolean }[];
  /** Response to the last attempt, once that was a 2xx. */
  answer?: { at: number; body: unknown };
};

type Made = { method?: string; path: string; headers?: Record<string, string>; body?: unknown };

/** Builds a request, once for all of its attempts. Returns undefined if there is none to send yet. */
export type RequestOf = (mark: string) => Made | undefined;

export type Repeating = {
  requests: RepeatedRequest[];
  /** Starts no further request, and returns once all have their 2xx. */
  stop(): Promise<void>;
  /** Stops sending, whatever is unanswered. */
  abandon(): void;
};

// Pause between two attempts of a request; the second of Retry-After would leave a short drill few of them.
const AGAIN_AFTER_MS = 100;

/** Sends one request after the other to the API at `urlOf()`, repeating each until its 2xx, with `pauseMs` in between. */
export function keepRepeating(
  { urlOf, key }: { urlOf: () => string; key: string },
  { name, pauseMs, requestOf }: { name: string; pauseMs: number; requestOf: RequestOf },
): Repeating {
  const requests: RepeatedRequest[] = [];
  let isStopped = false;
  let isAbandoned = false;

  const tryOnce = async (request: RepeatedRequest, made: Made): Promise<void> => {
    try {
      const response = await fetch(urlOf() + made.path, {
        method: made.method ?? 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          ...(made.body !== undefined && { 'content-type': 'application/json' }),
          ...made.headers,
        },
        ...(made.body !== undefined && { body: JSON.stringify(made.body) }),
      });
      const text = await response.text();
      // `as`: the shape of an error; missing fields show up as undefined.
      const body = (text === '' ? {} : JSON.parse(text)) as { error?: { details?: { field: string; reason: string } } };
      const { field, reason } = body.error?.details ?? {};
      request.tries.push({ status: response.status, isInDoubt: field === 'outcome' && reason === 'unknown' });
      if (response.ok) request.answer = { at: Date.now(), body };
    } catch {
      request.tries.push({ status: 0, isInDoubt: true });
    }
  };

  const run = async (): Promise<void> => {
    while (!isStopped) {
      const mark = `${name}-${requests.length}`;
      const made = requestOf(mark);
      if (made === undefined) {
        await sleep(pauseMs);
        continue;
      }
      const request: RepeatedRequest = { mark, begunAt: Date.now(), tries: [] };
      requests.push(request);
      await tryOnce(request, made);
      while (request.answer === undefined && !isAbandoned) {
        await sleep(AGAIN_AFTER_MS);
        await tryOnce(request, made);
      }
      await sleep(pauseMs);
    }
  };
  const running = run();
  return {
    requests,
    async stop() {
      isStopped = true;
      await running;
    },
    abandon() {
      isStopped = true;
      isAbandoned = true;
    },
  };
}
