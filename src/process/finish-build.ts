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

// Run by `npm run build` on what tsc has just written next to dist: adds the workflow bundles and the reader of /docs, then replaces
// dist at once, so that neither a running service nor a failed build ever leaves half a dist.
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

// npx looks here first. Otherwise npx installs the checkout as a package of its own, which builds all of this again.
const bin = join(root, 'node_modules', '.bin');
mkdirSync(bin, { recursive: true });
rmSync(join(bin, 'posthorn'), { force: true });
symlinkSync(join('..', '..', 'bin', 'posthorn.js'), join(bin, 'posthorn'));

/** Adds a Brotli file at maximum quality to each file of the dashboard; compressing at request time would take too long. */
function packFolder(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && /\.(js|css|svg)$/.test(entry.name))
      writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
  }
}
