import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as Library from '../../../client/src/index.ts';
import { childEnvironment } from '../../../src/platform/config/config.ts';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

export type PackedClient = {
  /** A folder of an app that has the client library installed and nothing else. */
  app: string;
  /** The installed package in it. */
  folder: string;
  /** The package as `import` finds it from the app. */
  library: typeof Library;
  remove(): void;
};

/**
 * Packs client/ as `npm pack` does and installs the tarball in a new folder, without scripts and without a registry. The sources are
 * copied first: test files that run at the same time would write one client/dist.
 */
export async function installClient(): Promise<PackedClient> {
  const workshop = mkdtempSync(join(tmpdir(), 'posthorn-client-'));
  const [sources, app] = [join(workshop, 'client'), join(workshop, 'app')];
  for (const path of ['package.json', 'README.md', 'tsconfig.json', 'tsconfig.build.json', 'src'])
    cpSync(join(ROOT, 'client', path), join(sources, path), { recursive: true });
  cpSync(join(ROOT, 'tsconfig.json'), join(workshop, 'tsconfig.json'));
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');

  const env = childEnvironment({});
  const PATH = `${join(ROOT, 'node_modules/.bin')}:${env['PATH'] ?? ''}`;
  const npm = async (cwd: string, ...parameters: string[]): Promise<string> =>
    (await run('npm', parameters, { cwd, env: { ...env, PATH } })).stdout;
  const name = (await npm(sources, 'pack', '--silent', '--pack-destination', workshop)).trim().split('\n').at(-1) ?? '';
  const tarball = join(workshop, name);
  await npm(app, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', tarball);

  const folder = join(app, 'node_modules/@posthorn/client');
  return {
    app,
    folder,
    // `as`: the package is built from these sources.
    library: (await import(pathToFileURL(join(folder, 'dist/index.js')).href)) as typeof Library,
    remove: () => rmSync(workshop, { recursive: true, force: true }),
  };
}
