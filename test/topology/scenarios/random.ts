import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../campaign/stage.ts';
import { healthy } from '../campaign/sinks.ts';
import { type Chance, createChance, describeFault, FAULTS } from '../faults.ts';
import type { Toxic } from '../links.ts';
import { MISBEHAVIOURS } from './bad-receivers.ts';
import { broken } from './links.ts';
import type { Scenario } from './scenario.ts';

const TOXICS: readonly Toxic[] = [
  { type: 'reset_peer', attributes: { timeout: 100 } },
  { type: 'slicer', attributes: { average_size: 128, size_variation: 64, delay: 500 } },
  { type: 'latency', attributes: { latency: 500, jitter: 100 } },
];

/** Faults of F1 to F7 by chance, one after the other, for that long. The load goes on through all of them. */
export const randomFaults = (seed: number, isLong: boolean, lastingMs: number): Scenario => ({
  number: 'F13',
  title: `faults by chance for ${Math.round(lastingMs / 1000)} s, with the seed ${seed}`,
  async act(stage) {
    const chance = createChance(seed, isLong);
    const bad = await stage.subscribe('bad', {
      timeoutMs: 1_000,
      retryPolicy: { maxRetries: 2, initialDelay: 500, maxDelay: 1_000, backoffMultiplier: 2 },
    });
    const until = Date.now() + lastingMs;
    let count = 0;
    while (Date.now() < until) {
      bad.sink.behave(chance.pick([healthy, ...Object.values(MISBEHAVIOURS)]));
      await chance.pick([atAPart, atAPart, atALink])(stage, chance);
      count += 1;
      await sleep(chance.lasting(300, 5_000));
    }
    bad.sink.behave(healthy);
    // An answer of 410 has disabled it; the queue waits for a resume.
    await stage.client.subscriptions.resume(bad.id);
    stage.note('faults', count);
  },
});

async function atAPart(stage: Stage, chance: Chance): Promise<void> {
  const fault = chance.pick(FAULTS.filter(({ number }) => number !== 'F12'));
  await stage.during(describeFault(fault), () => fault.run(stage.topology, chance));
}

async function atALink(stage: Stage, chance: Chance): Promise<void> {
  const { apiToPostgres, apiToRedis, workerToPostgres, workerToTemporal } = stage.topology.links;
  const [link, lives] = chance.pick([
    [apiToPostgres, 0],
    [apiToRedis, 0],
    [workerToPostgres, 2],
    [workerToTemporal, 2],
  ] as const);
  const toxic = chance.pick(TOXICS);
  const counts = link === apiToRedis ? ({ counts: 'away' } as const) : {};
  await broken(stage, chance, link, toxic, { name: `${toxic.type} on ${link.name}`, lives, ...counts });
}
