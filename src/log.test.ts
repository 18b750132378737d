import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { createLog } from './log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void, number?: number): string {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  write(createLog('info', { destination, ...(number !== undefined && { number }) }));
  return lines.join('');
}

test('a line is JSON with its level by name, an ISO 8601 time and the pid', () => {
  const line: unknown = JSON.parse(logged((log) => log.info({ port: 3000 }, 'ready')));
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
    pid: process.pid,
    port: 3000,
    msg: 'ready',
  });
});

test('a line of one of several processes has its number', () => {
  expect(JSON.parse(logged((log) => log.info('ready'), 2))).toMatchObject({ pid: process.pid, process: 2 });
});

test('secrets are redacted at the top and up to two levels down', () => {
  const secret = 'svc_live_secret';
  const headers = {
    authorization: secret,
    cookie: secret,
    dpop: secret,
    'set-cookie': secret,
    'webhook-signature': secret,
  };
  const text = logged((log) => {
    log.info({
      ...headers,
      key: secret,
      password: secret,
      clientSecret: secret,
      databaseUrl: secret,
      payload: secret,
      ciphertext: secret,
    });
    log.info({ headers });
    log.info({ request: { headers, secret } });
  });
  expect(text).not.toContain(secret);
  expect(text.match(/\[redacted\]/g)).toHaveLength(11 + 5 + 6);
});

test('an error keeps its message, its stack and its causes', () => {
  const text = logged((log) => log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed'));
  expect(text).toContain('outer');
  expect(text).toContain('inner');
});

test("an error that the Temporal SDK logs as `error` keeps them too, also one of a workflow's own context", () => {
  const foreign: unknown = runInNewContext('new Error("outer", { cause: new Error("inner") })');
  const text = logged((log) => log.warn({ error: foreign }, 'Workflow failed'));
  expect(text).toContain('outer');
  expect(text).toContain('inner');
});
