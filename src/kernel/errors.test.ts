import { describe, expect, test } from '@jest/globals';
import {
  ApiError,
  type ErrorCode,
  invalidField,
  invalidFields,
  notFound,
  STATUS_OF_CODE,
  BodyMisfit,
  topOf,
  messageOf,
  NotReady,
} from './errors.ts';

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

describe('a body that its schema refuses', () => {
  test('shows the fields of it that have no fault', () => {
    const body = { name: 1, steps: [{}], trigger: { type: 'event' } };
    const misfit = new BodyMisfit(body, [
      { field: 'name', reason: 'must be a string' },
      { field: 'steps[0].id', reason: 'is required' },
    ]);
    expect(misfit.rest()).toEqual({ trigger: { type: 'event' } });
  });

  test.each([null, ['a list'], 'text', 7])('has no fields where it is %j', (body) => {
    expect(new BodyMisfit(body, [{ field: 'body', reason: 'must be an object' }]).rest()).toEqual({});
  });

  test.each([
    ['steps[0].config.url', 'steps'],
    ['trigger.config', 'trigger'],
    ['name', 'name'],
  ])('a problem in %s is one of the field %s', (field, top) => {
    expect(topOf({ field, reason: 'is required' })).toBe(top);
  });
});

test.each([
  [new TypeError('no such file'), 'no such file'],
  ['stopped', 'stopped'],
  [undefined, 'undefined'],
  [{ toString: (): string => 'an object of somebody' }, 'an object of somebody'],
])('the words of %p are %j', (thrown, words) => {
  expect(messageOf(thrown)).toBe(words);
});

test('a reason is for callers, the advice for the operator; waiting helps unless it says otherwise', () => {
  const cause = new Error('connect ECONNREFUSED 10.0.0.1:5432');
  const away = new NotReady('The database cannot be reached', { advice: 'DATABASE_URL: …', cause });
  expect(away).toMatchObject({ name: 'NotReady', message: 'The database cannot be reached', isLasting: false, cause });
  expect(new NotReady('No', { advice: 'REDIS_URL: …', isLasting: true })).toMatchObject({
    advice: 'REDIS_URL: …',
    isLasting: true,
  });
});
