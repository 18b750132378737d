import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packedSize, type Replayed } from './replay.ts';

/** Compressed, as a registry keeps it and a machine fetches it. */
const MOST_BYTES = 250e6;

/** A part of the image: where its size comes from, bytes compressed. */
export type Part = { from: string; bytes: number };

/**
 * Base images as published, compressed, for linux/amd64. No registry was asked: the sum of Debian's bookworm-slim (28 MB) and of Node's
 * archive for Linux (50 MB as tar.gz), with 2 MB for what else the image has.
 */
const STATED: Readonly<Record<string, number>> = { 'node:26.10.0-bookworm-slim': 80e6 };

// Debian's package of November 2026, and the list of packages that dpkg writes anew: the whole list is a part of the layer.
const TINI_STATED = 0.7e6;

/** The base, the layer of `tini` and our own. Throws for a base whose size nobody has stated. */
export function partsOf({ base, layers }: Pick<Replayed, 'base' | 'layers'>, tini: Part): Part[] {
  const bytes = STATED[base];
  if (bytes === undefined) throw new Error(`size.ts must state how large ${base} is as published`);
  return [{ from: `${base}, as stated`, bytes }, tini, ...layers];
}

/** Throws where all parts together are more than an image may have. */
export function expectSmall(parts: readonly Part[]): number {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes > MOST_BYTES)
    throw new Error(`The image has ${bytes} bytes, ${MOST_BYTES} are allowed: deploy/image/prune.js says what may go`);
  return bytes;
}

/** The layer of tini: Debian's package unpacked, with dpkg's list of this machine. Stated on a machine that is not Debian. */
export function tiniOf(folder: string): Part {
  const place = join(folder, 'tini');
  try {
    mkdirSync(join(place, 'root'), { recursive: true });
    execFileSync('apt-get', ['download', 'tini'], { cwd: place, stdio: 'ignore' });
    const [name = ''] = readdirSync(place).filter((each) => each.endsWith('.deb'));
    execFileSync('dpkg-deb', ['--extract', join(place, name), join(place, 'root')]);
    const bytes = packedSize(place, ['root']);
    const list = Number(execFileSync('sh', ['-c', 'gzip -6 < /var/lib/dpkg/status | wc -c'], { encoding: 'utf8' }));
    // dpkg keeps the list before as well.
    return { from: `${name} and the list of packages, measured`, bytes: bytes + 2 * list };
  } catch {
    return { from: 'tini, as stated: this machine has no package manager of Debian', bytes: TINI_STATED };
  }
}
