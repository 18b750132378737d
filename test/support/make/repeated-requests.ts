import { setTimeout as sleep } from 'node:timers/promises';

/** One request, sent again word for word until it is answered with a 2xx. */
export type RepeatedRequest = {
  /** Mark that the request is known by; a publish has it in its payloads. */
  mark: string;
  begunAt: number;
  /** Tries so far: each status, and whether the answer said that nobody knows what became of it. 0: no answer came. */
  tries: { status: number; isInDoubt: boolean }[];
  /** Answer to the last try, once that was a 2xx. */
  answer?: { at: number; body: unknown };
};

type Made = { method?: string; path: string; headers?: Record<string, string>; body?: unknown };

/** How a request is made, once for all of its tries. Undefined while there is none to be made. */
export type RequestOf = (mark: string) => Made | undefined;

export type Repeating = {
  requests: RepeatedRequest[];
  /** Begins no further request, and returns once all have their 2xx. */
  stop(): Promise<void>;
  /** Sends nothing more, whatever is unanswered. */
  abandon(): void;
};

// Between two tries of one request; Retry-After says a second, which would leave a short drill few of them.
const AGAIN_AFTER_MS = 100;

/** Sends one request after the other to the API at `urlOf()`, each until it has its 2xx, with `pauseMs` between them. */
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
      // `as`: an error's shape; what is missing shows as undefined.
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
