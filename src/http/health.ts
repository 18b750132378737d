import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../shared/api-error.ts';
import { writeAnswer } from './answer.ts';
import type { Middleware } from './context.ts';
import { toEnvelope } from './errors.ts';
import { hostProblem } from './host.ts';
import { pathOf } from './match-route.ts';

/** A part the service needs. `check` rejects when it is down; a part that is not required is shown but does not count. */
export type Part = { check: () => Promise<unknown>; isRequired: boolean };

/** A part that takes longer than this to answer is down: load balancers give up after a few seconds themselves. */
const CHECK_TIMEOUT_MS = 2_000;
/** How long an answer of /readyz is reused. Anyone may ask, without a rate limit, and each check costs a query. */
const REUSE_MS = 1_000;

const METHODS = ['GET', 'HEAD'];

type Report = Record<string, 'up' | 'down'>;

/**
 * /healthz: the process answers. /readyz: every required part answers, else 503 with the names of those that do not.
 * Both are public and have no rate limit: a probe must not be refused.
 */
export function health(parts: Readonly<Record<string, Part>>): Middleware {
  let latest: { at: number; report: Promise<Report> } | undefined;
  const report = (): Promise<Report> => {
    if (latest === undefined || performance.now() - latest.at > REUSE_MS)
      latest = { at: performance.now(), report: checkAll(parts) };
    return latest.report;
  };

  return async (ctx, next) => {
    const path = pathOf(ctx.req.url ?? '');
    if (path !== '/healthz' && path !== '/readyz') {
      await next();
      return;
    }
    const problem = hostProblem(ctx.req);
    if (problem !== undefined) throw problem;
    if (!METHODS.includes(ctx.method)) {
      ctx.set('Allow', METHODS.join(', '));
      throw new ApiError('METHOD_NOT_ALLOWED', `${ctx.method} is not allowed here; allowed: ${METHODS.join(', ')}`);
    }
    if (path === '/healthz') return writeAnswer(ctx, 200, { status: 'ok' });
    const found = await report();
    const down = Object.keys(found).filter((name) => found[name] === 'down' && parts[name]?.isRequired);
    if (down.length === 0) return writeAnswer(ctx, 200, { status: 'ready', parts: found });
    const error = new ApiError('UNAVAILABLE', `Not ready; down: ${down.join(', ')}`);
    ctx.set('Retry-After', '1');
    return writeAnswer(ctx, 503, { ...toEnvelope(error), status: 'unavailable', parts: found });
  };
}

async function checkAll(parts: Readonly<Record<string, Part>>): Promise<Report> {
  const states = await Promise.all(
    Object.entries(parts).map(async ([name, { check }]) => [name, await isUp(check)] as const),
  );
  return Object.fromEntries(states.map(([name, up]) => [name, up ? 'up' : 'down']));
}

async function isUp(check: () => Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  try {
    const tooLate = sleep(CHECK_TIMEOUT_MS, false, { signal: stop.signal });
    return await Promise.race([check().then(() => true), tooLate]);
  } catch {
    return false;
  } finally {
    stop.abort();
  }
}
