import { hostname } from 'node:os';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { VERSION } from '../kernel/words/version.ts';
import { createLog } from './log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  write(createLog('info', { destination }));
  return lines.join('');
}

test('a line is JSON with its level by name, an ISO 8601 time, the pid, the host and the version', () => {
  const line: unknown = JSON.parse(logged((log) => log.info({ port: 3000 }, 'ready')));
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
    pid: process.pid,
    host: hostname(),
    version: VERSION,
    port: 3000,
    msg: 'ready',
  });
});

test('a line has the role of its process, and its number where it is one of several', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  createLog('info', { role: 'worker', number: 2, destination }).info('ready');
  expect(JSON.parse(lines.join(''))).toMatchObject({ pid: process.pid, role: 'worker', process: 2 });
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

// Old: pino knew `err` alone, and every other error was written as `{}`.
test('an error under any name has its message, its stack, its fields and its causes, those too that are no errors', () => {
  const refused = Object.assign(new Error('refused'), { code: 14, details: 'no namespace' });
  const line: unknown = JSON.parse(
    logged((log) =>
      log.warn(
        {
          failure: new Error('outer', { cause: refused }),
          error: refused,
          reason: new Error('x', { cause: { status: 3 } }),
        },
        'failed',
      ),
    ),
  );
  expect(line).toMatchObject({
    failure: { type: 'Error', message: 'outer: refused', stack: expect.stringContaining('caused by: Error: refused') },
    error: { type: 'Error', message: 'refused', code: 14, details: 'no namespace' },
    reason: { message: 'x', cause: '{ status: 3 }' },
  });
  const alone: unknown = JSON.parse(logged((log) => log.error(refused)));
  expect(alone).toMatchObject({ err: { type: 'Error', message: 'refused' }, msg: 'refused' });
  expect(JSON.stringify([line, alone])).not.toContain('{}');
});

test('secrets in an error are redacted', () => {
  const failed = Object.assign(new Error('failed'), { config: 1, password: 'svc_live_secret' });
  expect(logged((log) => log.error({ err: failed }, 'failed'))).not.toContain('svc_live_secret');
});

test('lines about a server that is down become debug, all others stay, and the outage is reported', () => {
  const lines: { level: string; msg: string; server?: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog('debug', { destination });
  const ended = Object.assign(new Error('terminating connection'), { code: '57P01' });
  log.warn({ err: ended }, 'before it is watched');
  const stop = log.outages.watch('PostgreSQL', {
    ask: async () => undefined,
    explain: String,
    meanwhile: 'calls wait',
  });
  log.child({ part: 'x' }).warn({ err: ended }, 'claims wait');
  log.error(ended, 'results wait');
  log.error({ err: new Error('a bug') }, 'broken');
  log.info({ deliveries: 3 }, 'done');
  log.warn('still draining');
  stop();
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', 'before it is watched'],
    ['warn', 'PostgreSQL is unavailable: Error: terminating connection; calls wait'],
    ['debug', 'claims wait'],
    ['debug', 'results wait'],
    ['error', 'broken'],
    ['info', 'done'],
    ['warn', 'still draining'],
  ]);
});
