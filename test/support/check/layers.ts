import type { Graph } from './imports.ts';

/**
 * The rooms of the service from the lowest to the highest (docs/explanation/architecture.md). A room imports only rooms listed before
 * it, types included, and reaches a later one through an interface that it declares and `process` implements.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['kernel'],
  ['platform'],
  ['api'],
  ['identity'],
  ['messaging'],
  ['delivery'],
  ['automations', 'inbound'],
  ['insight'],
  ['process'],
];

/** What packages outside `src` import from this repository. Workflows import only the types of activities. */
export const BESIDE: Readonly<Record<string, readonly string[]>> = {
  workflows: ['workflows/', 'src/kernel/', 'activities/'],
  activities: ['activities/', 'src/kernel/', 'src/platform/', 'src/messaging/', 'src/delivery/', 'src/automations/'],
  local: ['local/', 'src/platform/config/', 'src/platform/log.ts'],
  'client/src': ['client/src/'],
  'dashboard/src': ['dashboard/src/', 'client/'],
};

/** Stores that resources of the same room share; all others belong to one resource. */
const SHARED_STORES: Readonly<Record<string, readonly string[]>> = {
  'src/messaging/messages/store.ts': ['src/messaging/publishing/', 'src/messaging/scheduling/'],
  'src/delivery/dead-letters/filter-store.ts': ['src/delivery/replays/'],
  'src/delivery/record/list-store.ts': ['src/delivery/replays/'],
  'src/delivery/record/unindexed-store.ts': ['src/delivery/replays/'],
  'src/delivery/limits/concurrency-store.ts': ['src/delivery/queue/'],
  'src/automations/engine/load-store.ts': ['src/automations/trials/'],
  'src/identity/people/accounts/store.ts': ['src/identity/people/sign-in/'],
};

const isOf = (path: string, folders: readonly string[]): boolean => folders.some((folder) => path.startsWith(folder));
const roomOf = (path: string): string => path.split('/')[1] ?? '';
const layerOf = (path: string): number => LAYERS.findIndex((rooms) => rooms.includes(roomOf(path)));

/** `src/messaging/channels`, and in identity one folder deeper. Files directly in a room count as one resource. */
const resourceOf = (path: string): string =>
  path
    .split('/')
    .slice(0, -1)
    .slice(0, roomOf(path) === 'identity' ? 4 : 3)
    .join('/');

const edgesOf = (files: Graph): [path: string, target: string][] =>
  [...files].flatMap(([path, targets]) => [...targets].map((target): [string, string] => [path, target]));

/** Returns imports of `src` that leave it, or lead to another room of the same layer or a higher one. */
export const upwardImports = (files: Graph): string[] =>
  edgesOf(files)
    .filter(
      ([path, target]) =>
        path.startsWith('src/') &&
        path !== 'src/main.ts' &&
        roomOf(path) !== 'process' &&
        (!target.startsWith('src/') || (roomOf(path) !== roomOf(target) && layerOf(target) >= layerOf(path))),
    )
    .map(([path, target]) => `${path} -> ${target}`);

/** Returns imports of a package outside `src` that it must not have. */
export const strayImports = (files: Graph): string[] =>
  Object.entries(BESIDE).flatMap(([folder, allowed]) =>
    edgesOf(files)
      .filter(([path, target]) => path.startsWith(`${folder}/`) && !isOf(target, allowed))
      .map(([path, target]) => `${path} -> ${target}`),
  );

/** Returns imports of a store by a resource other than its own. `process` assembles resources, and activities run their work. */
export const foreignStores = (files: Graph): string[] =>
  edgesOf(files)
    .filter(
      ([path, target]) =>
        /(?:^|\/|-)store\.ts$/.test(target) &&
        !isOf(path, ['src/process/', 'activities/']) &&
        resourceOf(path) !== resourceOf(target) &&
        !isOf(path, SHARED_STORES[target] ?? []),
    )
    .map(([path, target]) => `${path} -> ${target}`);
