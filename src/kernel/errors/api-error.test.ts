import { describe, expect, test } from '@jest/globals';
import { ApiError, type ErrorCode, invalidField, invalidFields, notFound, STATUS_OF_CODE } from './api-error.ts';

describe('ApiError', () => {
  test.each(Object.entries(STATUS_OF_CODE) as [ErrorCode, number][])('%s answers with %i', (code, status) => {
    const error = new ApiError(code, 'a text');
    expect(error).toMatchObject({ name: 'ApiError', code, status, message: 'a text' });
    expect(error).toBeInstanceOf(Error);
    expect([error.details, error.retryAfter, error.cause]).toEqual([undefined, undefined, undefined]);
  });

  test('keeps details, retryAfter and the cause', () => {
    const cause = new Error('for the log');
    const details = { field: 'name', reason: 'is too long' };
    const error = new ApiError('RATE_LIMITED', 'a text', { details, retryAfter: 7, cause });
    expect([error.details, error.retryAfter, error.cause]).toEqual([details, 7, cause]);
    expect(error.message).not.toContain('for the log');
  });
});

test('invalidField names the field in the message and in the details', () => {
  expect(invalidField('messages[3].eventType', 'is missing')).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'messages[3].eventType: is missing',
    details: { field: 'messages[3].eventType', reason: 'is missing' },
  });
});

test('invalidFields names the first field in the message, and all of them in the details', () => {
  const [first, second] = [
    { field: 'trigger', reason: 'is required' },
    { field: 'steps', reason: 'must be an array' },
  ] as const;
  expect(invalidFields([first])).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'trigger: is required',
    details: { ...first, errors: [first] },
  });
  expect(invalidFields([first, second], 'CONFLICT')).toMatchObject({
    code: 'CONFLICT',
    message: 'trigger: is required (and 1 more)',
    details: { ...first, errors: [first, second] },
  });
});

test('notFound has one text for every id', () => {
  const error = notFound('channel');
  expect(error).toMatchObject({ code: 'NOT_FOUND', message: 'No such channel in this environment' });
  expect(error.details).toBeUndefined();
});
