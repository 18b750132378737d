import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own, in memory, which a test fills up. */
export type SmallDisk = {
  folder: string;
  /** Leaves no byte for anybody else. */
  fill(): void;
  free(): void;
  remove(): void;
};

const PIECE = Buffer.alloc(64 * 1024);

/** A tmpfs of that size. Throws with a sentence where this user may not mount one. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (failure) {
    rmdirSync(folder);
    throw new Error('A disk that runs full is a small tmpfs, and only root may mount one', { cause: failure });
  }
  // PostgreSQL has a user of its own, who must reach its data.
  chmodSync(folder, 0o711);
  const filling = join(folder, 'filling');
  return {
    folder,
    fill() {
      const file = openSync(filling, 'a');
      try {
        for (const piece of [PIECE, PIECE.subarray(0, 1)]) writeUntilFull(file, piece);
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filling, { force: true }),
    remove() {
      execFileSync('umount', [folder], { stdio: 'pipe' });
      rmdirSync(folder);
    },
  };
}

function writeUntilFull(file: number, piece: Uint8Array): void {
  try {
    for (;;) writeSync(file, piece);
  } catch (failure) {
    // Not by `instanceof`: jest's realm has another Error.
    if (Reflect.get(failure as object, 'code') !== 'ENOSPC') throw failure;
  }
}
