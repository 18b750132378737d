import { expect, test } from '@jest/globals';
import { databaseTrouble, explainingDatabase } from './database-trouble.ts';

const URL_WITH_PASSWORD = 'postgresql://user:secret@db.internal/posthorn';
const withCode = (code: string, message = `detail of ${code}`): Error => Object.assign(new Error(message), { code });

test.each([
  [withCode('28P01'), 'rejects the user name or the password', true],
  [withCode('28000'), 'does not allow this user to connect from here', true],
  [withCode('3D000'), 'has no database with that name', true],
  [withCode('SETTINGS_DROPPED'), 'drops session settings', true],
  [withCode('42501'), 'does not give this user enough rights', true],
  [new Error('The server does not support SSL connections'), 'does not offer TLS', true],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'), 'has a certificate that is not trusted', true],
  [withCode('ECONNREFUSED'), 'is not running: nothing listens there', false],
  [new AggregateError([withCode('ECONNREFUSED')]), 'is not running: nothing listens there', false],
  [withCode('ENOTFOUND'), 'has a host name that cannot be resolved', false],
  [withCode('ENOENT'), 'names a socket or a file that does not exist', false],
  [withCode('57P03'), 'is stopping or starting', false],
  [withCode('53300'), 'has no free connection', false],
  [withCode('53100'), 'accepts no writes because its disk is full', false],
  [withCode('25006'), 'is read-only; use the primary', false],
  [new Error('timeout exceeded when trying to connect'), 'does not respond', false],
  [new Error('Connection terminated unexpectedly'), 'closes the connection without a response', false],
])('%s names DATABASE_URL, the place and what to do; callers are told neither', (failure, advice, isLasting) => {
  const trouble = databaseTrouble(failure, { databaseUrl: URL_WITH_PASSWORD });
  expect(trouble?.advice).toContain(`DATABASE_URL: db.internal:5432 ${advice}`);
  expect(trouble?.isLasting).toBe(isLasting);
  expect(trouble?.message).not.toMatch(/db\.internal|user|secret|DATABASE_URL|detail/);
  expect(trouble?.advice).not.toMatch(/secret/);
});

test('with a pooler, the address of PostgreSQL itself is that of DIRECT_DATABASE_URL', () => {
  const place = { databaseUrl: URL_WITH_PASSWORD, pooledDatabaseUrl: 'postgresql://user:secret@pooler/posthorn' };
  expect(databaseTrouble(withCode('ECONNREFUSED'), place)?.advice).toMatch(
    /^DIRECT_DATABASE_URL: db\.internal:5432 is not running/,
  );
});

test("a statement's own error is not a database problem, whatever its text", async () => {
  const failure = withCode('22P02', 'invalid input: "timeout exceeded, Connection terminated"');
  expect(databaseTrouble(failure, { databaseUrl: URL_WITH_PASSWORD })).toBeUndefined();
  await expect(explainingDatabase({ databaseUrl: URL_WITH_PASSWORD }, () => Promise.reject(failure))).rejects.toBe(
    failure,
  );
});
