import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { READER_COPY, readerOfPackage } from './openapi/pages.ts';
import { BUNDLE_PATHS, bundleWorkflows } from './temporal/workflow-bundle.ts';

// Run by `npm run build` on what tsc has just written beside dist: adds the workflow bundles and the reader of /docs, then puts it in dist's place at
// once, so that a running service and a build that fails never meet half a dist.
const built = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(built);
const dist = join(root, 'dist');

for (const failures of ['open', 'encoded'] as const) {
  const { code } = await bundleWorkflows(failures);
  writeFileSync(BUNDLE_PATHS[failures], code);
}
copyFileSync(readerOfPackage(), READER_COPY);
rmSync(`${dist}-old`, { recursive: true, force: true });
if (existsSync(dist)) renameSync(dist, `${dist}-old`);
renameSync(built, dist);
rmSync(`${dist}-old`, { recursive: true, force: true });

// npx looks here first. Without it npx installs the checkout as a package of its own, which builds all of this again.
const bin = join(root, 'node_modules', '.bin');
mkdirSync(bin, { recursive: true });
rmSync(join(bin, 'posthorn'), { force: true });
symlinkSync(join('..', '..', 'bin', 'posthorn.js'), join(bin, 'posthorn'));
