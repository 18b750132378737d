import type { ErrorCode } from '../kernel/api-error.ts';
import type { Row } from '../http/route.ts';
import type { JsonSchema } from './components.ts';

export type Header = { description: string; required?: boolean; schema: JsonSchema; example?: unknown };
type Reference = { $ref: string };

const count: JsonSchema = { type: 'integer', minimum: 0 };

/** Headers of answers, by name. */
export const HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'Id of this request, as the log of the service has it.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-f]{32}$' },
  },
  'X-RateLimit-Limit': { description: 'Requests allowed in 60 seconds.', required: true, schema: count },
  'X-RateLimit-Remaining': { description: 'Requests left until the reset.', required: true, schema: count },
  'X-RateLimit-Reset': {
    description: 'When the 60 seconds end, in seconds since 1970.',
    required: true,
    schema: count,
  },
  'Retry-After': {
    description: 'Seconds until the request may succeed.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate: a line for DPoP and one for Bearer (RFC 9449, RFC 6750).',
    schema: { type: 'string' },
  },
  'DPoP-Nonce': { description: 'Nonce for the next proof (RFC 9449 §8).', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'The answer is the one that is kept under the Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'Set-Cookie': {
    description: 'Cookies of the person: of the session, and of a step on the way to it.',
    schema: { type: 'string' },
  },
  Location: { description: 'Page that the browser is sent on to.', required: true, schema: { type: 'string' } },
};

const ON_EVERY_ANSWER = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const referencesTo = (names: readonly string[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of a refusal. */
export const headersOfRefusal = (code: ErrorCode): Record<string, Reference> =>
  referencesTo([
    ...ON_EVERY_ANSWER,
    ...(['RATE_LIMITED', 'UNAVAILABLE', 'CONFLICT', 'FORBIDDEN'].includes(code) ? ['Retry-After'] : []),
    ...(['UNAUTHORIZED', 'FORBIDDEN'].includes(code) ? ['WWW-Authenticate'] : []),
    ...(['UNAUTHORIZED', 'INVALID_REQUEST'].includes(code) ? ['DPoP-Nonce'] : []),
  ]);

/** Headers of a good answer. */
export const headersOfAnswer = (
  row: Pick<Row, 'access' | 'method' | 'path' | 'status' | 'isOAuth'>,
): Record<string, Reference> =>
  referencesTo([
    ...ON_EVERY_ANSWER,
    ...(takesIdempotencyKey(row) ? ['Idempotent-Replayed'] : []),
    ...(row.status === 303 ? ['Location'] : []),
    ...(row.isOAuth === true || typeof row.access === 'object' ? ['DPoP-Nonce'] : []),
    ...(/^\/v1\/(sign-in|session|setup|invitations\/accept|user\/password|password-reset)/.test(row.path)
      ? ['Set-Cookie']
      : []),
  ]);

/** http/idempotency.ts: a POST in an environment. */
export const takesIdempotencyKey = ({ access, method }: Pick<Row, 'access' | 'method'>): boolean =>
  method === 'POST' && typeof access === 'object' && access.level !== 'organisation';
