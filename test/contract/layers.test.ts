import { describe, expect, test } from '@jest/globals';
import { importsOf, sourcesOf } from '../support/check/imports.ts';
import { BESIDE, foreignStores, LAYERS, strayImports, upwardImports } from '../support/check/layers.ts';

const byName = (one = '', other = ''): number => one.localeCompare(other);

describe('layers', () => {
  const sources = new Map(['src', ...Object.keys(BESIDE)].flatMap((folder) => [...sourcesOf(folder)]));
  const files = importsOf(sources);
  const planted = (path: string, text: string) => importsOf(new Map([...sources, [path, text]]));

  test('every folder of src is a room, and the only file directly in src is main.ts', () => {
    const rooms = new Set([...sourcesOf('src').keys()].map((path) => path.split('/')[1] ?? ''));
    expect([...rooms].toSorted(byName)).toEqual([...LAYERS.flat(), 'main.ts'].toSorted(byName));
  });

  test('a room imports only earlier rooms, types included', () => {
    expect(upwardImports(files)).toEqual([]);
  });

  test('workflows, activities, local, client and dashboard import what the table allows', () => {
    expect(strayImports(files)).toEqual([]);
    const ofWorkflows = [...sources].filter(([path]) => path.startsWith('workflows/'));
    expect(ofWorkflows.length).toBeGreaterThan(5);
    // At run time workflows reach activities only through Temporal.
    for (const [, text] of ofWorkflows)
      expect(text).not.toMatch(/^(?:import (?!type )|export )[^;]*from '(?:\.\.\/)+activities\//m);
  });

  test('only its resource imports a store', () => {
    expect(foreignStores(files)).toEqual([]);
  });

  test.each([
    ['src/messaging/channels/planted.ts', "import { x } from '../../delivery/record/service.ts';\n", upwardImports],
    ['src/platform/db/planted.ts', "import type { X } from '../../api/caller.ts';\n", upwardImports],
    ['src/automations/runs/planted.ts', "import { x } from '../../inbound/service.ts';\n", upwardImports],
    ['src/delivery/queue/planted.ts', "import type { X } from '../../../workflows/index.ts';\n", upwardImports],
    ['workflows/planted.ts', "import { x } from '../src/messaging/channels/service.ts';\n", strayImports],
    ['client/src/planted.ts', "import { x } from '../../src/kernel/words/rights.ts';\n", strayImports],
    ['local/planted.ts', "import { x } from '../src/delivery/record/service.ts';\n", strayImports],
    ['src/messaging/streams/planted.ts', "import { x } from '../channels/store.ts';\n", foreignStores],
  ])('a planted violation in %s is found', (path, text, rule) => {
    expect(rule(planted(path, text)).map((found) => found.split(' -> ')[0])).toEqual([path]);
  });
});
