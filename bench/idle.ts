import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { createPool } from '../src/platform/db/connection.ts';
import { ensureBuilt } from '../test/support/service/ensure-built.ts';
import { wholeNumber } from './options.ts';
import { readUsage } from './processes.ts';
import { type Rig, startRig } from './rig.ts';
import { runMain } from './run-main.ts';
import { resetStatements, STATEMENT_SETTINGS } from './statements.ts';
import { formatTable } from './statistics.ts';

const USAGE = `npm run bench:idle -- [options]
  what an idle service costs: statements a second, and the CPU of its processes, of PostgreSQL and of Temporal
  --seconds <n>    of each measurement, default 60
  --processes <n>  may be repeated; default 1 and 3
  --most <n>       statements that are shown, those that are asked most often, default 12`;

// Processes have found their turns by then, and what a start asks once is over.
const SETTLES_MS = 15_000;

type Idle = {
  statements: { text: string; perSecond: number }[];
  cpuMs: Record<'service' | 'postgres' | 'temporal', number>;
};

/** An idle `start` with that many processes, on a database of its own. CPU is in ms of each second. */
async function measureIdle(rig: Rig, processes: number, seconds: number): Promise<Idle> {
  const databaseUrl = await rig.createDatabase(`idle_${processes}`);
  const service = await rig.startService({ databaseUrl, processes });
  const pool = createPool(databaseUrl, { max: 1 });
  try {
    await sleep(SETTLES_MS);
    await resetStatements(pool);
    const roots = { service: service.pid, postgres: rig.postgres.pid, temporal: rig.temporal.pid };
    const [before, startedAt] = [readUsage(roots), performance.now()];
    await sleep(seconds * 1_000);
    const [after, tookS] = [readUsage(roots), (performance.now() - startedAt) / 1_000];
    const of = (part: keyof typeof roots): number => (after[part].cpuMs - before[part].cpuMs) / tookS;
    return {
      statements: (await readStatements(pool)).map(({ text, calls }) => ({ text, perSecond: calls / tookS })),
      cpuMs: { service: of('service'), postgres: of('postgres'), temporal: of('temporal') },
    };
  } finally {
    await pool.end();
    await service.stop();
  }
}

/** Statements of the service since the last reset; BEGIN, COMMIT and the like count as well. */
async function readStatements(pool: Pool): Promise<{ text: string; calls: number }[]> {
  const { rows } = await pool.query<{ text: string; calls: number }>(
    `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, sum(calls)::int AS calls FROM pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query NOT LIKE '%pg_stat_statements%'
     GROUP BY 1 ORDER BY 2 DESC`,
  );
  return rows;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      processes: { type: 'string', multiple: true, default: ['1', '3'] },
      most: { type: 'string', default: '12' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const seconds = wholeNumber('--seconds', values.seconds);
  const counts = values.processes.map((count) => wholeNumber('--processes', count));
  ensureBuilt(console.error);
  const rig = await startRig({ onProgress: console.error, settings: STATEMENT_SETTINGS });
  try {
    const idle: Idle[] = [];
    for (const count of counts) idle.push(await measureIdle(rig, count, seconds));
    const row = (name: string, of: (each: Idle) => number): string[] => [
      name,
      ...idle.map((each) => of(each).toFixed(1)),
    ];
    const perSecond = ({ statements }: Idle): number => statements.reduce((sum, each) => sum + each.perSecond, 0);
    const texts = [...new Set(idle.flatMap(({ statements }) => statements.map(({ text }) => text)))];
    const ofText = (text: string) => (each: Idle) => each.statements.find((one) => one.text === text)?.perSecond ?? 0;
    console.log(
      formatTable(
        [`idle for ${seconds} s, processes`, ...counts.map(String)],
        [
          row('statements a second', perSecond),
          row('service, CPU ms a second', ({ cpuMs }) => cpuMs.service),
          row('PostgreSQL, CPU ms a second', ({ cpuMs }) => cpuMs.postgres),
          row('Temporal, CPU ms a second', ({ cpuMs }) => cpuMs.temporal),
          ...texts.slice(0, wholeNumber('--most', values.most)).map((text) => row(text.slice(0, 90), ofText(text))),
        ],
      ),
    );
  } finally {
    await rig.stop();
  }
}

await runMain(main);
