import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../local/ports.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { describeWith } from '../support/service/describe-with.ts';

/** Why there is no Prometheus to test with; undefined when there is one. */
const missingPrometheus = (): string | undefined =>
  spawnSync('prometheus', ['--version']).error === undefined && spawnSync('promtool', ['--version']).error === undefined
    ? undefined
    : 'prometheus and promtool are not on the PATH (Debian: apt-get install prometheus)';

/** Tests that need a Prometheus. */
export const describeWithPrometheus = (title: string, tests: () => void): void =>
  describeWith(missingPrometheus(), title, tests);

/** Runs promtool; returns everything it said, and whether it was content. */
export function promtool(...args: string[]): { isGood: boolean; output: string } {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { encoding: 'utf8' });
  if (error !== undefined) throw new Error(missingPrometheus(), { cause: error });
  return { isGood: status === 0, output: stdout + stderr };
}

type Series = { metric: Record<string, string>; value: [number, string] };
export type Prometheus = {
  /** The series of an expression at this moment. Throws what Prometheus finds wrong with it. */
  query(expression: string): Promise<Series[]>;
  stop(): Promise<void>;
};

/** Starts a Prometheus that scrapes that port of loopback every second as the job posthorn. */
export async function startPrometheus(metricsPort: number): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-prometheus-'));
  const port = await findFreePort();
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s' },
    scrape_configs: [{ job_name: 'posthorn', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(missingPrometheus(), { cause: error });
  });
  failed.catch(() => undefined);
  const query = async (expression: string): Promise<Series[]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`);
    // `as`: Prometheus's own format; a fault in it fails the test.
    const { status, error, data } = (await answer.json()) as {
      status: string;
      error?: string;
      data: { result: Series[] };
    };
    if (status !== 'success') throw new Error(`${expression}: ${error}`);
    return data.result;
  };
  const scraped = waitFor('Prometheus to scrape the service', async () => {
    const up = await query('up{job="posthorn"} == 1').catch(() => []);
    return up.length === 1;
  });
  await Promise.race([scraped, failed]);
  return {
    query,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
