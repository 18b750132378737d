import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '../../../local/ports.ts';
import { waitFor } from '../check/wait-for.ts';
import { describeWith } from './describe-with.ts';

export type TestPgBouncer = { url: string; stop(): Promise<void> };

/** Where Debian installs it, which is only on an administrator's PATH. */
const PROGRAM = spawnSync('pgbouncer', ['--version']).error === undefined ? 'pgbouncer' : '/usr/sbin/pgbouncer';

/** Tests that need PgBouncer, which is optional. */
export const describeWithPgBouncer = (title: string, tests: () => void): void =>
  describeWith(
    spawnSync(PROGRAM, ['--version']).error === undefined
      ? undefined
      : 'pgbouncer is not on the PATH (Debian: apt-get install pgbouncer)',
    title,
    tests,
  );

/**
 * Starts PgBouncer on the loopback interface in `transaction` mode, with at most `sessions` connections to the database of that URL and
 * no settings beyond `further`.
 */
export async function startPgBouncer(
  databaseUrl: string,
  sessions: number,
  further: readonly string[] = [],
): Promise<TestPgBouncer> {
  const { hostname, port: databasePort, pathname, username, password } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-pgbouncer-'));
  // PgBouncer does not run as root, and Debian's user for it may be missing where it was built manually.
  chmodSync(folder, 0o755);
  const asUser = process.getuid?.() === 0 ? ['user = nobody'] : [];
  const settings = [
    '[databases]',
    `${name} = host=${hostname} port=${databasePort} dbname=${name} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${sessions}`,
    ...asUser,
    ...further,
  ];
  const path = join(folder, 'pgbouncer.ini');
  writeFileSync(path, `${settings.join('\n')}\n`);
  const child: ChildProcess = spawn(PROGRAM, ['-q', path], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  await waitFor('pgbouncer to answer', () => answers(url.href));
  return {
    url: url.href,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
