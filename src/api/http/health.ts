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
    'Everything that the service needs or uses, by name. Late has no answer within 2 s. Unknown is what depends on a part that is not up.',
  );
const reasons = z
  .record(z.string(), z.string())
  .exactOptional()
  .describe('Why parts are not up, by name. Absent when all are.');

const processes = z
  .array(
    z.strictObject({
      number: z.int().describe('1 to PROCESSES; a process that is started again keeps it.'),
      pid: z.int().describe('Its process number on the machine.'),
      state: z.enum(PROCESS_STATES).describe('Starting until it was ready once; a stopping one takes no more.'),
      restarts: z.int().describe('How often it has died and was started again.'),
    }),
  )
  .exactOptional()
  .describe('The service processes behind this port, whichever of them answers. Absent where there is only one.');

/** The answer of /healthz. */
export const healthAnswer = z.strictObject({ status: z.literal('ok').describe('The process answers.') });

/** The answers of /readyz: 200, and 503 with the envelope of an error. */
export const readyAnswer = z.strictObject({
  status: z.literal('ready').describe('Everything required is there.'),
  parts,
  reasons,
  processes,
});
export const unreadyAnswer = errorEnvelope.extend({
  status: z.literal('unavailable').describe('Something required is missing.'),
  parts,
  reasons,
  processes,
});

/**
 * /healthz: the process answers. /readyz: everything required is there, else 503 with the reason of each part that is not.
 * Both are public and have no rate limit: a probe must not be refused. `processTable` is empty where nothing is supervised. Other
 * processes are shown and decide nothing: connections go to those that are there.
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

/** A missing part is looked for again within this. */
const RETRY_AFTER_SECONDS = 1;

/** UNAVAILABLE with the true reasons, in plain words. */
function notReadyError({ failures }: ReadinessLook, cause?: unknown): ApiError {
  const message = failures.map((failure) => failure.message).join('; ') || 'The service is not ready';
  return new ApiError('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_SECONDS, cause });
}

/**
 * Refuses every request until the service was ready once: on a database that is not migrated nothing is to be read or written.
 * Afterwards it looks only when something failed that nobody foresaw, such as a table that is gone: where a required part is down, the
 * caller is told that instead of a fault of ours.
 */
export const requireReady =
  (readiness: Readiness): Middleware =>
  async (_, next) => {
    if (!readiness.hasBeenReady()) {
      const look = await readiness.look();
      // A database that is only slow shows itself at the request's own query, which has more patience.
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
