import { writeAnswer } from '../../api/http/answers/answer.ts';
import type { Context, Middleware } from '../../api/http/route/context.ts';
import { pathOf, queryOf } from '../../api/http/route/match-route.ts';
import { rateLimit } from '../../api/http/access/rate-limit.ts';
import { BODY_LIMITS, readBytes } from '../../api/http/reading/raw-bytes.ts';
import { requireReady } from '../../api/http/health.ts';
import type { BoundRoute } from '../../api/http/route/route.ts';
import type { Inspectors } from './service.ts';
import { ApiError } from '../../kernel/errors.ts';
import { readInspectPath } from '../../platform/outbound/guard/own-addresses.ts';
import { SENDER_HEADER } from '../../platform/outbound/sign.ts';
import type { Limiter } from '../../platform/rate-limits/limiter.ts';
import type { Readiness } from '../../platform/readiness/readiness.ts';
import type { IncomingMessage } from 'node:http';
import { createShares } from '../../platform/rate-limits/counters.ts';

const RETRY_AFTER_SECONDS = 1;

/** Route row of the inspector address. It accepts any method, so it is not in a route table. */
const ROW: BoundRoute = {
  method: 'POST',
  path: '/inspect/:inspectorId',
  operationId: 'inspectors.inspect',
  summary: 'Show a request',
  description: 'Records any request for the people who use the inspector.',
  access: 'public',
  consumes: { raw: ['*/*'] },
  params: {},
  answers: {},
  status: 200,
  errors: [],
  ownLimit: { name: 'inspector', parameter: 'inspectorId', kind: 'inspector', perMinute: 300 },
  handle: async () => undefined,
};

/** Statuses whose responses have no body (RFC 9110 §15). */
const BODILESS = [204, 205, 304];

type Collaborators = {
  inspectors: Pick<Inspectors, 'receive' | 'senderOf'>;
  limiter: Limiter;
  readiness: Readiness;
  trustedProxyHops: number;
};

/** `endDelays` sends all delayed responses at once and stops delaying. */
export type InspectorAddress = { middleware: Middleware; endDelays(): void };

/**
 * Responds to requests to inspectors, with any method and any path after the address. The response contains nothing of
 * the request; cookies and credentials are ignored, and a 3xx status has no Location.
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

/** Maximum delayed responses at a time per process, because each one keeps a connection of the service open. */
export const HELD_AT_MOST = { inAll: 200, ofOrganisation: 50 };

const PROBLEMS = {
  own: `${HELD_AT_MOST.ofOrganisation} inspector responses of this organisation are already delayed`,
  all: `${HELD_AT_MOST.inAll} inspector responses are already delayed`,
};

/** The slot of one delayed response. */
type HeldAnswer = {
  /** Takes a slot for an inspector of that organisation. Returns why if there is none. */
  take(organisationId: string): string | undefined;
  /** Resolves after that time, or when the connection of the request closes. */
  wait(ms: number, request: Pick<IncomingMessage, 'socket'>): Promise<void>;
  /** Releases the slot if it was taken. */
  leave(): void;
};

export type HeldAnswers = {
  begin(): HeldAnswer;
  /** Ends all waits, including future ones. */
  end(): void;
};

/** Limits the delayed responses of inspectors, so that one organisation cannot use up all slots. */
export function createHeldAnswers(): HeldAnswers {
  const waiting = new Set<() => void>();
  const shares = createShares({ inAll: HELD_AT_MOST.inAll, ofOne: HELD_AT_MOST.ofOrganisation });
  let isEnded = false;

  return {
    begin() {
      let taken: string | undefined;
      return {
        take(organisationId) {
          const which = shares.take(organisationId);
          if (which !== 'taken') return PROBLEMS[which];
          taken = organisationId;
          return undefined;
        },
        async wait(ms, { socket }) {
          if (isEnded || socket.destroyed) return;
          await new Promise<void>((resolve) => {
            const done = (): void => {
              clearTimeout(timer);
              waiting.delete(done);
              socket.off('close', done);
              resolve();
            };
            const timer = setTimeout(done, ms);
            waiting.add(done);
            socket.once('close', done);
          });
        },
        leave() {
          if (taken !== undefined) shares.give(taken);
          taken = undefined;
        },
      };
    },
    end() {
      isEnded = true;
      for (const done of waiting) done();
    },
  };
}
