import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../../src/config.ts';

/** The release of docker-compose.yml. */
const VERSION = 'v1.29.1';
const PACKAGES = { server: 'go.temporal.io/server/cmd/server', sql: 'go.temporal.io/server/cmd/tools/sql' } as const;

export type TemporalPrograms = { server: string; sql: string };

/**
 * Paths of Temporal's server for PostgreSQL and of its schema tool, outside the checkout. Built by `go install` where they are not
 * there yet, which takes minutes and is told. Throws with a sentence where there is no Go.
 */
export function findTemporalPrograms(print: (line: string) => void): TemporalPrograms {
  const folder = join(homedir(), '.cache', 'posthorn', `temporal-server-${VERSION}`);
  const paths = { server: join(folder, 'server'), sql: join(folder, 'sql') };
  if (Object.values(paths).every((path) => existsSync(path))) return paths;
  if (spawnSync('go', ['version']).error !== undefined)
    throw new Error(
      `The topology needs Temporal's server for PostgreSQL: install Go, which builds it, or put server and sql into ${folder}`,
    );
  print(`building Temporal's server ${VERSION} by go install; this takes some minutes, once`);
  mkdirSync(folder, { recursive: true });
  execFileSync('go', ['install', ...Object.values(PACKAGES).map((name) => `${name}@${VERSION}`)], {
    env: childEnvironment({ GOBIN: folder }),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return paths;
}

/** Throws with a sentence that says how to get it, when a program is not on the PATH. */
export function expectProgram(name: string, debianPackage: string): void {
  if (spawnSync(name, ['--version']).error !== undefined)
    throw new Error(`The topology needs ${name} on the PATH (Debian: apt-get install ${debianPackage})`);
}
