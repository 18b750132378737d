import { describe, test } from '@jest/globals';
import { play } from './campaign/play.ts';
import { readFaultSettings } from './settings.ts';
import { createChance } from './faults.ts';
import { useTopology } from './own-topology.ts';
import { BAD_RECEIVERS } from './scenarios/bad-receivers.ts';
import { CHANGES } from './scenarios/changes.ts';
import { CLOCKS } from './scenarios/clocks.ts';
import { LINK_FAULTS } from './scenarios/links.ts';
import { ONE_KEY } from './scenarios/one-key.ts';
import { randomFaults } from './scenarios/random.ts';

const own = useTopology();
const { seed, isLong, randomMs } = readFaultSettings();

// Three seeds that every run has, and three that only the seed of this run gives.
const fresh = createChance(seed, true);
const SEEDS = [1, 2, 3, ...Array.from({ length: 3 }, () => fresh.lasting(1_000, 1_000_000))];

const SCENARIOS = [
  ...LINK_FAULTS,
  ...CLOCKS,
  BAD_RECEIVERS,
  ONE_KEY,
  CHANGES,
  ...SEEDS.map((each) => randomFaults(each, isLong, randomMs / SEEDS.length)),
];

describe(`with the seed ${seed}`, () => {
  test.each(SCENARIOS.map((scenario) => [scenario.number, scenario.title, scenario] as const))(
    '%s: %s: nothing accepted is lost, stuck, half done or doubled without a reason',
    (_number, _title, scenario) => play(own(), scenario),
    1_200_000,
  );
});
