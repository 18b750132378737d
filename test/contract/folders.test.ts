import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from '@jest/globals';

const PROJECT = posix.join(import.meta.dirname, '../..');

/** Files that a folder holds without sub-areas. The four files of a resource are read in one order, and do not count. */
const MOST_FILES = 12;
const OF_A_RESOURCE = ['schema.ts', 'routes.ts', 'service.ts', 'store.ts'];

/** Folders of many files that are one thing each, read by its name, and the folder that puts all others together. */
const COLLECTIONS = new Set([
  'src',
  'src/automations/connectors/catalogue',
  'src/automations/inbound/providers',
  'src/deliveries/statements',
  'src/openapi/texts',
]);

/** Source files of the service, without tests and without what is generated. */
function sourcePaths(): string[] {
  return ['src', 'workflows', 'activities', 'local'].flatMap((folder) =>
    readdirSync(posix.join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => posix.join(folder, path))
      .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.includes('/generated/')),
  );
}

/** Folders with more files than a reader takes in at once. */
function crowded(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (OF_A_RESOURCE.includes(posix.basename(path))) continue;
    counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count > MOST_FILES && !COLLECTIONS.has(folder))
    .map(([folder, count]) => `${folder} has ${count} files`);
}

test('a folder of more than twelve files has sub-areas', () => {
  expect(crowded(sourcePaths())).toEqual([]);
});

test('a planted crowd is found, beside the four files of a resource', () => {
  const planted = Array.from({ length: MOST_FILES + 1 }, (_, index) => `src/planted/file-${index}.ts`);
  const resource = OF_A_RESOURCE.map((name) => `src/planted/${name}`);
  expect(crowded([...sourcePaths(), ...planted, ...resource])).toEqual(['src/planted has 13 files']);
  expect(crowded([...planted.slice(1), ...resource])).toEqual([]);
});

test('each collection is there, and is as large as its place on the list says', () => {
  const paths = sourcePaths();
  const small = [...COLLECTIONS].filter(
    (folder) => paths.filter((path) => posix.dirname(path) === folder).length <= MOST_FILES,
  );
  expect(small).toEqual([]);
});
