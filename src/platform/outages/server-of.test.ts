import { expect, test } from '@jest/globals';
import { suspectedBy } from './server-of.ts';

const withCode = (code: string | number, message = 'text', name = 'Error'): Error =>
  Object.assign(new Error(message), { code, name });

const sure = (server: string) => ({ server, isSure: true });
const perhaps = (server: string) => ({ server, isSure: false });

test.each([
  ['a session that an administrator ended', withCode('57P01'), sure('PostgreSQL')],
  ['a standby after a failover', withCode('25006'), sure('PostgreSQL')],
  [
    'a database that Prisma cannot reach',
    withCode('P1001', 'text', 'PrismaClientKnownRequestError'),
    sure('PostgreSQL'),
  ],
  ['a connection that broke', new Error('Connection terminated unexpectedly'), sure('PostgreSQL')],
  ['too many connections', withCode('53300'), perhaps('PostgreSQL')],
  ['a pool without a free connection', new Error('timeout exceeded when trying to connect'), perhaps('PostgreSQL')],
  ['a call that Temporal does not take', withCode(14, 'text', 'ServiceError'), sure('Temporal')],
  ['a call that Temporal does not answer', withCode(4, 'text', 'ServiceError'), perhaps('Temporal')],
  [
    'a schedule that Temporal does not take',
    Object.assign(new Error('x', { cause: withCode(14, 'text', 'ServiceError') })),
    sure('Temporal'),
  ],
  ['a refused connection of nobody knows what, such as a mail server', withCode('ECONNREFUSED'), undefined],
  ['a duplicate', withCode('23505'), undefined],
  ['no error', undefined, undefined],
])('%s', (_, err, suspicion) => {
  expect(suspectedBy({ err }, 'text')).toEqual(suspicion);
});

test("the native library's failures are texts, under `error` or in the line itself", () => {
  const unavailable = 'Status { code: Unavailable, message: "tcp connect error" }';
  expect(suspectedBy({ part: 'temporal', error: unavailable }, 'gRPC call retried 5 times')).toEqual(sure('Temporal'));
  expect(suspectedBy({ part: 'temporal' }, `Error when recording heartbeat: ${unavailable}`)).toEqual(sure('Temporal'));
  expect(suspectedBy({ part: 'temporal', error: 'code: DeadlineExceeded' }, 'x')).toEqual(perhaps('Temporal'));
  expect(suspectedBy({ part: 'temporal' }, 'Workflow failed')).toBeUndefined();
  expect(suspectedBy({ error: unavailable }, 'x')).toBeUndefined();
});

test('a failure that has been through a Temporal workflow is a text too', () => {
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:5432');
  const error = new Error('Activity task failed', { cause });
  expect(suspectedBy({ part: 'temporal', error }, 'Workflow failed')).toEqual(perhaps('PostgreSQL'));
  expect(suspectedBy({ part: 'temporal', error: new Error('Activity task failed') }, 'x')).toBeUndefined();
  expect(suspectedBy({ part: 'temporal', error: 7 }, 'x')).toBeUndefined();
});

test("Redis's failures are those of lines that name it", () => {
  const err = withCode('ECONNREFUSED');
  expect(suspectedBy({ server: 'Redis', err }, 'x')).toEqual(sure('Redis'));
  expect(suspectedBy({ server: 'Redis' }, 'x')).toBeUndefined();
});
