import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lint } from './lint.ts';
import { replayDockerfile } from './replay.ts';
import { expectSmall, partsOf, tiniOf } from './size.ts';
import { tryRoles } from './try-roles.ts';

const CHECKOUT = resolve(import.meta.dirname, '../../..');
const USAGE = `npm run image -- [options]
  --lint   reads docker-compose.yml by compose-go and the Dockerfile by hadolint, alone: needs Go and pip`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Replays the Dockerfile on a machine without Docker, adds up the layers, and tries the roles in what came out, as another user where
 * this one is root. Fails when a step fails, when the image is too large, or when a message is not delivered.
 */
async function replay(folder: string): Promise<void> {
  const replayed = replayDockerfile(CHECKOUT, folder, print);
  const parts = partsOf(replayed, tiniOf(folder));
  for (const { from, bytes } of parts) print(`${megabytes(bytes).padStart(10)}  ${from}`);
  print(`${megabytes(expectSmall(parts)).padStart(10)}  the whole image, compressed`);
  await tryRoles(replayed, folder, print);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { lint: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help === true) {
    print(USAGE);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-image-'));
  chmodSync(folder, 0o755);
  try {
    if (values.lint === true) lint(CHECKOUT, folder, print);
    else await replay(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
