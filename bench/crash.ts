import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { createPool } from '../src/platform/db/connection.ts';
import { createNewId } from '../src/platform/new-id.ts';
import { ensureBuilt } from '../test/support/service/ensure-built.ts';
import { nowMs } from './clock.ts';
import { countUnfinished, createTarget, type Target } from './fixture.ts';
import { PAYLOAD_BYTES, timesOf, untilArrived, untilRecorded } from './measure.ts';
import { wholeNumber } from './options.ts';
import { type Rig, startRig } from './rig.ts';
import { runMain } from './run-main.ts';
import { WARM_UP } from './scenarios.ts';
import { MODE_NAMES, type Mode } from './service.ts';
import { formatTable, percentile, show } from './statistics.ts';

/** One `kill -9` of the service in the middle of a burst; times in s. */
type Crash = {
  mode: Mode;
  /** Publishes that were answered with 202, and the arrivals of their messages when the process was killed. */
  accepted: number;
  arrivedAtKill: number;
  lost: number;
  doubled: number;
  readyAfterS: number;
  /** Times from the start of the new process: the first remaining arrival, nine tenths of them, the last, nothing unfinished any more. */
  firstAfterS: number;
  mostAfterS: number;
  lastAfterS: number;
  doneAfterS: number;
  doneAfterReadyS: number;
};

const USAGE = `npm run bench:crash -- [options]
  --mode <mode>     ${MODE_NAMES.join(', ')}; may be repeated
  --messages <n>    default 3000, in strict mode a tenth
  --delay <ms>      of the receiver, default 5: so that requests are in flight
  --runs <n>        default 1`;

const newId = createNewId(Date.now);
// The same in the comparison: the supervisor needs a moment to notice.
const RESTART_AFTER_MS = 1_000;
const DONE_PATIENCE_MS = 120_000;

async function crash(rig: Rig, mode: Mode, name: string, load: { count: number; delayMs: number }): Promise<Crash> {
  const databaseUrl = await rig.createDatabase(name);
  const first = await rig.startService({ databaseUrl, mode });
  const pool = createPool(databaseUrl, { max: 4 });
  try {
    const publish = (target: Target, count: number, concurrency: number) =>
      rig.load.ask('publish', {
        url: first.url,
        key: first.key ?? '',
        channelId: target.channelId,
        count,
        concurrency,
        payloadBytes: PAYLOAD_BYTES,
      });
    const make = (): Promise<Target> =>
      createTarget({ pool, keyRing: rig.keyRing, newId }, [`${rig.endpoints[0]}/crash`]);
    const warm = await make();
    await rig.receiver.ask('begin', {});
    await publish(warm, WARM_UP[mode].count, WARM_UP[mode].concurrency);
    await untilArrived(rig, WARM_UP[mode].count);
    await untilRecorded(() => countUnfinished(pool, warm));

    const target = await make();
    await rig.receiver.ask('begin', { delayMs: load.delayMs });
    const publishing = publish(target, load.count, 32);
    while ((await rig.receiver.ask('seen')).arrived < load.count / 3) await sleep(2);
    await first.kill();
    const published = await publishing;
    const arrivedAtKill = (await rig.receiver.ask('seen')).arrived;
    await sleep(RESTART_AFTER_MS);

    const restartedAt = nowMs();
    const second = await rig.startService({ databaseUrl, mode });
    const readyMs = nowMs() - restartedAt;
    try {
      await untilDone(pool, target);
      const doneMs = nowMs() - restartedAt;
      await sleep(500);
      const arrivals = await rig.receiver.ask('arrivals');
      const { lost, doubled } = timesOf(published, arrivals, target);
      const left = arrivals.at.filter((at) => at > restartedAt).sort();
      const secondsUntil = (part: number): number => (percentile(left, part) - restartedAt) / 1_000;
      return {
        mode,
        accepted: published.ids.length,
        arrivedAtKill,
        lost,
        doubled,
        readyAfterS: readyMs / 1_000,
        firstAfterS: secondsUntil(0),
        mostAfterS: secondsUntil(0.9),
        lastAfterS: secondsUntil(1),
        doneAfterS: doneMs / 1_000,
        doneAfterReadyS: (doneMs - readyMs) / 1_000,
      };
    } finally {
      await second.stop();
    }
  } finally {
    await first.kill();
    await pool.end();
  }
}

/** Waits until PostgreSQL has nothing unfinished, or far too much time has passed; missing deliveries then count as lost. */
async function untilDone(pool: Pool, target: Target): Promise<void> {
  const deadline = nowMs() + DONE_PATIENCE_MS;
  while (nowMs() < deadline) {
    if ((await countUnfinished(pool, target)) === 0) return;
    await sleep(10);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      mode: { type: 'string', multiple: true, default: ['default', 'strict'] },
      messages: { type: 'string', default: '3000' },
      delay: { type: 'string', default: '5' },
      runs: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const modes = MODE_NAMES.filter((mode) => values.mode.includes(mode));
  const count = wholeNumber('--messages', values.messages);
  ensureBuilt(console.error);
  const rig = await startRig({ onProgress: console.error });
  const crashes: Crash[] = [];
  try {
    for (const mode of modes) {
      for (let run = 1; run <= wholeNumber('--runs', values.runs); run += 1) {
        console.error(`${mode}, run ${run}`);
        const load = { count: mode === 'strict' ? Math.ceil(count / 10) : count, delayMs: Number(values.delay) };
        crashes.push(await crash(rig, mode, `crash_${mode}_${run}`, load));
      }
    }
  } finally {
    await rig.stop();
  }
  const head =
    'mode|accepted|arrived at the kill|lost|twice|ready after s|first after s|90 % after s|last after s|done after s|done after ready s';
  console.log(
    formatTable(
      head.split('|'),
      crashes.map(({ mode, ...figures }) => [mode, ...Object.values(figures).map(show)]),
      1,
    ),
  );
}

await runMain(main);
