import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { CeilingCommands, CeilingTime } from './ceiling-process.ts';
import { nowMs } from './clock.ts';
import { createTarget, environmentOf } from './fixture.ts';
import { type Helper, startHelper } from './helper.ts';
import { PAYLOAD_BYTES } from './measure.ts';
import { readUsage } from './processes.ts';
import type { Rig } from './rig.ts';
import { createNewId } from '../src/platform/new-id.ts';

/** Rate of one part of the machine alone, taken in the same run. CPU in ms for each of `count`. */
export type Ceiling = {
  name: 'temporal' | 'postgres' | 'sender' | 'load' | 'disk';
  what: string;
  perSecond: number;
  /** CPU of the process that drives it, and of the server if there is one. */
  driverCpuMs: number;
  serverCpuMs: number;
};

export type CeilingCounts = { temporal: number; others: number };

const PAYLOAD = JSON.stringify({ text: 'x'.repeat(PAYLOAD_BYTES - '{"text":""}'.length) });
const CONCURRENCY = 32;
const newId = createNewId(Date.now);

/** Measures each part alone, one after the other; no service may run meanwhile. `pool` connects to `databaseUrl`, which is migrated. */
export async function measureCeilings(
  rig: Rig,
  { databaseUrl, pool, counts }: { databaseUrl: string; pool: Pool; counts: CeilingCounts },
): Promise<Ceiling[]> {
  const ceilings: Ceiling[] = [];
  const take = async (
    described: Pick<Ceiling, 'name' | 'what'>,
    server: number | undefined,
    run: (helper: Helper<CeilingCommands>) => Promise<CeilingTime>,
  ): Promise<void> => {
    const helper = await startHelper<CeilingCommands>('ceiling-process');
    try {
      const roots = { driver: helper.pid, server: server ?? 0 };
      const before = readUsage(roots);
      const { count, wallMs } = await run(helper);
      const after = readUsage(roots);
      const each = (part: keyof typeof roots): number => (after[part].cpuMs - before[part].cpuMs) / count;
      ceilings.push({
        ...described,
        perSecond: (count * 1_000) / wallMs,
        driverCpuMs: each('driver'),
        serverCpuMs: each('server'),
      });
    } finally {
      await helper.stop();
    }
  };

  await take({ name: 'temporal', what: 'empty workflows, started and completed' }, rig.temporal.pid, (helper) =>
    helper.ask('temporal', { address: rig.temporal.address, count: counts.temporal }),
  );

  const target = await createTarget({ pool, keyRing: rig.keyRing, newId }, [`${rig.endpoints[0]}/ceiling`]);
  const environmentId = await environmentOf(pool);
  await take({ name: 'postgres', what: 'the same rows, without HTTP and sending' }, rig.postgres.pid, (helper) =>
    helper.ask('postgres', {
      databaseUrl,
      environmentId,
      places: [{ channelId: target.channelId, eventType: 'bench.sent' }],
      holder: 'inc_ceiling',
      count: counts.others,
      concurrency: CONCURRENCY,
      payload: PAYLOAD,
    }),
  );

  await rig.receiver.ask('begin', {});
  await take({ name: 'sender', what: 'signed posts to the receiver, 10 at a time' }, rig.receiver.pid, (helper) =>
    helper.ask('sender', {
      databaseUrl,
      encryptionKeys: rig.encryptionKeys,
      subscriptionId: target.subscriptionIds[0] ?? '',
      count: counts.others,
      concurrency: 10,
    }),
  );
  ceilings.push(await measureLoad(rig, counts.others), await measureDisk(rig.folder));
  return ceilings;
}

/** The load generator against an endpoint that responds at once: below this rate it cannot be the limit of a service. */
async function measureLoad(rig: Rig, count: number): Promise<Ceiling> {
  const before = readUsage({ load: rig.load.pid, receiver: rig.receiver.pid });
  const published = await rig.load.ask('publish', {
    url: rig.endpoints[0] ?? '',
    key: 'none',
    channelId: 'chn_none',
    count,
    payloadBytes: PAYLOAD_BYTES,
    concurrency: CONCURRENCY,
  });
  const after = readUsage({ load: rig.load.pid, receiver: rig.receiver.pid });
  return {
    name: 'load',
    what: 'the load generator against an answer at once',
    perSecond: (count * 1_000) / (published.endedAt - published.startedAt),
    driverCpuMs: (after.load.cpuMs - before.load.cpuMs) / count,
    serverCpuMs: (after.receiver.cpuMs - before.receiver.cpuMs) / count,
  };
}

const BLOCKS = 300;
const BLOCK_BYTES = 8_192;

/** Sequential commits per second of the disk: a block of PostgreSQL's size, written and flushed. */
async function measureDisk(folder: string): Promise<Ceiling> {
  const file = await open(join(folder, 'flushed'), 'w');
  const block = Buffer.alloc(BLOCK_BYTES);
  const startedAt = nowMs();
  for (let index = 0; index < BLOCKS; index += 1) {
    await file.write(block, 0, BLOCK_BYTES, index * BLOCK_BYTES);
    await file.datasync();
  }
  const wallMs = nowMs() - startedAt;
  await file.close();
  return {
    name: 'disk',
    what: 'blocks written and flushed, one at a time',
    perSecond: (BLOCKS * 1_000) / wallMs,
    driverCpuMs: 0,
    serverCpuMs: 0,
  };
}
