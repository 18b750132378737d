import type { IncomingMessage } from 'node:http';
import { writeAnswer } from './http/answers/answer.ts';
import type { Context, Middleware } from './http/route/context.ts';
import { pathOf, queryOf } from './http/route/match-route.ts';
import { rateLimit } from './http/access/rate-limit.ts';
import { BODY_LIMITS, readBytes } from './http/reading/raw-bytes.ts';
import { requireReady } from './http/pages/require-ready.ts';
import type { BoundRoute } from './http/route/route.ts';
import type { ReceiveInspected } from './inspectors/receive.ts';
import { ApiError } from './kernel/errors/api-error.ts';
import { readInspectPath } from './outbound/guard/inspect-path.ts';
import type { Limiter } from './rate-limits/limiter.ts';
import type { Readiness } from './readiness/readiness.ts';

/** Answers that are held back at a time: each keeps a connection of the service. */
const DELAYED_AT_MOST = 200;
const RETRY_AFTER_SECONDS = 1;

/** Row of the address, for the edge: any method may come, so that it stands in no route table. */
const ROW: BoundRoute = {
  method: 'POST',
  path: '/inspect/:inspectorId',
  access: 'public',
  consumes: { raw: ['*/*'] },
  params: {},
  answers: {},
  status: 200,
  errors: [],
  ownLimit: { name: 'inspector', parameter: 'inspectorId', kind: 'inspector', perMinute: 300 },
  handle: async () => undefined,
};

/** Answers without a body (RFC 9110 §15). */
const BODILESS = [204, 205, 304];

type Collaborators = { receive: ReceiveInspected; limiter: Limiter; readiness: Readiness; trustedProxyHops: number };

/** `endDelays` sends the answers that are held back, and holds none back any more. */
export type InspectorAddress = { middleware: Middleware; endDelays(): void };

/**
 * Answers requests to inspectors, of any method and with anything behind the address. Nothing of a request comes back, no cookie and no
 * credential is looked at, and no redirect is sent: a status of 3xx has no Location.
 */
export function createInspectorAddress({
  receive,
  limiter,
  readiness,
  trustedProxyHops,
}: Collaborators): InspectorAddress {
  const limit = rateLimit(limiter, trustedProxyHops);
  const ready = requireReady(readiness);
  const delays = createDelays();

  const answer = async (ctx: Context): Promise<void> => {
    const { req } = ctx;
    const target = req.url ?? '';
    const { id = '', rest = '' } = readInspectPath(pathOf(target)) ?? {};
    const query = queryOf(target);
    const bytes = await readBytes(req, BODY_LIMITS.inbound);
    const { status, delayMs } = await receive(id, {
      method: ctx.method,
      path: query === '' ? rest : `${rest}?${query}`,
      rawHeaders: req.rawHeaders,
      header: (name) => req.headersDistinct[name]?.join(', '),
      bytes,
    });
    if (delayMs > 0) await delays.wait(delayMs, req);
    writeAnswer(ctx, status, BODILESS.includes(status) ? undefined : { received: true });
  };

  const inspect = async (ctx: Context, inspectorId: string): Promise<void> => {
    ctx.state.route = ROW;
    ctx.state.params = { inspectorId };
    await limit(ctx, async () => {
      await ready(ctx, () => answer(ctx));
    });
  };

  return {
    middleware: (ctx, next) => {
      const found = readInspectPath(pathOf(ctx.req.url ?? ''));
      return found === undefined ? next() : inspect(ctx, found.id);
    },
    endDelays: delays.end,
  };
}

function createDelays(): { wait(ms: number, request: IncomingMessage): Promise<void>; end(): void } {
  const waiting = new Set<() => void>();
  let isEnded = false;
  return {
    async wait(ms, request) {
      if (isEnded) return;
      if (waiting.size >= DELAYED_AT_MOST)
        throw new ApiError('UNAVAILABLE', `${DELAYED_AT_MOST} answers of inspectors are held back already`, {
          retryAfter: RETRY_AFTER_SECONDS,
        });
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          request.socket.off('close', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        waiting.add(done);
        request.socket.once('close', done);
      });
    },
    end() {
      isEnded = true;
      for (const done of waiting) done();
    },
  };
}
