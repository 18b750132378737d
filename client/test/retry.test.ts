import { describe, expect, test } from '@jest/globals';
import { AnswerError, ApiError, ConnectionError, TimeoutError } from '../src/errors.ts';
import type { ErrorCode } from '../src/generated/errors.ts';
import { delayBefore, isWorthRetrying } from '../src/retry.ts';

const refusal = (code: ErrorCode, status: number, retryAfter?: number): ApiError =>
  new ApiError({ code, message: 'no', details: undefined, retryAfter }, { status });
const page = (status: number): AnswerError => new AnswerError('no', { status, text: '', retryAfter: undefined });

const GET = { isRepeatable: true, isKeyed: false };
const KEYED_POST = { isRepeatable: true, isKeyed: true };
const PATCH = { isRepeatable: false, isKeyed: false };

test.each([
  ['a connection that fails', new ConnectionError('no'), { get: true, post: true, patch: false }],
  ['no answer in time', new TimeoutError('no'), { get: true, post: true, patch: false }],
  ['RATE_LIMITED', refusal('RATE_LIMITED', 429, 1), { get: true, post: true, patch: true }],
  ['REQUEST_TIMEOUT', refusal('REQUEST_TIMEOUT', 408), { get: true, post: true, patch: true }],
  ['UNAVAILABLE', refusal('UNAVAILABLE', 503, 1), { get: true, post: true, patch: false }],
  ['the page of a proxy', page(502), { get: true, post: true, patch: false }],
  ['a gateway that waits no longer', page(504), { get: true, post: true, patch: false }],
  ['CONFLICT with a delay', refusal('CONFLICT', 409, 1), { get: false, post: true, patch: false }],
  ['CONFLICT', refusal('CONFLICT', 409), { get: false, post: false, patch: false }],
  ['INVALID_REQUEST', refusal('INVALID_REQUEST', 400), { get: false, post: false, patch: false }],
  ['INTERNAL', refusal('INTERNAL', 500), { get: false, post: false, patch: false }],
  ['an error of the program', new TypeError('no'), { get: false, post: false, patch: false }],
])('after %s another try is made by the requests that it can do no harm to', (_, failure, wanted) => {
  expect({
    get: isWorthRetrying(failure, GET),
    post: isWorthRetrying(failure, KEYED_POST),
    patch: isWorthRetrying(failure, PATCH),
  }).toEqual(wanted);
});

describe('the delay', () => {
  const failure = new ConnectionError('no');

  test('doubles from half a second to twenty seconds, half of it by chance', () => {
    expect([1, 2, 3, 4].map((tries) => delayBefore(tries, failure, 1))).toEqual([500, 1_000, 2_000, 4_000]);
    expect([delayBefore(20, failure, 1), delayBefore(20, failure, 0)]).toEqual([20_000, 10_000]);
    expect(delayBefore(1, failure, 0)).toBe(250);
  });

  test('is never shorter than the service asks for', () => {
    expect(delayBefore(1, refusal('RATE_LIMITED', 429, 7), 0)).toBe(7_125);
    expect(delayBefore(1, refusal('UNAVAILABLE', 503, 40), 1)).toBe(40_250);
  });
});
