import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { findFreePort } from '../../local/ports.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { describeWithRedis } from '../support/service/redis.ts';
import { compose, interpolated, ROOT } from './compose-file.ts';

/** Each of them means something to Redis, to a shell, to sed or in a URL. */
const PASSWORD = `a@b "c" \\d\\n %25 $HOME & 'e' #/:é`;
const SCRIPT = 'deploy/compose/make-secrets.sh';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-redis-password-'));
  mkdirSync(join(folder, 'deploy/compose'), { recursive: true });
  mkdirSync(join(folder, 'secrets'));
  cpSync(join(ROOT, SCRIPT), join(folder, SCRIPT));
  writeFileSync(join(folder, 'secrets/redis_password'), `${PASSWORD}\n`);
  execFileSync('sh', [join(folder, SCRIPT)], { stdio: 'ignore' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command of the container of Redis, with the secret at its place here and another last command. */
function commandWith(last: string): string[] {
  const [shell = '', flag = '', script = ''] = compose.services['redis']?.command ?? [];
  const ours = interpolated(script, {})
    .replace('/run/secrets/redis_password', join(folder, 'secrets/redis_password'))
    .replace('exec redis-server -', last);
  expect(ours).toContain(last);
  return [shell, flag, ours];
}

// Old: the password stood in the configuration as it was, and a quote or a backslash in it ended the server with an error of syntax.
test('Redis reads its configuration as the password that was chosen, whatever stands in it', () => {
  const [shell = '', ...parameters] = commandWith('cat');
  const [line = ''] = execFileSync(shell, parameters, { encoding: 'utf8' }).split('\n');
  // Between quotes Redis reads \" and \\ as the second character, and every other character but these two as itself.
  const [, quoted] = /^requirepass "((?:[^"\\]|\\["\\])*)"$/.exec(line) ?? [];
  expect(quoted?.replaceAll(/\\(.)/g, '$1')).toBe(PASSWORD);
});

describeWithRedis('a Redis that docker-compose.yml starts', () => {
  let server: ChildProcess | undefined;
  afterAll(async () => {
    if (server?.pid === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    // The whole group: the server is a child of the shell with the pipe.
    process.kill(-server.pid, 'SIGKILL');
    await ended;
  });

  test('lets in the URL that make-secrets.sh has made, and nobody without the password', async () => {
    const port = await findFreePort();
    const [shell = '', ...parameters] = commandWith(`exec redis-server - --port ${port} --bind 127.0.0.1`);
    server = spawn(shell, parameters, { stdio: 'ignore', cwd: folder, detached: true });
    const url = readFileSync(join(folder, 'secrets/redis_url'), 'utf8').trim();
    const redis = new Redis(url.replace('@redis:6379', `@127.0.0.1:${port}`), { retryStrategy: () => 50 });
    redis.on('error', () => undefined);
    await waitFor('an answer of Redis', async () => (await redis.ping()) === 'PONG');
    const stranger = new Redis({ port, host: '127.0.0.1' });
    stranger.on('error', () => undefined);
    await expect(stranger.ping()).rejects.toThrow('NOAUTH');
    redis.disconnect();
    stranger.disconnect();
  });
});
