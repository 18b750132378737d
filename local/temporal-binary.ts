import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { childEnvironment } from '../src/platform/config/config.ts';

export type TemporalBinaryOptions = {
  /** TEMPORAL_CLI. */
  temporalCli?: string | undefined;
  /** Kept between starts, outside the checkout, so that it survives `npm ci` and a second checkout finds it. */
  cacheFolder?: string;
  onProgress: (line: string) => void;
  /** Called before a child process downloads the tool. */
  onChildRunning?: () => void;
};

// Later versions have replace directives, which `go install` rejects.
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
// Time for the download: a hundred megabytes at 350 kB/s. Without a network it fails at once.
const DOWNLOAD_PATIENCE_MS = 300_000;
// Time for the build: it takes three minutes on two cores; a machine that needs four times that will not finish.
const BUILD_PATIENCE_MS = 720_000;

const run = promisify(execFile);

/**
 * Returns the command that runs Temporal's own server, and prints a line for each step that takes time. Searches in this order:
 * TEMPORAL_CLI, `temporal` on the PATH, the cache of an earlier start, the official download, `go install`. Throws one message that
 * names every way and why it failed.
 */
export async function findTemporalBinary(options: TemporalBinaryOptions): Promise<string> {
  const { temporalCli, onProgress, cacheFolder = join(homedir(), '.cache', 'posthorn') } = options;
  if (temporalCli !== undefined) {
    if (isTemporal(temporalCli)) return temporalCli;
    throw new Error(`TEMPORAL_CLI names ${temporalCli}, which is not the temporal command line tool`);
  }
  if (isTemporal('temporal')) return 'temporal';
  const cached = join(cacheFolder, process.platform === 'win32' ? 'temporal.exe' : 'temporal');
  if (isTemporal(cached)) return cached;
  mkdirSync(cacheFolder, { recursive: true });
  onProgress(`Downloading Temporal's server (100 MB, once) to ${cached}`);
  const downloading = attempt(() => downloadTo(cached, join(cacheFolder, 'download')));
  options.onChildRunning?.();
  const download = await downloading;
  if (download === undefined) return cached;
  onProgress(`The download failed: ${download}`);
  const build = await attempt(() => buildTo(cached, join(cacheFolder, 'build'), onProgress));
  if (build === undefined) return cached;
  throw new Error(
    [
      'There is no Temporal server to run. Any one of these helps:',
      '- TEMPORAL_ADDRESS: the address of a running Temporal server',
      '- TEMPORAL_CLI: the path of the temporal command line tool',
      '- temporal on the PATH (https://docs.temporal.io/cli)',
      `- a network: the official download failed (${download})`,
      `- a Go toolchain: go install ${GO_PACKAGE} (${build})`,
    ].join('\n'),
  );
}

/** Whether that command is Temporal's tool; another program may have the same name. */
function isTemporal(command: string): boolean {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  return status === 0 && stdout.includes('temporal version');
}

/** Returns why it failed, or undefined. */
async function attempt(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (failure) {
    return (failure instanceof Error ? failure.message : String(failure)).trim().split('\n').slice(0, 3).join(' ');
  }
}

// The SDK downloads the server only to start it, so this starts one and stops it; the file that remains is the result. It runs in a
// separate process, because the SDK accepts settings once per process and the worker needs its own, and because a process can be
// killed.
const DOWNLOAD_SCRIPT = `
const [testing, downloadDir] = process.argv.slice(1);
const { TestWorkflowEnvironment } = require(testing);
TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'cached-download', downloadDir } } })
  .then((environment) => environment.teardown())
  .catch((failure) => { process.stdout.write(failure.message); process.exit(1); });
`;

async function downloadTo(target: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const testing = createRequire(import.meta.url).resolve('@temporalio/testing');
    await run(process.execPath, ['-e', DOWNLOAD_SCRIPT, testing, folder], { timeout: DOWNLOAD_PATIENCE_MS }).catch(
      refuseDownload,
    );
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
      isTemporal(join(folder, name)),
    );
    if (file === undefined) throw new Error('the downloaded file is not the temporal command line tool');
    renameSync(join(folder, file), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const childFailure = z.object({ stdout: z.string(), killed: z.boolean() });

function refuseDownload(failure: unknown): never {
  const { data } = childFailure.safeParse(failure);
  if (data?.killed === true) throw new Error(`not finished after ${DOWNLOAD_PATIENCE_MS / 1000} s`, { cause: failure });
  // The SDK's message says everything twice, with a long address; its last part names the cause.
  throw new Error(data?.stdout.split(': ').slice(-2).join(': ') || 'the SDK gave no reason', { cause: failure });
}

async function buildTo(target: string, folder: string, onProgress: (line: string) => void): Promise<void> {
  if (spawnSync('go', ['version']).status !== 0) throw new Error('go is not on the PATH');
  onProgress('Building it with Go (about three minutes, once)');
  rmSync(folder, { recursive: true, force: true });
  await run('go', ['install', GO_PACKAGE], {
    env: childEnvironment({ GOBIN: folder }),
    cwd: homedir(),
    timeout: BUILD_PATIENCE_MS,
    maxBuffer: 16_000_000,
  });
  const file = readdirSync(folder).find((name) => name.startsWith('temporal'));
  if (file === undefined || !existsSync(join(folder, file))) throw new Error('go install left no file');
  renameSync(join(folder, file), target);
  rmSync(folder, { recursive: true, force: true });
}
