import { setTimeout as sleep } from 'node:timers/promises';

/** A publisher's knowledge of one request: `unknown` when the connection broke before an answer came. */
export type Publication = {
  /** Stands in the payload of each of its messages. */
  mark: string;
  size: number;
  at: number;
  outcome: 'accepted' | 'refused' | 'unknown';
  ids: string[];
  status?: number;
  code?: string;
  retryAfter?: string;
  /** Why no answer of the API came: words of the connection's failure, or of the parser where the body is none of the API’s. */
  brokenBy?: string;
};

type Publishing = {
  /** Lets the requests under way end, and returns everything that was published since it began. */
  stop(): Promise<Publication[]>;
};

/** A publisher that writes down what it was told. */
export type Recorder = {
  publications: Publication[];
  /** One request: a batch for a size over 1. Never rejects; its outcome is in the result. */
  publish(channelId: string, size?: number): Promise<Publication>;
  /** `publishers` at a time, each with one request after the other and `pauseMs` between them. */
  keepPublishing(
    channelId: string,
    options: { publishers: number; pauseMs: number; sizeOf?: (n: number) => number },
  ): Publishing;
  /** Ids of everything that was answered with a 2xx. */
  acceptedIds(): string[];
  /** Calls the API and requires a 2xx. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  createChannel(): Promise<string>;
  /** Returns the subscription's id and signing secret. */
  createSubscription(
    fields: { channelId: string; webhookUrl: string } & Record<string, unknown>,
  ): Promise<{ id: string; secret: string }>;
};

// Longer than anything the API may take for an answer: its own limits end a request earlier.
const ANSWER_WITHIN_MS = 40_000;

/** Words of a failure and of its causes. */
function wordsOf(failure: unknown): string {
  const words: string[] = [];
  for (let at: unknown = failure; at instanceof Error; at = at.cause) words.push(`${at.name}: ${at.message}`);
  return words.join(', because ') || String(failure);
}

/** A recorder that talks to the API at `urlOf()` (looked up for each request: an API may come back elsewhere). */
export function createRecorder(urlOf: () => string, key: string): Recorder {
  const publications: Publication[] = [];
  let count = 0;

  const send = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(urlOf() + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });

  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await send(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    // `as`: the caller names the shape that this path answers with.
    return JSON.parse(text) as T;
  };

  const publish = async (channelId: string, size = 1): Promise<Publication> => {
    count += 1;
    const mark = `m${count}`;
    const messages = Array.from({ length: size }, (_, n) => ({ eventType: 'order.created', payload: { mark, n } }));
    const publication: Publication = { mark, size, at: Date.now(), outcome: 'unknown', ids: [] };
    publications.push(publication);
    const path = `/v1/channels/${channelId}/messages${size > 1 ? '/batch' : ''}`;
    try {
      const response = await send('POST', path, size > 1 ? { messages } : messages[0]);
      // Before the body, which a proxy's own 502 does not have.
      publication.status = response.status;
      // `as`: the API's own shapes; a missing part shows as undefined in what the test compares.
      const body = (await response.json()) as {
        id?: string;
        ids?: string[];
        error?: { code: string; details?: { reason: string } };
      };
      if (response.ok) {
        publication.outcome = 'accepted';
        publication.ids = body.ids ?? [String(body.id)];
      } else {
        // A request under way when PostgreSQL went away may be stored or not, and the answer says so.
        publication.outcome = body.error?.details?.reason === 'unknown' ? 'unknown' : 'refused';
        publication.code = body.error?.code ?? 'none';
        publication.retryAfter = response.headers.get('retry-after') ?? 'none';
      }
    } catch (failure) {
      // The connection broke: nobody told this publisher what became of its request.
      publication.brokenBy = wordsOf(failure);
    }
    return publication;
  };

  return {
    publications,
    publish,
    keepPublishing(channelId, { publishers, pauseMs, sizeOf = () => 1 }) {
      const made: Publication[] = [];
      let isStopped = false;
      const work = async (): Promise<void> => {
        while (!isStopped) {
          made.push(await publish(channelId, sizeOf(count)));
          await sleep(pauseMs);
        }
      };
      const workers = Array.from({ length: publishers }, work);
      return {
        async stop() {
          isStopped = true;
          await Promise.all(workers);
          return made;
        },
      };
    },
    acceptedIds: () => publications.flatMap(({ ids }) => ids),
    call,
    createChannel: async () => (await call<{ id: string }>('POST', '/v1/channels', { name: 'orders' })).id,
    async createSubscription(fields) {
      const { id } = await call<{ id: string }>('POST', '/v1/subscriptions', fields);
      const { secret } = await call<{ secret: string }>('GET', `/v1/subscriptions/${id}/secret`);
      return { id, secret };
    },
  };
}
