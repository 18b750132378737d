import { type Deprecation, deprecationHeaders } from '../http/route/deprecation.ts';
import type { Row } from '../http/route/route.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import type { JsonSchema } from './components.ts';
import { EXAMPLE_TIME } from './examples.ts';

export type Header = {
  description: string;
  required?: boolean;
  schema: JsonSchema;
  examples?: Record<string, { value: unknown }>;
};
type Reference = { $ref: string };

const shown = (value: unknown): Pick<Header, 'examples'> => ({ examples: { answer: { value } } });

const count: JsonSchema = { type: 'integer', minimum: 0 };

/** Response headers by name. */
export const HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'Id of this request, which is also in the log of the service.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-f]{32}$' },
    ...shown('req_0f8e7d6c5b4a39281706f5e4d3c2b1a0'),
  },
  'X-RateLimit-Limit': {
    description: 'Requests allowed in 60 seconds.',
    required: true,
    schema: count,
    ...shown(1_000),
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left until the reset.',
    required: true,
    schema: count,
    ...shown(999),
  },
  'X-RateLimit-Reset': {
    description: 'When the 60 seconds end, in seconds since 1970.',
    required: true,
    schema: count,
    ...shown(Date.parse(EXAMPLE_TIME) / 1_000 + 60),
  },
  'Retry-After': {
    description: 'Seconds until the request may succeed.',
    schema: { type: 'integer', minimum: 1 },
    ...shown(12),
  },
  'WWW-Authenticate': {
    description: 'How to authenticate: a line for DPoP and one for Bearer (RFC 9449, RFC 6750).',
    schema: { type: 'string' },
    ...shown('Bearer realm="api"'),
  },
  'DPoP-Nonce': {
    description: 'Nonce for the next proof (RFC 9449 §8).',
    schema: { type: 'string' },
    ...shown('AAECAwQFBgcICQoLDA0ODw'),
  },
  'Idempotent-Replayed': {
    description: 'Present if the response is the one stored for the Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
    ...shown('true'),
  },
  'Set-Cookie': {
    description: 'Cookies for the session, and for a sign-in in progress.',
    schema: { type: 'string' },
    ...shown(`__Host-posthorn-session=${'A'.repeat(43)}; Max-Age=43200; Path=/; HttpOnly; SameSite=Lax; Secure`),
  },
  Location: {
    description: 'Page that the browser is redirected to.',
    required: true,
    schema: { type: 'string' },
    ...shown('/dashboard/'),
  },
};

/** Headers of every response of a deprecated route, with its own values. */
export function headersOfEnd(deprecation: Deprecation | undefined): Record<string, Header> {
  if (deprecation === undefined) return {};
  return Object.fromEntries(
    Object.entries(deprecationHeaders(deprecation)).map(([name, value]) => [
      name,
      { description: OF_END[name] ?? '', required: true, schema: { type: 'string' }, ...shown(value) },
    ]),
  );
}

const OF_END: Readonly<Record<string, string>> = {
  Deprecation: 'When the route was deprecated: `@` and the seconds since 1970 (RFC 9745).',
  Sunset: 'When the route stops working (RFC 8594).',
  Link: 'The replacement route (`successor-version`), and a page with migration steps (`deprecation`).',
};

const ON_EVERY_ANSWER = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const referencesTo = (names: readonly string[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of an error response. */
export const headersOfRefusal = (code: ErrorCode): Record<string, Reference> =>
  referencesTo([
    ...ON_EVERY_ANSWER,
    ...(['RATE_LIMITED', 'UNAVAILABLE', 'CONFLICT', 'FORBIDDEN'].includes(code) ? ['Retry-After'] : []),
    ...(['UNAUTHORIZED', 'FORBIDDEN'].includes(code) ? ['WWW-Authenticate'] : []),
    ...(['UNAUTHORIZED', 'INVALID_REQUEST'].includes(code) ? ['DPoP-Nonce'] : []),
  ]);

/** Headers of a successful response. */
export const headersOfAnswer = (
  row: Pick<Row, 'access' | 'method' | 'path' | 'status' | 'isOAuth' | 'deprecation'>,
): Record<string, Reference | Header> => ({
  ...referencesTo([
    ...ON_EVERY_ANSWER,
    ...(takesIdempotencyKey(row) ? ['Idempotent-Replayed'] : []),
    ...(row.status === 303 ? ['Location'] : []),
    ...(row.isOAuth === true || typeof row.access === 'object' ? ['DPoP-Nonce'] : []),
    ...(/^\/v1\/(sign-in|session|setup|invitations\/accept|user\/password|password-reset)/.test(row.path)
      ? ['Set-Cookie']
      : []),
  ]),
  ...headersOfEnd(row.deprecation),
});

/** As in http/idempotency.ts: a POST in an environment. */
export const takesIdempotencyKey = ({ access, method }: Pick<Row, 'access' | 'method'>): boolean =>
  method === 'POST' && typeof access === 'object' && access.level !== 'organisation';
