import type { Graph } from './imports.ts';

/**
 * The rooms of the service (docs/architecture.md), each with those after it on higher layers. A room imports rooms of lower layers, types
 * included; it reaches a later one by an interface that it declares and `src/process` fills.
 */
export const LAYERS = [
  ['kernel'],
  ['platform'],
  ['api'],
  ['identity'],
  ['messaging'],
  ['delivery'],
  ['automations', 'inbound'],
  ['insight'],
  ['process'],
] as const;

/** What packages beside `src` may import of it: all that is named, types included. `*`: anything. */
export const BESIDE: Readonly<Record<string, readonly string[]>> = {
  workflows: ['src/kernel', 'workflows', 'activities'],
  activities: ['src/kernel', 'src/platform', 'src/messaging', 'src/delivery', 'src/automations', 'activities'],
  local: ['src/platform/config', 'src/platform/log.ts', 'local'],
  'client/src': ['client/src'],
  'dashboard/src': ['dashboard/src', 'client'],
};

const roomOf = (path: string): string => path.split('/')[1] ?? '';
const layerOf = (room: string): number => LAYERS.findIndex((rooms) => (rooms as readonly string[]).includes(room));

/** Imports between rooms of `src` that go to the same layer or a higher one, as `from -> to`. */
export const importsUpwards = (files: Graph): string[] =>
  [...files].flatMap(([path, targets]) =>
    [...targets]
      .filter((target) => {
        const [from, to] = [roomOf(path), roomOf(target)];
        return path !== 'src/main.ts' && from !== to && (!target.startsWith('src/') || layerOf(to) >= layerOf(from));
      })
      .map((target) => `${path} -> ${target}`),
  );
