import { createHash } from 'node:crypto';
import type { Next } from 'koa';
import type { KeptAnswer, KeyedRequest } from '../idempotency/kept-answers.ts';
import type { Caller, EnvironmentCaller } from '../caller.ts';
import { invalidField } from '../../kernel/errors.ts';
import { ANSWER_HEADERS } from './answers/answer.ts';
import type { Context, Middleware } from './route/context.ts';
import type { Row } from './route/route.ts';

/** Runs a request once and returns its response, or the stored one (idempotency/service.ts). */
type Once = (
  request: KeyedRequest,
  how: { isPublish: boolean; run: () => Promise<KeptAnswer> },
) => Promise<{ answer: KeptAnswer; isReplayed: boolean }>;

const HEADER = 'Idempotency-Key';
/** The header name as Node has it. */
const NAME = 'idempotency-key';
const MAX_LENGTH = 255;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Carries out a POST with an Idempotency-Key only once: repeating the request returns the first response, marked `Idempotent-Replayed:
 * true`. Runs after validation, so that an invalid request uses up no key. Only successes are stored: an error has changed nothing, may
 * depend on a state that has changed since, and leaves the key free. Keys belong to an environment, so requests of other callers ignore
 * the header. Throws INVALID_REQUEST for a key that is not 1–255 visible ASCII characters.
 */
export const idempotency =
  (once: Once): Middleware =>
  (ctx, next) => {
    const { route, caller } = ctx.state;
    const given = ctx.req.headersDistinct[NAME];
    if (given === undefined || route?.method !== 'POST' || caller?.level !== 'environment') return next();
    return answerOnce(once, ctx, { next, key: readKey(given), route, caller });
  };

type Keyed = { next: Next; key: string; route: Row; caller: EnvironmentCaller };

async function answerOnce(once: Once, ctx: Context, { next, key, route, caller }: Keyed): Promise<void> {
  const request: KeyedRequest = {
    environmentId: caller.environmentId,
    id: sha256(
      JSON.stringify([
        caller.environmentId,
        caller.principal.id,
        route.method,
        route.path,
        ctx.state.params,
        key,
        ...rightsOf(route, caller),
      ]),
    ),
    requestHash: sha256(ctx.state.bytes),
  };
  if (route.isPublish === true) {
    ctx.state.keep = { request, status: route.status, headers: { ...ANSWER_HEADERS } };
  }
  const run = async (): Promise<KeptAnswer> => {
    await next();
    return written(ctx, route);
  };
  const { answer, isReplayed } = await once(request, {
    isPublish: route.isPublish === true,
    run,
  });
  if (!isReplayed) return;
  ctx.status = answer.status;
  ctx.set({ ...answer.headers, 'Idempotent-Replayed': 'true' });
  ctx.body = answer.body;
}

/**
 * Part of the key if the response may contain a credential with the caller's rights, so that a caller whose rights have changed, or a
 * token with fewer, does not receive what was created with more.
 */
const rightsOf = ({ access }: Row, { scopes }: Caller): string[] =>
  typeof access === 'object' && access.scope === 'credentials:write' ? [[...scopes].toSorted().join(' ')] : [];

function readKey(given: readonly string[]): string {
  const [key = ''] = given;
  if (given.length > 1) throw invalidField(HEADER, 'must be given only once');
  if (!VISIBLE_ASCII.test(key)) throw invalidField(HEADER, 'must be 1 or more visible ASCII characters');
  if (key.length > MAX_LENGTH) throw invalidField(HEADER, `must have at most ${MAX_LENGTH} characters`);
  return key;
}

const sha256 = (content: string | Buffer): Buffer => createHash('sha256').update(content).digest();

const toAnswer = (status: number, body: string): KeptAnswer => ({ status, headers: { ...ANSWER_HEADERS }, body });

/** The response that the route has written. */
function written(ctx: Context, { status }: Row): KeptAnswer {
  return typeof ctx.body === 'string' ? toAnswer(status, ctx.body) : { status, headers: {}, body: null };
}
