import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readConfig } from '../src/platform/config/config.ts';
import { readRunningState } from '../src/process/roles/serving/running-state.ts';

/** Address and key for publishing. `ownKeyId` is set when the key was made for this run. */
export type Service = { url: string; key: string; ownKeyId?: string };

const run = promisify(execFile);
const commandLine = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
// A key has 10 batches a minute unless it says otherwise (spec §8). A second demo within a minute must not wait.
const BATCH_PER_MINUTE = 1_000;
const createdKey = z.object({ id: z.string(), key: z.string() });

/**
 * The named service, otherwise the `npm start` of this checkout. Without a key it creates one for `environment`, as `npx posthorn keys
 * create --env test --batch-per-minute 1000` does. Throws with one sentence that names the remedy.
 */
export async function findService(
  given: { url?: string; key?: string },
  environment: 'live' | 'test' = 'test',
): Promise<Service> {
  // An empty variable counts as not set, here as in every setting.
  const url = given.url || readRunningState(readConfig().dataFolder)?.apiUrl;
  if (url === undefined) {
    throw new Error(
      'No service runs on the data folder of this checkout: run `npm start` first, or name the service by DATA_FOLDER, --url or POSTHORN_URL',
    );
  }
  const base = url.replace(/\/+$/, '');
  if (given.key) return { url: base, key: given.key };
  const { id, key } = await createKey(environment);
  return { url: base, key, ownKeyId: id };
}

async function createKey(environment: 'live' | 'test'): Promise<z.output<typeof createdKey>> {
  if (!existsSync(commandLine)) throw new Error('There is no build yet: run `npm ci` first, or set POSTHORN_KEY');
  const limit = ['--batch-per-minute', String(BATCH_PER_MINUTE)];
  const options = ['--env', environment, '--tier', 'enterprise', ...limit, '--name', 'Demo', '--json'];
  try {
    const { stdout } = await run(process.execPath, [commandLine, 'keys', 'create', ...options]);
    return createdKey.parse(JSON.parse(stdout));
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
    throw new Error(`No API key could be made for this service; set POSTHORN_KEY (${said})`);
  }
}
