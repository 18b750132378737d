import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from '@jest/globals';

const PROJECT = posix.join(import.meta.dirname, '../..');

/** Packages whose files a reader has open side by side. Each other package has names of its own. */
const SERVICE = ['src', 'workflows', 'activities', 'local'];
const OTHERS = ['client/src', 'dashboard/src'];

/** Functions here are read with the name of their file before them: `store.findApp`, or as a command of `posthorn`. */
const QUALIFIED =
  /(?:^|\/|-)store\.ts$|^src\/process\/roles\/|^src\/automations\/(?:connectors\/catalogue|inbound\/providers|inbound\/schemes)\//;

/** Names that the service has too, for the same thing as its callers see it. */
const SAME_THING = new Set([
  'AUDIT_ACTIONS',
  'AccessToken',
  'ApiError',
  'ChangeKind',
  'ErrorDetails',
  'MachineCredentials',
  'Organisation',
  'Page',
  'ProviderName',
]);

type Exported = { path: string; name: string; isFunction: boolean };

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(type|interface|class|const|let|function)\*? ([A-Za-z_]\w*)/gm;

const exportsOf = (path: string, source: string): Exported[] =>
  [...source.matchAll(EXPORT)].map(([, kind = '', name = '']) => ({
    path,
    name,
    isFunction: kind === 'function' || (kind === 'const' && !/^[A-Z_\d]+$/.test(name)),
  }));

const read = (folders: readonly string[]): Exported[] =>
  folders.flatMap((folder) =>
    readdirSync(posix.join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => posix.join(folder, path))
      .filter((path) => /(?<!\.test)\.tsx?$/.test(path) && !path.includes('generated/'))
      .flatMap((path) => exportsOf(path, readFileSync(posix.join(PROJECT, path), 'utf8'))),
  );

/** Names that several files declare, with the files. */
function declaredTwice(all: readonly Exported[]): string[] {
  const files = new Map<string, Set<string>>();
  for (const { path, name, isFunction } of all) {
    if (isFunction && QUALIFIED.test(path)) continue;
    files.set(name, (files.get(name) ?? new Set()).add(path));
  }
  return [...files]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].toSorted().join(', ')}`)
    .toSorted();
}

/** Types and constants of another package that the service has too, and that are not the same thing. */
const takenTwice = (service: readonly Exported[], other: readonly Exported[]): string[] => {
  const names = new Set(service.filter(({ isFunction }) => !isFunction).map(({ name }) => name));
  return other
    .filter(({ name, isFunction }) => !isFunction && names.has(name) && !SAME_THING.has(name))
    .map(({ path, name }) => `${name}: ${path}`);
};

const service = read(SERVICE);
const others = OTHERS.map((folder) => read([folder]));

test('a name that the service exports has one meaning: one file declares it', () => {
  expect(service.length).toBeGreaterThan(1_500);
  expect(declaredTwice(service)).toEqual([]);
});

test('a type of the client library or the dashboard has the name of one in the service for the same thing only', () => {
  expect(others.map((each) => each.length > 50)).toEqual([true, true]);
  expect(others.flatMap((each) => takenTwice(service, each))).toEqual([]);
  expect(others.flatMap(declaredTwice)).toEqual([]);
});

test('each name that is there for the same thing is declared on both sides', () => {
  const known = new Set(others.flat().map(({ name }) => name));
  const names = new Set(service.map(({ name }) => name));
  expect([...SAME_THING].filter((name) => !known.has(name) || !names.has(name))).toEqual([]);
});

test('a planted second declaration is found, and a function of a second store is none', () => {
  const planted = (path: string): Exported[] =>
    exportsOf(path, 'export type Planted = 1;\nexport const planted = (): number => 1;\n');
  expect(
    declaredTwice([...planted('src/channels/store.ts'), ...planted('src/messages/look-through-store.ts')]),
  ).toEqual(['Planted: src/channels/store.ts, src/messages/look-through-store.ts']);
  expect(declaredTwice([...planted('src/log.ts'), ...planted('workflows/index.ts')])).toHaveLength(2);
  expect(takenTwice(planted('src/log.ts'), planted('client/src/index.ts'))).toEqual(['Planted: client/src/index.ts']);
});
