import { setTimeout as sleep } from 'node:timers/promises';
import { killed } from '../faults.ts';
import type { Scenario } from './scenario.ts';

const AT_ONCE = 50;
const AGAIN_AFTER_MS = 100;

/** F10: the checker finds one set of ids for each key, because all fifty requests have one mark. */
export const ONE_KEY: Scenario = {
  number: 'F10',
  title: 'fifty requests under one Idempotency-Key while an API is killed are one publication',
  async act(stage, chance) {
    const [main, other] = stage.channels;
    const shapes = [[main], [main, main, main], [main, other]];
    for (const [round, channels] of shapes.entries()) {
      const mark = stage.publisher.newMark();
      const unit = { mark, channels, key: `fifty-${mark}-${Date.now()}` };
      const untilAcknowledged = async (): Promise<void> => {
        while (!(await stage.publisher.publish(unit))) await sleep(AGAIN_AFTER_MS);
      };
      await stage.during({ name: `an API is killed under fifty requests, round ${round + 1}`, lives: 0 }, async () => {
        const all = Promise.all(Array.from({ length: AT_ONCE }, untilAcknowledged));
        await killed(chance.pick(stage.topology.apis), chance.lasting(500, 3_000));
        await all;
      });
    }
  },
};
