import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../errors.ts';
import { lowestIdAt } from './ids.ts';
import { BEGINNING, type StreamScope, streamPositions } from './commit-position.ts';

const scope: StreamScope = { channelId: 'chn_one', environmentId: 'env_one', database: '7300000000000000001' };
const positions = streamPositions(scope);
const place = { transactionId: '4294967297', id: lowestIdAt('message', new Date(1_000)) };
const HORIZON = '4294967298';

function problemWith(position: string, of: StreamScope = scope, horizon = HORIZON): ApiError {
  try {
    streamPositions(of).decode(position, horizon);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('the position was taken');
}

const sealed = (text: string): string => Buffer.from(text).toString('base64url');
const good = positions.encode(place);
const mark = Buffer.from(good, 'base64url').toString('utf8').split('.')[2] ?? '';

test.each([place, BEGINNING, { transactionId: '0', id: place.id }])(
  'a position decodes to what was encoded: %j',
  (one) => {
    expect(positions.decode(positions.encode(one), HORIZON)).toEqual(one);
  },
);

test('a position is safe in a header and in an event line', () => {
  expect(good).toMatch(/^[A-Za-z0-9_-]+$/);
});

describe('a position is refused', () => {
  test.each([
    ['of another channel', { ...scope, channelId: 'chn_two' }],
    ['of another environment', { ...scope, environmentId: 'env_two' }],
    ['of another database', { ...scope, database: '7300000000000000002' }],
  ])('%s', (_, other) => {
    expect(problemWith(good, other)).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { field: 'Last-Event-ID', reason: 'must be a position of this stream' },
    });
  });

  test.each([
    ['nothing', ''],
    ['a word', 'position'],
    ['an id', place.id],
    ['padded', `${good}=`],
    ['with a space', `${good} `],
    ['cut', good.slice(0, -1)],
    ['given twice', `${good}, ${good}`],
    ['without its mark', sealed(`1.${place.id}`)],
    ['with more behind', sealed(`1.${place.id}.${mark}.1`)],
    ['with a transaction that is no number', sealed(`1x.${place.id}.${mark}`)],
    ['with a negative transaction', sealed(`-1.${place.id}.${mark}`)],
    ['with a transaction of 21 digits', sealed(`${'1'.repeat(21)}.${place.id}.${mark}`)],
    ['with an id that is none', sealed(`1.x\0.${mark}`)],
  ])('%s', (_, position) => {
    expect(problemWith(position).details?.reason).toBe('must be a position of this stream');
  });

  test('above every transaction that has ended, because the database was restored', () => {
    for (const horizon of ['4294967297', '5']) {
      expect(problemWith(good, scope, horizon).details).toEqual({
        field: 'Last-Event-ID',
        reason: 'must not be ahead of the database, which has been restored since; start with since instead',
      });
    }
  });
});
