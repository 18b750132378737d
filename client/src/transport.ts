import type { Answer } from './answer.ts';
import type { Authorizer, SessionPlace } from './credentials/credentials.ts';
import { AnswerError, ApiError, refusalOf } from './errors.ts';
import { createLimit } from './limit.ts';
import { type Opened, openedOf, readText } from './opened.ts';
import type { RequestOptions, RetryOptions } from './options.ts';
import { delayBefore, isWorthRetrying, type Repeatable } from './retry.ts';
import { untilAborted, wait } from './wait.ts';

/** A request that may be sent several times. */
export type Outgoing = Repeatable & {
  method: string;
  /** Path and query, relative to the base URL. */
  target: string;
  place: SessionPlace | undefined;
  /** Creates headers and body of one attempt. */
  make(): Promise<{ headers: Record<string, string>; body: string | undefined }>;
};

export type Transport = {
  /** Sends the request until it succeeds, reads the body, and returns the response. */
  call(outgoing: Outgoing, options: RequestOptions): Promise<Answer<unknown>>;
  /** Like `call`, without reading the body. The caller must close the response. */
  open(outgoing: Outgoing, options: RequestOptions): Promise<Opened>;
};

export type TransportOptions = {
  baseUrl: string;
  authorizer: Authorizer;
  fetch: typeof fetch;
  timeoutMs: number;
  retries: RetryOptions;
};

type Prepared = { headers: Headers; signed: Record<string, string>; body: string | undefined };

const DEFAULT_MAX = 4;
const DEFAULT_WITHIN_MS = 60_000;

export function createTransport({ baseUrl, authorizer, fetch, timeoutMs, retries }: TransportOptions): Transport {
  /**
   * Prepares headers and body of one attempt. Failures are thrown to the caller unchanged: an invalid header is a
   * mistake, and the token exchange has had its own retries.
   */
  const prepare = async (
    { method, target, place, make }: Outgoing,
    signal: AbortSignal | undefined,
  ): Promise<Prepared> => {
    const made = await make();
    const signed = await untilAborted(authorizer.headersOf({ method, target }, place), signal);
    return { headers: new Headers({ ...made.headers, ...signed }), signed, body: made.body };
  };

  /** Sends one attempt. Throws the error that it ends with. */
  const once = async (
    { method, target }: Outgoing,
    { headers, signed, body }: Prepared,
    options: RequestOptions,
    mended: Set<string>,
  ): Promise<Opened | 'again'> => {
    const limit = createLimit(options.timeoutMs ?? timeoutMs, options.signal);
    const send = async (): Promise<Response> =>
      fetch(baseUrl + target, {
        method,
        headers,
        signal: limit.signal,
        redirect: 'error',
        credentials: authorizer.cookies,
        ...(body !== undefined && { body }),
      });
    const answering = send();
    const response = await limit.hold(answering).catch((failure: unknown) => {
      limit.close();
      // A late response is not needed any more.
      answering.then((late) => late.body?.cancel()).catch(() => undefined);
      throw failure;
    });
    const opened = openedOf(response, limit);
    const seen = { status: response.status, headers: response.headers };
    if (response.ok) {
      authorizer.seen({ ...seen, oauthError: undefined }, signed);
      return opened;
    }
    const refusal = refusalOf(response, await readText(opened));
    const oauthError = refusal instanceof ApiError ? refusal.oauthError : undefined;
    const canBeMended = authorizer.seen({ ...seen, oauthError }, signed);
    if (!canBeMended || oauthError === undefined || mended.has(oauthError)) throw refusal;
    mended.add(oauthError);
    return 'again';
  };

  /** Sends attempts until one succeeds and is read. */
  const run = async <T>(
    outgoing: Outgoing,
    options: RequestOptions,
    read: (opened: Opened) => Promise<T>,
  ): Promise<T> => {
    const { max = retries.max ?? DEFAULT_MAX, withinMs = retries.withinMs ?? DEFAULT_WITHIN_MS } =
      options.retries ?? {};
    const startedAt = Date.now();
    const mended = new Set<string>();
    for (let tries = 1; ; ) {
      options.signal?.throwIfAborted();
      const prepared = await prepare(outgoing, options.signal);
      try {
        const opened = await once(outgoing, prepared, options, mended);
        if (opened !== 'again') return await read(opened);
      } catch (failure) {
        options.signal?.throwIfAborted();
        const delayMs = delayBefore(tries, failure, Math.random());
        const isLate = Date.now() - startedAt + delayMs > withinMs;
        if (tries > max || isLate || !isWorthRetrying(failure, outgoing)) throw failure;
        await wait(delayMs, options.signal);
        tries += 1;
      }
    }
  };

  return {
    call: (outgoing, options) => run(outgoing, options, readAnswer),
    open: (outgoing, options) => run(outgoing, options, (opened) => Promise.resolve(opened)),
  };
}

async function readAnswer(opened: Opened): Promise<Answer<unknown>> {
  const { status, headers } = opened;
  const text = await readText(opened);
  return {
    data: text === '' ? undefined : parse(text, status),
    text,
    status,
    headers,
    requestId: headers.get('x-request-id') ?? undefined,
    isReplayed: headers.get('idempotent-replayed') === 'true',
  };
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = `The response (${status}) is not JSON: ${text.slice(0, 200)}`;
    throw new AnswerError(message, { status, text, retryAfter: undefined });
  }
}
