import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultOf, Stage } from '../campaign/stage.ts';
import type { Chance } from '../faults.ts';
import type { Link, Toxic } from '../links.ts';
import type { Scenario } from './scenario.ts';

const LATENCY: Toxic = { type: 'latency', attributes: { latency: 500, jitter: 0 } };
// Pieces of some bytes each, half a millisecond (in µs) apart: an answer of 2 KiB takes 8 ms more, and comes in 16 parts.
const SLICER: Toxic = { type: 'slicer', attributes: { average_size: 128, size_variation: 64, delay: 500 } };
// Each connection lives that long, ms, and is then reset.
const RESET: Toxic = { type: 'reset_peer', attributes: { timeout: 100 } };

type Case = { toxic: Toxic; words: string };
const CASES: readonly Case[] = [
  { toxic: RESET, words: 'resets its connections' },
  { toxic: SLICER, words: 'cuts everything into pieces' },
  { toxic: LATENCY, words: 'takes 500 ms' },
];

const SHORT_MS = 2_500;
const LONG_MS = 20_000;

/** Breaks a link in each way, one after the other. */
const breaking =
  (name: string, linkOf: (stage: Stage) => Link, lives: number): Scenario['act'] =>
  async (stage, chance) => {
    for (const { toxic, words } of CASES)
      await broken(stage, chance, linkOf(stage), toxic, { name: `${name} ${words}`, lives });
  };

export async function broken(stage: Stage, chance: Chance, link: Link, toxic: Toxic, fault: FaultOf): Promise<void> {
  await stage.during(fault, async () => {
    await link.break(toxic);
    try {
      await sleep(chance.lasting(SHORT_MS, LONG_MS));
    } finally {
      await link.mend();
    }
  });
}

/** The way to one receiver: requests are lost, and then answers alone. */
async function breakWayToReceiver(stage: Stage, chance: Chance): Promise<void> {
  const link = await stage.topology.links.open(`receiver-${stage.sinks.port}`, `127.0.0.1:${stage.sinks.port}`);
  const subscription = await stage.subscribe('far');
  const url = new URL(subscription.sink.urlOf());
  url.host = link.address;
  await stage.client.subscriptions.update(subscription.id, { webhookUrl: url.href });
  for (const { toxic, words } of CASES)
    await broken(stage, chance, link, toxic, {
      name: `the way to a receiver ${words}`,
      lives: 0,
      subscription: subscription.id,
    });
  const fault = { name: 'the way back from a receiver is reset', lives: 0, subscription: subscription.id };
  await stage.during(fault, async () => {
    await link.break(RESET, ['downstream']);
    await sleep(chance.lasting(SHORT_MS, LONG_MS));
    await link.mend();
  });
}

export const LINK_FAULTS: readonly Scenario[] = [
  {
    number: 'F6',
    title: 'the link from the APIs to PostgreSQL',
    act: breaking('the link from the APIs to PostgreSQL', ({ topology }) => topology.links.apiToPostgres, 0),
  },
  {
    number: 'F6',
    title: 'the link from the workers to PostgreSQL',
    act: breaking('the link from the workers to PostgreSQL', ({ topology }) => topology.links.workerToPostgres, 2),
  },
  {
    number: 'F6',
    title: 'the link from the workers to Temporal',
    act: breaking('the link from the workers to Temporal', ({ topology }) => topology.links.workerToTemporal, 2),
  },
  {
    number: 'F6',
    title: 'the link from the APIs to Redis',
    act: breaking('the link from the APIs to Redis', ({ topology }) => topology.links.apiToRedis, 0),
  },
  { number: 'F6', title: 'the way from the workers to a receiver', act: breakWayToReceiver },
];
