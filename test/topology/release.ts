import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { childEnvironment } from '../../src/config.ts';
import type { Settings } from '../support/service/processes.ts';

/** A built release of the service. */
export type Release = {
  /** The command line, as `node <main> api` runs it. */
  main: string;
};

const ROOT = join(import.meta.dirname, '../..');
const PARTS = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'prisma.config.ts', 'prisma', 'src', 'local'];

/**
 * The release of a commit of this repository, built in a folder of its own outside the checkout, with the packages of the checkout. Kept
 * there for the next time. Throws with a sentence where the clone has no such commit, or where that release needs other packages.
 */
export function buildRelease(commit: string, print: (line: string) => void): Release {
  if (spawnSync('git', ['-C', ROOT, 'cat-file', '-e', `${commit}^{commit}`]).status !== 0)
    throw new Error(
      `This clone has no commit ${commit}: it is a shallow one, and \`git fetch --unshallow\` brings the rest`,
    );
  const folder = join(homedir(), '.cache', 'posthorn', `release-${commit.slice(0, 12)}`);
  const main = join(folder, 'dist/src/main.js');
  if (!existsSync(main)) {
    print(`building the release of ${commit.slice(0, 12)}; this takes half a minute, once`);
    const building = `${folder}-building`;
    rmSync(building, { recursive: true, force: true });
    mkdirSync(building, { recursive: true });
    const archive = execFileSync('git', ['-C', ROOT, 'archive', commit, ...PARTS, 'workflows', 'activities'], {
      maxBuffer: 256 * 1024 * 1024,
    });
    execFileSync('tar', ['-x', '-C', building], { input: archive });
    refuseOtherPackages(building, commit);
    linkPackages(building);
    for (const script of ['generate', 'build'])
      execFileSync('npm', ['run', '--silent', script], {
        cwd: building,
        env: childEnvironment({ PATH: `${dirname(process.execPath)}:${childEnvironment()['PATH'] ?? ''}` }),
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    rmSync(folder, { recursive: true, force: true });
    renameSync(building, folder);
  }
  // The checkout of the last time may be gone.
  linkPackages(folder);
  return { main };
}

function linkPackages(folder: string): void {
  rmSync(join(folder, 'node_modules'), { force: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

function refuseOtherPackages(folder: string, commit: string): void {
  const packagesOf = (path: string): Record<string, string> =>
    // `as`: npm's own form.
    (JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { dependencies: Record<string, string> })
      .dependencies;
  const now = packagesOf(ROOT);
  const others = Object.entries(packagesOf(folder)).filter(([name, version]) => now[name] !== version);
  if (others.length > 0)
    throw new Error(
      `The release of ${commit} needs ${others.map((each) => each.join(' ')).join(', ')}, which this checkout has not: name a later commit`,
    );
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
  const key = runCommand(release, ['keys', 'create', '--env', 'live', '--batch-per-minute', '100000'], settings);
  return { key, settings };
}
