import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { ProgramUnavailable } from '../support/service/unavailable.ts';

/** Programs of the topology that Go builds, in the releases of docker-compose.yml: file → package. */
const BUILT = {
  temporal: {
    version: 'v1.29.1',
    packages: { server: 'go.temporal.io/server/cmd/server', sql: 'go.temporal.io/server/cmd/tools/sql' },
  },
  // Debian's 2.6 knows other words for the same. Before 2.11 a body that was tried again came from a buffer that another request had got.
  caddy: { version: 'v2.11.9', packages: { caddy: 'github.com/caddyserver/caddy/v2/cmd/caddy' } },
  // Its newest release in Go's module path; the links between the parts go through it.
  toxiproxy: { version: 'v2.12.0', packages: { server: 'github.com/Shopify/toxiproxy/v2/cmd/server' } },
} as const;

export type TemporalPrograms = { server: string; sql: string };

/**
 * Path of Toxiproxy, outside the checkout. Built by `go install` where it is not there yet, which takes time and is told. Throws with a
 * sentence where there is no Go.
 */
export const findToxiproxy = (print: (line: string) => void): string => find('toxiproxy', print).server;

/** Path of Caddy, as `findToxiproxy`: over two minutes of a processor to build. */
export const findCaddy = (print: (line: string) => void): string => find('caddy', print).caddy;

/** Paths of Temporal's server for PostgreSQL and of its schema tool, as `findToxiproxy`: five minutes of a processor to build. */
export const findTemporalServer = (print: (line: string) => void): TemporalPrograms => find('temporal', print);

function find<Name extends keyof typeof BUILT>(
  name: Name,
  print: (line: string) => void,
): Record<keyof (typeof BUILT)[Name]['packages'], string> {
  const { version, packages } = BUILT[name];
  const folder = join(homedir(), '.cache', 'posthorn', `${name}-server-${version}`);
  const paths = Object.fromEntries(Object.keys(packages).map((file) => [file, join(folder, file)]));
  if (!Object.values(paths).every((path) => existsSync(path))) {
    if (spawnSync('go', ['version']).error !== undefined)
      throw new ProgramUnavailable(
        `The topology needs Go, which builds ${name} ${version}; or put ${Object.keys(packages).join(' and ')} into ${folder}`,
      );
    print(`building ${name} ${version} by go install; this takes some minutes, once`);
    mkdirSync(folder, { recursive: true });
    const { status } = spawnSync('go', ['install', ...Object.values(packages).map((path) => `${path}@${version}`)], {
      env: childEnvironment({ GOBIN: folder }),
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0)
      throw new ProgramUnavailable(
        `The topology needs ${name} ${version}, and go install could not build it: the reason stands above`,
      );
  }
  // `as`: the keys are those of `packages`.
  return paths as Record<keyof (typeof BUILT)[Name]['packages'], string>;
}

/** Throws with a sentence that says how to get it, when a program is not on the PATH. */
export function expectProgram(name: string, debianPackage: string): void {
  if (spawnSync(name, ['--version']).error !== undefined)
    throw new ProgramUnavailable(`The topology needs ${name} on the PATH (Debian: apt-get install ${debianPackage})`);
}
