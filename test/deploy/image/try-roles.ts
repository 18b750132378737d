import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { findFreePort } from '../../../local/ports.ts';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { waitFor } from '../../support/check/wait-for.ts';
import { makeDataFolder, startOwnPostgres, startOwnTemporal } from '../../support/service/own-servers.ts';
import { startReceiver } from '../../support/world/receiver.ts';
import type { Replayed } from './replay.ts';

/** Debian's `nobody`: may read the image and write nothing. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * Runs migrate, api and worker of the replayed image against a PostgreSQL and a Temporal of their own, as a user who owns nothing of
 * it. Makes the first administrator, and publishes a message that has to arrive. Throws with what a role has printed.
 */
export async function tryRoles(image: Replayed, folder: string, print: (line: string) => void): Promise<void> {
  const dataFolder = makeDataFolder();
  const [postgres, temporal] = await Promise.all([startOwnPostgres(dataFolder), startOwnTemporal(dataFolder)]);
  const receiver = await startReceiver();
  const port = await findFreePort();
  const settings = {
    ...image.environment,
    HOME: '/nonexistent',
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    ENCRYPTION_KEYS: `image:${randomBytes(32).toString('base64')}`,
    ALLOW_HTTP_WEBHOOKS: 'true',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    PORT: String(port),
    PROCESSES: '1',
  };
  const [command = '', ...parameters] = image.entrypoint.slice(image.entrypoint.indexOf('--') + 1);
  if (command !== 'node') throw new Error(`ENTRYPOINT runs ${command}, and not node`);
  const spawned = {
    cwd: join(image.root, image.workFolder),
    env: { ...childEnvironment({ PATH: '/usr/bin:/bin' }), ...settings },
    ...(process.getuid?.() === 0 && NOBODY),
  };
  const finish = (...words: string[]): string =>
    execFileSync(process.execPath, [...parameters, ...words], { ...spawned, encoding: 'utf8' });
  const roles: ChildProcess[] = [];
  const outputs: (() => string)[] = [];
  const begin = (role: string): (() => string) => {
    const child = spawn(process.execPath, [...parameters, role], { ...spawned, stdio: ['ignore', 'pipe', 'pipe'] });
    roles.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    child.once('exit', (code) => (output += `\n${role} has ended with ${code}`));
    return () => output;
  };
  try {
    finish('migrate');
    print('migrate has brought an empty database up to date');
    const key = finish('keys', 'create', '--env', 'live').trim();
    outputs.push(begin('api'), begin('worker'));
    const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
      // `as`: the caller names what the route answers.
      return (await answer.json()) as T;
    };
    const isReady = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    const outputOf = (): string => outputs.map((output) => output()).join('\n');
    await waitFor('ready roles', async () => (await isReady()) && outputOf().includes('the worker is ready'));
    print('api and worker are ready');
    const [, code = ''] = /#code=(\S+)/.exec(finish('admin', 'setup-link')) ?? [];
    const person = { code, email: 'ada@example.com', name: 'Ada', password: 'tangerine orbit mill' };
    const { user } = await call<{ user: { email: string } }>('POST', '/v1/setup', person);
    print(`${user.email} is the first administrator`);
    const channel = await call<{ id: string }>('POST', '/v1/channels', { name: 'orders' });
    await call('POST', '/v1/subscriptions', { channelId: channel.id, webhookUrl: receiver.url });
    const message = await call<{ id: string }>('POST', `/v1/channels/${channel.id}/messages`, {
      eventType: 'order.paid',
      payload: { total: 12.5 },
    });
    await waitFor('the message at its webhook', () => receiver.countOf(message.id) === 1);
    print('a message has arrived at its webhook');
  } catch (failure) {
    for (const output of outputs) print(output());
    throw failure;
  } finally {
    for (const child of roles) {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
    await Promise.all([receiver.close(), temporal.stop(), postgres.stop()]);
  }
}
