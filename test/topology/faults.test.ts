import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { drill } from '../support/check/drill.ts';
import { createScenes } from '../support/make/scene.ts';
import { tell } from './campaign/play.ts';
import { readFaultSettings } from './settings.ts';
import { setStage } from './campaign/stage.ts';
import { createChance, describeFault, FAULTS } from './faults.ts';
import { useTopology } from './own-topology.ts';

const own = useTopology();
const { seed, isLong } = readFaultSettings();
const scenes = createScenes(() => ({ urlOf: () => own().topology.url, key: own().topology.key }));

afterEach(scenes.end);

describe(`with the seed ${seed}`, () => {
  test.each(FAULTS.map((fault) => [fault.number, fault.title, fault] as const))(
    '%s: %s, under everything at once: nothing accepted is lost, nothing is half done, and all works again',
    async (number, title, described) => {
      const { run, inTransactions = true } = described;
      const { topology, pool, temporal } = own();
      const name = `${number}: ${title}`;
      process.stderr.write(`${name}\n`);
      const stage = await setStage({
        ...own(),
        folder: mkdtempSync(join(tmpdir(), `posthorn-${number.toLowerCase()}-`)),
      });
      try {
        const drilled = { urlOf: () => topology.url, key: topology.key, pool, client: temporal, scenes, processes: [] };
        const chance = createChance(seed, isLong);
        let whole = Promise.resolve();
        const fault = async (): Promise<void> => {
          const end = stage.begin(describeFault(described));
          try {
            await run(topology, chance);
          } finally {
            // Not waited for here: the drill holds a lock until the fault has returned, and nothing works until then.
            whole = end();
            whole.catch(() => undefined);
          }
        };
        const { faults } = await drill(drilled, fault, { inTransactions, isProxied: true });
        await whole;
        tell(name, await stage.finish());
        expect(faults).toEqual([]);
      } finally {
        await stage.abandon();
      }
    },
    600_000,
  );
});
