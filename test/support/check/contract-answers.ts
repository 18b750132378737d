import { expect } from '@jest/globals';
import { STATUS_OF_CODE, type ErrorCode } from '../../../src/kernel/errors.ts';
import type { Answer } from '../service/posthorn.ts';

/** The body of a refused request. */
export type Envelope = { error: { code: string; message: string; details?: { field: string; reason: string } } };

/** Asserts the headers that every response has, whatever its body (spec §8). */
export function expectHeaders({ headers }: Answer<unknown>): void {
  expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
}

/** Asserts the envelope of specification §7 and nothing besides it. */
export function expectRefused(answer: Answer<Envelope>, code: ErrorCode, field?: string): void {
  const { error } = answer.body;
  expect({ status: answer.status, code: error.code, field: error.details?.field }).toEqual({
    status: STATUS_OF_CODE[code],
    code,
    field,
  });
  expect(Object.keys(answer.body)).toEqual(['error']);
  expect(Object.keys(error)).toEqual(['code', 'message', ...(field === undefined ? [] : ['details'])]);
  expect(error.message).not.toBe('');
  if (field !== undefined) expect(error.details).toEqual({ field, reason: expect.stringMatching(/./) });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('retry-after')).toBeNull();
  expectHeaders(answer);
}
