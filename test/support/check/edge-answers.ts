import { expect } from '@jest/globals';
import type { Call, Edge, EdgeAnswer } from '../world/edge.ts';

/** Asserts what every response of the API has, errors included (spec §8). */
export function expectEdgeHeaders(answer: EdgeAnswer): void {
  expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/);
  expect(answer.headers['x-ratelimit-limit']).toMatch(/^\d+$/);
  expect(answer.headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
  expect(Number(answer.headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000 - 1);
}

/** Asserts that a call is refused with the envelope and all headers, and that no handler ran. */
export async function expectRefused(
  edge: Edge,
  call: Call,
  expected: { status: number; code: string; field?: string | undefined; reason?: RegExp },
): Promise<EdgeAnswer> {
  const handledBefore = edge.handled();
  const answer = await edge.call(call);
  const { code, message, details } = answer.json.error ?? {};
  expect({ status: answer.status, code, field: details?.field }).toEqual({
    status: expected.status,
    code: expected.code,
    field: expected.field,
  });
  if (expected.reason !== undefined) expect(details?.reason).toMatch(expected.reason);
  expect(message).toBeTruthy();
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expectEdgeHeaders(answer);
  expect(edge.handled()).toBe(handledBefore);
  return answer;
}

/** A publish whose body is sent unchanged. */
export const echo = (body: string | Buffer, headers = {}): Call => ({
  method: 'POST',
  path: '/v1/echo',
  body,
  headers,
});

/** A body with this payload, as text. */
export const payload = (text: string): string => `{"payload":${text}}`;

/** `depth` levels of objects, as text; `{}` is one. */
export const nested = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;

/** Returns the status line, headers by lower-case name, and parsed body of a raw response. */
export function readRaw(text: string): { status: number; headers: Record<string, string>; body: unknown } {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(first.split(' ')[1]), headers, body: JSON.parse(body) };
}

/** WWW-Authenticate of the response to a caller without a credential: both schemes, and no error. */
export const CHALLENGES = 'DPoP realm="api", algs="ES256 EdDSA Ed25519 PS256", Bearer realm="api"';
