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

/** Answers that are held back at a time in one process: each keeps a connection of the service. */
export const HELD_AT_MOST = { inAll: 200, ofOrganisation: 50 };

const PROBLEMS = {
  own: `${HELD_AT_MOST.ofOrganisation} answers of inspectors of this organisation are held back already`,
  all: `${HELD_AT_MOST.inAll} answers of inspectors are held back already`,
};

/** The place of one answer. */
type HeldAnswer = {
  /** Takes the place, for an inspector of that organisation. A text says why there is none. */
  take(organisationId: string): string | undefined;
  /** Resolves after that time, or when the request's connection closes. */
  wait(ms: number, request: Pick<IncomingMessage, 'socket'>): Promise<void>;
  /** Gives the place back, if it was taken. */
  leave(): void;
};

export type HeldAnswers = {
  begin(): HeldAnswer;
  /** Ends every wait, and those to come. */
  end(): void;
};

/** The delays of inspectors' answers. One organisation cannot take the places of all. */
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
