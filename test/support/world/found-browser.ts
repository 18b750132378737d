import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

/** Where `npm ci` has put the packed browser: nothing is downloaded, and no install script runs. */
const PACKED = join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '../../../bin/chromium.br');
// In the user's own folder: a program in a folder that others can write to could be replaced by theirs.
const FOLDER = join(homedir(), '.cache/posthorn/chromium-147.0.2');

/** Set by `findBrowser`: why this machine has no browser to test with. */
export const MISSING_BROWSER = 'POSTHORN_TEST_BROWSER_MISSING';

/** Checks once for a Chromium that starts here, for all test files of the run. Called by the global setup. */
export async function findBrowser(): Promise<void> {
  const reason = await missingBrowser();
  if (reason !== undefined) process.env[MISSING_BROWSER] = reason;
}

/** The one that POSTHORN_TEST_CHROMIUM names, or else that of the package. */
export const browserPath = async (): Promise<string> => process.env['POSTHORN_TEST_CHROMIUM'] ?? (await unpack());

async function missingBrowser(): Promise<string | undefined> {
  const isHere = process.platform === 'linux' && process.arch === 'x64';
  const named = process.env['POSTHORN_TEST_CHROMIUM'];
  if (named === undefined && !isHere)
    return 'the Chromium that npm ci brings is for Linux on x64; name another one by POSTHORN_TEST_CHROMIUM';
  const path = await browserPath();
  const { status, error, stderr } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  const advice = named === undefined ? 'Debian: apt-get install libnss3' : 'POSTHORN_TEST_CHROMIUM names it';
  return `${path} does not start: ${error?.message ?? stderr.trim()} (${advice})`;
}

/** Unpacks it once per machine, in 3 s. Several test files may do so at a time: only a complete file gets its name. */
async function unpack(): Promise<string> {
  const path = join(FOLDER, 'chromium');
  if (existsSync(path)) return path;
  await mkdir(FOLDER, { recursive: true });
  const partial = `${path}.${process.pid}`;
  await pipeline(createReadStream(PACKED), createBrotliDecompress(), createWriteStream(partial));
  await chmod(partial, 0o700);
  await rename(partial, path);
  return path;
}
