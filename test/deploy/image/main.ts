import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { replayDockerfile } from './replay.ts';
import { tryRoles } from './try-roles.ts';

/** Compressed, all of ours together. The base as published has 80 MB, and the whole may have 250. */
const MOST_BYTES = 170e6;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Replays the Dockerfile on a machine without Docker, adds up the layers, and tries the roles in what came out, as another user where
 * this one is root. Fails when a step fails, when the layers are too large, or when a message is not delivered.
 */
async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-image-'));
  chmodSync(folder, 0o755);
  try {
    const replayed = replayDockerfile(resolve(import.meta.dirname, '../../..'), folder, print);
    for (const { from, bytes } of replayed.layers) print(`${megabytes(bytes).padStart(10)}  ${from}`);
    const bytes = replayed.layers.reduce((sum, layer) => sum + layer.bytes, 0);
    print(`${megabytes(bytes).padStart(10)}  all layers over the base image; at most ${megabytes(MOST_BYTES)}`);
    if (bytes > MOST_BYTES) throw new Error('The layers are too large: deploy/image/prune.js says what may go');
    await tryRoles(replayed, folder, print);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
