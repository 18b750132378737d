import { mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Posthorn } from '../../../client/src/index.ts';
import type { Stage } from '../campaign/stage.ts';
import type { TopologyChild } from '../child.ts';
import { createMovedClock } from '../clock.ts';
import type { Chance } from '../faults.ts';
import type { Scenario } from './scenario.ts';

const JUMP_SECONDS = 600;
const SHORT_MS = 4_000;
const LONG_MS = 20_000;
// Deliveries are late by no more than that, however wrong a worker's clock is: the longest pause of the stage's policy, and a busy machine.
const LATE_AFTER_MS = 15_000;

/**
 * Processes begin anew with a clock that is right, which then jumps ten minutes ahead and ten minutes behind; and begin once more with one
 * that is wrong from its beginning. PostgreSQL's is right all the time.
 */
async function jump(stage: Stage, chance: Chance, name: string, processes: readonly TopologyChild[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-clock-'));
  const clock = createMovedClock(folder);
  const machine = await stage.client.machineCredentials.create({
    name: `robot beside ${name}`,
    scopes: ['messages:write'],
  });
  const robot = new Posthorn({
    baseUrl: stage.topology.url,
    credentials: { clientId: machine.id, clientSecret: machine.clientSecret },
  });
  // The stage's own channels are compared with its log.
  const channel = await stage.client.channels.create({ name: 'robots' });
  const lastingMs = chance.lasting(SHORT_MS, LONG_MS);
  const restart = async (variables: typeof clock.variables): Promise<void> => {
    for (const child of processes) {
      await child.end('SIGTERM');
      await child.begin(variables);
    }
  };
  const works = async (words: string): Promise<void> => {
    const askedAt = Date.now();
    // A fresh token and a fresh proof by a caller whose clock is right.
    await robot.messages
      .publish(channel.id, { eventType: 'order.created', payload: {} })
      .catch((failure: unknown) => stage.report(`F9: a robot could not publish while ${words}: ${String(failure)}`));
    await stage.load.works(
      stage.subscriptions.filter(({ channelId }) => channelId === stage.channels[0]).map(({ id }) => id),
    );
    const tookMs = Date.now() - askedAt;
    if (tookMs > LATE_AFTER_MS) stage.report(`F9: a message took ${tookMs} ms while ${words}`);
  };
  try {
    await stage.during({ name: `${name} begin with another clock`, lives: 0 }, () => restart(clock.variables));
    for (const bySeconds of [JUMP_SECONDS, -JUMP_SECONDS, 0]) {
      clock.move(bySeconds);
      await works(`the clock of ${name} is ${bySeconds} s ahead`);
      await sleep(lastingMs);
    }
    clock.move(-JUMP_SECONDS);
    await stage.during({ name: `${name} begin with a wrong clock`, lives: 0 }, () => restart(clock.variables));
    await works(`the clock of ${name} is behind from their beginning`);
    await sleep(lastingMs);
  } finally {
    await stage.during({ name: `${name} have a right clock again`, lives: 0 }, () => restart({}));
    rmSync(folder, { recursive: true, force: true });
  }
}

export const CLOCKS: readonly Scenario[] = [
  {
    number: 'F9',
    title: 'the clocks of the APIs jump by ten minutes',
    act: (stage, chance) => jump(stage, chance, 'the APIs', stage.topology.apis),
  },
  {
    number: 'F9',
    title: 'the clocks of the workers jump by ten minutes',
    act: (stage, chance) => jump(stage, chance, 'the workers', stage.topology.workers),
  },
];
