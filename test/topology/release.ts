import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { childEnvironment } from '../../src/platform/config/config.ts';
import type { Settings } from '../support/service/processes.ts';

/** A built release of the service. */
export type Release = {
  /** The command line, as `node <main> api` runs it. */
  main: string;
};

const ROOT = join(import.meta.dirname, '../..');
/** Folder of a release's own sources, below the one that has the checkout's packages. */
const SOURCES = 'sources';
const PARTS = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'prisma.config.ts', 'prisma', 'src', 'local'];

/**
 * The release of a commit of this repository, built in a folder of its own outside the checkout. Its packages are those of the checkout,
 * but for the ones of which it names another version: npm installs these beside it. Kept there for the next time. Throws with a sentence
 * where the clone has no such commit.
 */
export function buildRelease(commit: string, print: (line: string) => void): Release {
  if (spawnSync('git', ['-C', ROOT, 'cat-file', '-e', `${commit}^{commit}`]).status !== 0)
    throw new Error(
      `This clone has no commit ${commit}: it is a shallow one, and \`git fetch --unshallow\` brings the rest`,
    );
  const name = commit.slice(0, 12);
  const others = otherPackages(commit);
  const packagesId = createHash('sha256').update(others.join(' ')).digest('hex').slice(0, 8);
  const folder = join(homedir(), '.cache', 'posthorn', `release-${name}-${packagesId}`);
  const main = join(folder, SOURCES, 'dist/src/main.js');
  if (!existsSync(main)) {
    print(`building the release of ${name}, once; ${others.join(', ') || 'no package'} is installed for it`);
    const building = `${folder}-building`;
    rmSync(building, { recursive: true, force: true });
    const sources = join(building, SOURCES);
    mkdirSync(sources, { recursive: true });
    const archive = execFileSync('git', ['-C', ROOT, 'archive', commit, ...PARTS, 'workflows', 'activities'], {
      maxBuffer: 256 * 1024 * 1024,
    });
    execFileSync('tar', ['-x', '-C', sources], { input: archive });
    install(others, building, sources);
    linkPackages(building);
    npm(['run', '--silent', 'generate'], sources);
    // As its `npm run build`, without the dashboard: nobody looks at it here, and its packages are not among those of the service.
    npm(['exec', '--', 'tsc', '-p', 'tsconfig.build.json', '--outDir', 'dist-next'], sources);
    mkdirSync(join(sources, 'dist-next/dashboard-files'));
    const finish = ['dist-next/src/process/finish-build.js', 'dist-next/src/finish-build.js'].find((path) =>
      existsSync(join(sources, path)),
    );
    execFileSync(process.execPath, [finish ?? 'finish-build.js'], {
      cwd: sources,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    rmSync(folder, { recursive: true, force: true });
    renameSync(building, folder);
  }
  // The checkout of the last time may be gone.
  linkPackages(folder);
  return { main };
}

/** Packages with their versions, where that commit names another one than the checkout. */
function otherPackages(commit: string): string[] {
  const packagesOf = (text: string): Record<string, string> =>
    // `as`: npm's own form.
    (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies;
  const now = packagesOf(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const then = packagesOf(execFileSync('git', ['-C', ROOT, 'show', `${commit}:package.json`], { encoding: 'utf8' }));
  return Object.entries(then).flatMap(([name, version]) => (now[name] === version ? [] : [`${name}@${version}`]));
}

/** Into the sources' own `node_modules`, where Node looks first; the packages of the checkout lie one folder further up. */
function install(packages: readonly string[], building: string, sources: string): void {
  if (packages.length === 0) return;
  const installing = join(building, 'installing');
  mkdirSync(installing);
  npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', installing, ...packages], installing);
  renameSync(join(installing, 'node_modules'), join(sources, 'node_modules'));
  rmSync(installing, { recursive: true });
}

function npm(words: readonly string[], cwd: string): void {
  execFileSync('npm', words, {
    cwd,
    env: childEnvironment({ PATH: `${dirname(process.execPath)}:${childEnvironment()['PATH'] ?? ''}` }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function linkPackages(folder: string): void {
  rmSync(join(folder, 'node_modules'), { force: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Runs a command of that release to its end and returns what it printed. Throws with its output when it fails. */
export function runCommand({ main }: Release, words: readonly string[], settings: Settings): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
    env: childEnvironment(settings),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout.trim();
}

/** Migrates an empty database with that release, and makes a key; as `prepareService` does with the code of this checkout. */
export function prepareRelease(
  release: Release,
  databaseUrl: string,
  temporalAddress: string,
): { key: string; settings: Settings } {
  const settings = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    ENCRYPTION_KEYS: `upgrade:${randomBytes(32).toString('base64')}`,
    ALLOW_HTTP_WEBHOOKS: 'true',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  };
  runCommand(release, ['migrate'], settings);
  const key = runCommand(
    release,
    ['keys', 'create', '--env', 'live', '--tier', 'enterprise', '--batch-per-minute', '100000'],
    settings,
  );
  return { key, settings };
}
