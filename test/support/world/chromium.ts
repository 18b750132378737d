import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';

/** Where `npm ci` has put the packed browser: nothing is downloaded, and no install script runs. */
const PACKED = join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '../../../bin/chromium.br');
// In a folder of the user's own: what is started from one that others can write would be theirs.
const FOLDER = join(homedir(), '.cache/posthorn/chromium-147.0.2');

/**
 * Starts a real Chromium without a window: the one that POSTHORN_TEST_CHROMIUM names, else that of the package. `hosts` are names, with *
 * for any part, that it takes for this machine. The caller closes it.
 */
export async function launchBrowser({ hosts = [] }: { hosts?: readonly string[] } = {}): Promise<Browser> {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(',');
  return chromium.launch({
    executablePath: process.env['POSTHORN_TEST_CHROMIUM'] ?? (await unpack()),
    // Tests run as root in containers, where Chromium's own sandbox cannot start, and with a /dev/shm of 64 MB.
    args: [
      '--no-sandbox',
      '--disable-setuid-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--no-zygote',
      ...(rules === '' ? [] : [`--host-resolver-rules=${rules}`]),
    ],
  });
}

/** Unpacked once for each machine, in 3 s. Several test files may do it at a time: only a whole file gets its name. */
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
