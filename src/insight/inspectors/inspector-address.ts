import { writeAnswer } from '../../api/http/answers/answer.ts';
import type { Context, Middleware } from '../../api/http/route/context.ts';
import { pathOf, queryOf } from '../../api/http/route/match-route.ts';
import { rateLimit } from '../../api/http/access/rate-limit.ts';
import { BODY_LIMITS, readBytes } from '../../api/http/reading/raw-bytes.ts';
import { requireReady } from '../../api/http/health.ts';
import type { BoundRoute } from '../../api/http/route/route.ts';
import { createHeldAnswers } from './held-answers.ts';
import type { Inspectors } from './service.ts';
import { ApiError } from '../../kernel/errors.ts';
import { readInspectPath } from '../../platform/outbound/guard/own-addresses.ts';
import { SENDER_HEADER } from '../../platform/outbound/sign.ts';
import type { Limiter } from '../../platform/rate-limits/limiter.ts';
import type { Readiness } from '../../platform/readiness/readiness.ts';

const RETRY_AFTER_SECONDS = 1;

/** Row of the address, for the edge: any method may come, so that it stands in no route table. */
const ROW: BoundRoute = {
  method: 'POST',
  path: '/inspect/:inspectorId',
  operationId: 'inspectors.inspect',
  summary: 'Show a request',
  description: 'Keeps any request for the people who watch the inspector.',
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

type Collaborators = {
  inspectors: Pick<Inspectors, 'receive' | 'senderOf'>;
  limiter: Limiter;
  readiness: Readiness;
  trustedProxyHops: number;
};

/** `endDelays` sends the answers that are held back, and holds none back any more. */
export type InspectorAddress = { middleware: Middleware; endDelays(): void };

/**
 * Answers requests to inspectors, of any method and with anything behind the address. Nothing of a request comes back, no cookie and no
 * credential is looked at, and no redirect is sent: a status of 3xx has no Location.
 */
export function createInspectorAddress({
  inspectors,
  limiter,
  readiness,
  trustedProxyHops,
}: Collaborators): InspectorAddress {
  const limit = rateLimit(limiter, trustedProxyHops, ({ headersDistinct }) =>
    inspectors.senderOf(headersDistinct[SENDER_HEADER]?.[0] ?? ''),
  );
  const ready = requireReady(readiness);
  const held = createHeldAnswers();

  const answer = async (ctx: Context): Promise<void> => {
    const { req } = ctx;
    const target = req.url ?? '';
    const { id = '', rest = '' } = readInspectPath(pathOf(target)) ?? {};
    const query = queryOf(target);
    const bytes = await readBytes(req, BODY_LIMITS.inbound);
    const place = held.begin();
    try {
      const { status, delayMs, problem } = await inspectors.receive(id, {
        method: ctx.method,
        path: query === '' ? rest : `${rest}?${query}`,
        rawHeaders: req.rawHeaders,
        header: (name) => req.headersDistinct[name]?.join(', '),
        bytes,
        holdBack: place.take,
      });
      if (problem !== undefined) throw new ApiError('UNAVAILABLE', problem, { retryAfter: RETRY_AFTER_SECONDS });
      if (delayMs > 0) await place.wait(delayMs, req);
      writeAnswer(ctx, status, BODILESS.includes(status) ? undefined : { received: true });
    } finally {
      place.leave();
    }
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
    endDelays: held.end,
  };
}
