import { z } from 'zod';
import {
  PART_STATES,
  PROCESS_STATES,
  type ProcessState,
  type Readiness,
  type ReadinessLook,
} from '../../platform/readiness/readiness.ts';
import { writeAnswer } from './answers/answer.ts';
import type { Context, Middleware } from './route/context.ts';
import { errorEnvelope, toEnvelope } from './answers/error-envelope.ts';
import { pathOf } from './route/match-route.ts';
import { requireReading } from './public-files.ts';
import { ApiError } from '../../kernel/errors.ts';
import { toApiError } from './answers/errors.ts';

const parts = z
  .record(z.string(), z.enum(PART_STATES))
  .describe(
    'State of each component that the service needs or uses. `late`: no response within 2 s. `unknown`: it depends on a component that is not up.',
  );
const reasons = z
  .record(z.string(), z.string())
  .exactOptional()
  .describe('Why a component is not up. Absent if all are.');

const processes = z
  .array(
    z.strictObject({
      number: z.int().describe('1 to PROCESSES. A restarted process keeps its number.'),
      pid: z.int().describe('Process id on its machine.'),
      state: z
        .enum(PROCESS_STATES)
        .describe('`starting` until it has been ready once; a `stopping` process accepts no more requests.'),
      restarts: z.int().describe('How often it was restarted after a crash.'),
    }),
  )
  .exactOptional()
  .describe('All service processes that share this port. Absent if there is only one.');

/** The response of /healthz. */
export const healthAnswer = z.strictObject({ status: z.literal('ok').describe('The process is running.') });

/** The responses of /readyz: 200, and 503 with an error envelope. */
export const readyAnswer = z.strictObject({
  status: z.literal('ready').describe('Every required component is up.'),
  parts,
  reasons,
  processes,
});
export const unreadyAnswer = errorEnvelope.extend({
  status: z.literal('unavailable').describe('A required component is not up.'),
  parts,
  reasons,
  processes,
});

/**
 * /healthz: the process responds. /readyz: 200 if every required component is up, otherwise 503 with the reason for each that is not.
 * Both are public and have no rate limit, because a probe must not be rejected. `processTable` is empty without a supervisor. Other
 * processes are listed but do not affect the status: connections go to those that are running.
 */
export function health(readiness: Readiness, processTable: () => readonly ProcessState[]): Middleware {
  const answer = async (ctx: Context, path: string): Promise<void> => {
    requireReading(ctx);
    if (path === '/healthz') return writeAnswer(ctx, 200, { status: 'ok' } satisfies z.output<typeof healthAnswer>);
    const look = await readiness.look();
    const { parts, reasons } = look;
    const table = processTable();
    const shown = {
      parts,
      ...(Object.keys(reasons).length > 0 && { reasons }),
      ...(table.length > 0 && { processes: [...table] }),
    };
    if (look.isReady) {
      return writeAnswer(ctx, 200, { status: 'ready', ...shown } satisfies z.output<typeof readyAnswer>);
    }
    ctx.set('Retry-After', '1');
    const unready: z.output<typeof unreadyAnswer> = {
      ...toEnvelope(notReadyError(look)),
      status: 'unavailable',
      ...shown,
    };
    return writeAnswer(ctx, 503, unready);
  };
  return (ctx, next) => {
    const path = pathOf(ctx.req.url ?? '');
    return path === '/healthz' || path === '/readyz' ? answer(ctx, path) : next();
  };
}

/** A missing component is checked again within this time. */
const RETRY_AFTER_SECONDS = 1;

/** UNAVAILABLE with the real reasons in plain words. */
function notReadyError({ failures }: ReadinessLook, cause?: unknown): ApiError {
  const message = failures.map((failure) => failure.message).join('; ') || 'The service is not ready';
  return new ApiError('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_SECONDS, cause });
}

/**
 * Rejects every request until the service has been ready once, because nothing may be read from or written to a database that is not
 * migrated. Afterwards it checks readiness only after an unexpected error, such as a missing table: if a required component is down,
 * the caller is told so instead of getting an internal error.
 */
export const requireReady =
  (readiness: Readiness): Middleware =>
  async (_, next) => {
    if (!readiness.hasBeenReady()) {
      const look = await readiness.look();
      // A database that is merely slow shows up in the request's own query, which has a longer timeout.
      if (!look.isReady && !look.isUndecided) throw notReadyError(look);
    }
    try {
      await next();
    } catch (thrown) {
      if (toApiError(thrown, { isRead: true }).code !== 'INTERNAL') throw thrown;
      const look = await readiness.look();
      if (look.isReady) throw thrown;
      throw notReadyError(look, thrown);
    }
  };
