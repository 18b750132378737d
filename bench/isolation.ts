import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { showDistance } from './distance.ts';
import { countUnfinished, createTarget, type Target } from './fixture.ts';
import { type LoadShape, PAYLOAD_BYTES } from './measure.ts';
import type { Arrivals } from './receiver-process.ts';
import type { Rig } from './rig.ts';
import type { Size } from './scenarios.ts';
import type { Service } from './service.ts';
import { formatTable, percentile, show, showSpread, spreadOf } from './statistics.ts';

/** The others' p99 in ms, run by run: all ten endpoints answer after `distanceMs`, then one of them hangs. */
export type Isolation = { flow: Flow; distanceMs: number; without: number[]; hanging: number[] };

const FLOWS = ['calm', 'burst'] as const;
type Flow = (typeof FLOWS)[number];

// Calm is one workflow per delivery: fifty a second are about half of what two cores carry that way.
const LOADS: Record<Flow, LoadShape> = {
  calm: { count: 50, concurrency: 32, ratePerSecond: 5 },
  burst: { count: 500, concurrency: 32 },
};
const HANG_MS = 15_000;
const PATIENCE_MS = 60_000;
/** The others' p99 with one hanging over theirs without it. */
const RATIO_AT_MOST = 1.5;

export type IsolationContext = {
  service: Service;
  key: string;
  pool: Pool;
  newId: Parameters<typeof createTarget>[0]['newId'];
};

type Options = { size: Size; runs: number; distancesMs: readonly number[]; onProgress: (line: string) => void };

/** One channel, a subscription at each of the ten endpoints; in every second run the last endpoint takes 15 s to answer. */
export async function measureIsolation(
  rig: Rig,
  context: IsolationContext,
  { size, runs, distancesMs, onProgress }: Options,
): Promise<Isolation[]> {
  const results: Isolation[] = [];
  for (const flow of size === 'quick' ? (['burst'] as const) : FLOWS) {
    for (const distanceMs of distancesMs) {
      const result: Isolation = { flow, distanceMs, without: [], hanging: [] };
      for (let run = 1; run <= runs; run += 1) {
        onProgress(`isolation, ${flow}, at ${showDistance(distanceMs)}, run ${run} of ${runs}`);
        const shape = { load: LOADS[flow], delayMs: distanceMs };
        result.without.push(await othersP99(rig, context, { ...shape, isHanging: false }));
        result.hanging.push(await othersP99(rig, context, { ...shape, isHanging: true }));
      }
      results.push(result);
    }
  }
  return results;
}

async function othersP99(
  rig: Rig,
  { service, key, pool, newId }: IsolationContext,
  { load, delayMs, isHanging }: { load: LoadShape; delayMs: number; isHanging: boolean },
): Promise<number> {
  const urls = rig.endpoints.map((endpoint, index) => `${endpoint}/${index}`);
  const lastPath = `/${urls.length - 1}`;
  const target = await createTarget({ pool, keyRing: rig.keyRing, newId }, urls);
  await rig.receiver.ask('begin', {
    delayMs,
    ...(isHanging && { hangingPath: lastPath, hangMs: HANG_MS }),
  });
  const published = await rig.load.ask('publish', {
    ...load,
    url: service.url,
    key,
    channelId: target.channelId,
    payloadBytes: PAYLOAD_BYTES,
  });
  const sentAt = new Map(published.ids.map((id, index) => [id, published.sentAt[index] ?? 0]));
  const arrivals = await othersArrived(rig, lastPath, published.ids.length * (urls.length - 1));
  const latencies = arrivals.map(({ id, at }) => at - (sentAt.get(id) ?? 0));
  await endAll({ service, key, pool, target });
  // Requests under way to the hanging endpoint are not aborted, and the next run must not share the machine with them.
  if (isHanging) await sleep(HANG_MS);
  return percentile(Float64Array.from(latencies).sort(), 0.99);
}

/** Arrivals at all endpoints but one, once all of them are there. Throws when they do not come. */
async function othersArrived(rig: Rig, exceptPath: string, expected: number): Promise<{ id: string; at: number }[]> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(200)) {
    const { keys, at }: Arrivals = await rig.receiver.ask('arrivals');
    const others = keys
      .map((name, index) => ({ id: name.split(' ')[0] ?? '', path: name.split(' ')[1], at: at[index] ?? 0 }))
      .filter(({ path }) => path !== exceptPath);
    if (others.length >= expected) return others;
  }
  throw new Error(`Not all of ${expected} deliveries to the endpoints that answer have arrived`);
}

/** Deletes the subscriptions as a user would, which ends the deliveries that wait for the hanging endpoint. */
async function endAll(context: { service: Service; key: string; pool: Pool; target: Target }): Promise<void> {
  const { service, key, pool, target } = context;
  for (const id of target.subscriptionIds) {
    await fetch(`${service.url}/v1/subscriptions/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });
  }
  const deadline = Date.now() + PATIENCE_MS;
  while ((await countUnfinished(pool, target)) > 0 && Date.now() < deadline) await sleep(100);
}

export function isolationTable(results: readonly Isolation[]): string {
  return formatTable(
    ['isolation', 'distance', "others' p99 ms", 'with 1 of 10 hanging', 'ratio', 'target', ''],
    results.map(({ flow, distanceMs, without, hanging }) => {
      const [before, after] = [spreadOf(without), spreadOf(hanging)];
      const ratio = after.median / before.median;
      const verdict = ratio <= RATIO_AT_MOST ? 'reached' : 'MISSED';
      const spreads = [showSpread(before), showSpread(after)];
      return [flow, showDistance(distanceMs), ...spreads, show(ratio), `≤ ${RATIO_AT_MOST}`, verdict];
    }),
  );
}
