import type { ErrorCode } from '../../../kernel/errors.ts';
import type { Row } from './route.ts';

/** Refusals of the edge itself, which every route can give: for how it is asked, how often, and when it cannot be answered. */
const ON_EVERY_ROUTE: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'UNAVAILABLE',
];

/** Every code that a route can refuse with, in no order, each once. */
export function errorCodesOf({ access, method, errors }: Pick<Row, 'access' | 'method' | 'errors'>): ErrorCode[] {
  const codes = new Set([...ON_EVERY_ROUTE, ...errors]);
  if (access !== 'public') for (const code of ['UNAUTHORIZED', 'FORBIDDEN'] as const) codes.add(code);
  // Another body under the same Idempotency-Key.
  if (method === 'POST') codes.add('CONFLICT');
  return [...codes];
}
