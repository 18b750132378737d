import { expect, test } from '@jest/globals';
import { fromDatabaseError } from './database-errors.ts';

const WRITE = { isRead: false };
const withCode = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`detail of ${code}`), { code, ...more });

test.each(['22P02', '22P05', '22021', '22003', '22007', '22008', '22001', '54001', 'P2000', 'P2020'])(
  '%s is INVALID_REQUEST',
  (code) => {
    const error = fromDatabaseError(withCode(code), WRITE);
    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { field: 'body', reason: 'contains a value that cannot be stored' },
    });
    expect(error?.message).not.toContain('detail');
  },
);

test.each(['23505', 'P2002'])('%s is CONFLICT', (code) => {
  expect(fromDatabaseError(withCode(code), WRITE)?.code).toBe('CONFLICT');
});

test.each([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '25P04',
  '57014',
  '53300',
  '08006',
  '40001',
  '40P01',
  'ECONNREFUSED',
  'P1001',
  'P1017',
  'P2024',
  'P2028',
])('%s is UNAVAILABLE, with a second to wait', (code) => {
  expect(fromDatabaseError(withCode(code), WRITE)).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 });
});

test.each([
  ['pg pool at its limit', new Error('timeout exceeded when trying to connect')],
  ['pg connection lost', new Error('Connection terminated unexpectedly')],
  ['pg connection in error', new Error('Client has encountered a connection error and is not queryable')],
  ['both addresses of a host refused', new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')])],
  [
    'a driver adapter without its server',
    Object.assign(new Error('x'), { name: 'DriverAdapterError', cause: { kind: 'DatabaseNotReachable' } }),
  ],
  [
    'a Prisma error around a driver adapter error',
    withCode('P2010', {
      meta: {
        driverAdapterError: Object.assign(new Error('x'), { cause: { kind: 'postgres', originalCode: '57P01' } }),
      },
    }),
  ],
])('%s is UNAVAILABLE', (_, error) => {
  expect(fromDatabaseError(error, WRITE)?.code).toBe('UNAVAILABLE');
});

const IN_DOUBT = { field: 'outcome', reason: 'unknown' };

// Every UNAVAILABLE of a write but a publish's meant that nothing was stored, and a COMMIT cut off may have stored it all.
test.each<[string, Error]>([
  ['57P01', withCode('57P01')],
  ['08006', withCode('08006')],
  ['ECONNRESET', withCode('ECONNRESET')],
  ['a lost connection', new Error('Connection terminated unexpectedly')],
  ['a lost connection of Prisma', Object.assign(new Error('x'), { cause: { kind: 'ConnectionClosed' } })],
])('%s in the middle of a write leaves its outcome unknown, and that of a read is none', (_, error) => {
  expect(fromDatabaseError(error, WRITE)).toMatchObject({ code: 'UNAVAILABLE', details: IN_DOUBT });
  expect(fromDatabaseError(error, { isRead: true })?.details).toBeUndefined();
});

test.each(['57P03', '57P05', '25P03', '25006', '40001', 'ECONNREFUSED', 'P2024'])(
  '%s says that nothing was done',
  (code) => {
    expect(fromDatabaseError(withCode(code), WRITE)?.details).toBeUndefined();
  },
);

test('a value that PostgreSQL rejects through Prisma is INVALID_REQUEST', () => {
  const error = withCode('P2010', {
    meta: { driverAdapterError: { cause: { kind: 'InvalidInputValue', originalCode: '22P05' } } },
  });
  expect(fromDatabaseError(error, WRITE)?.code).toBe('INVALID_REQUEST');
});

test.each([
  [new TypeError('x is not a function')],
  [withCode('42P01')],
  [withCode('ENOENT')],
  ['text'],
  [undefined],
  [null],
])('%p is a fault of ours', (thrown) => {
  expect(fromDatabaseError(thrown, WRITE)).toBeUndefined();
});

test('an error that is its own cause does not hang', () => {
  const error: Error = new Error('round');
  error.cause = error;
  expect(fromDatabaseError(error, WRITE)).toBeUndefined();
});

// Old: one text for all of them, "cannot reach its database", also where it answers and takes no writes.
test.each([
  ['25006', 'The database is read-only'],
  ['53100', 'The disk of the database is full'],
  ['53200', 'The database is out of memory'],
  ['53300', 'The database has no free connection for the service'],
  ['57P03', 'The database is stopping or starting'],
  ['57014', 'The database took too long to respond'],
  ['40P01', 'The change conflicted with another one in the database'],
  ['08006', 'The service cannot reach its database'],
  ['ECONNREFUSED', 'The service cannot reach its database'],
])('%s says: %s', (code, message) => {
  expect(fromDatabaseError(withCode(code), { isRead: true })?.message).toBe(message);
});
