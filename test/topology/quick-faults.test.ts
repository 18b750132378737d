import { describe, test } from '@jest/globals';
import { play } from './campaign/play.ts';
import { readFaultSettings } from './settings.ts';
import { describeFault, FAULTS } from './faults.ts';
import { useTopology } from './own-topology.ts';
import { CHANGES } from './scenarios/changes.ts';
import { LINK_FAULTS } from './scenarios/links.ts';
import { ONE_KEY } from './scenarios/one-key.ts';
import type { Scenario } from './scenarios/scenario.ts';

const { seed, isDevelopment } = readFaultSettings();
const own = useTopology(() => ({ isDevelopment }));

/** One scenario of each kind, as short as it can be: killed, hanging, cut off, doubled and changed. */
const QUICK: readonly Scenario[] = [
  ...FAULTS.filter(({ number, title }) => number === 'F4' || title.startsWith('all workers')).map(
    (fault) =>
      ({
        number: fault.number,
        title: fault.title,
        act: (stage, chance) => stage.during(describeFault(fault), () => fault.run(stage.topology, chance)),
      }) satisfies Scenario,
  ),
  ...LINK_FAULTS.filter(({ title }) => title.includes('workers to Temporal')),
  ONE_KEY,
  CHANGES,
];

describe(`with the seed ${seed}`, () => {
  test.each(QUICK.map((scenario) => [scenario.number, scenario.title, scenario] as const))(
    '%s: %s: nothing accepted is lost, stuck, half done or doubled without a reason',
    (_number, _title, scenario) => play(own(), scenario),
    300_000,
  );
});
