import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { READER_COPY, readerOfPackage } from '../api/openapi/pages.ts';
import { BUNDLE_PATHS, bundleWorkflows } from '../platform/temporal/worker.ts';

// Run by `npm run build` on what tsc has just written beside dist: adds the workflow bundles and the reader of /docs, then puts it in
// dist's place at once, so that a running service and a build that fails never meet half a dist.
const built = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const root = dirname(built);
const dist = join(root, 'dist');

for (const failures of ['open', 'encoded'] as const) {
  const { code } = await bundleWorkflows(failures);
  writeFileSync(BUNDLE_PATHS[failures], code);
}
copyFileSync(readerOfPackage(), READER_COPY);
packFolder(join(built, 'dashboard-files'));
rmSync(`${dist}-old`, { recursive: true, force: true });
if (existsSync(dist)) renameSync(dist, `${dist}-old`);
renameSync(built, dist);
rmSync(`${dist}-old`, { recursive: true, force: true });

// npx looks here first. Without it npx installs the checkout as a package of its own, which builds all of this again.
const bin = join(root, 'node_modules', '.bin');
mkdirSync(bin, { recursive: true });
rmSync(join(bin, 'posthorn'), { force: true });
symlinkSync(join('..', '..', 'bin', 'posthorn.js'), join(bin, 'posthorn'));

/** Puts beside each file of the dashboard the same by Brotli at its best, which takes too long for the moment it is asked for. */
function packFolder(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && /\.(js|css|svg)$/.test(entry.name))
      writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
  }
}
