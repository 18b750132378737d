import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The command line and the Temporal workflows as `npm run build` leaves them. */
export const BUILT = {
  main: `${root}dist/src/main.js`,
  workflows: `${root}dist/workflow-bundle.js`,
  encodedWorkflows: `${root}dist/workflow-bundle-encoded.js`,
} as const;

/** Builds if a source is newer than the build, so that tests and benchmarks run the current code. */
export function ensureBuilt(onProgress: (line: string) => void): void {
  const builtAt = statSync(BUILT.main, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const changedAt = Math.max(
    ...['src', 'local', 'workflows', 'activities', 'client/src', 'dashboard/src'].map((folder) =>
      newest(`${root}${folder}`),
    ),
  );
  if (builtAt > changedAt) return;
  onProgress('Building dist/, which is older than its sources');
  execFileSync('npm', ['run', 'build', '--silent'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    // Jest sets `test`, for which Vite would bundle React's development build.
    env: { ...process.env, NODE_ENV: 'production' },
  });
}

const newest = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|css)$/.test(name) && !name.endsWith('.test.ts'))
    .reduce((latest, name) => Math.max(latest, statSync(`${folder}/${name}`).mtimeMs), 0);
