import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import type { Pool } from 'pg';
import { createDatabase } from '../src/platform/db/client.ts';
import { migrate } from '../src/platform/db/migrations/migrate.ts';
import { createPool } from '../src/platform/db/connection.ts';
import { ensureEnvironments } from '../src/process/seed.ts';
import { createNewId } from '../src/platform/new-id.ts';
import { VERSION } from '../src/kernel/words/version.ts';
import { compare } from './against/compare.ts';
import { ensureBuilt } from '../test/support/service/ensure-built.ts';
import { type Ceiling, measureCeilings } from './ceilings.ts';
import { distancesOf, measurePhases, showDistance } from './distance.ts';
import { distanceTable } from './distance-targets.ts';
import { countUnfinished, createTarget } from './fixture.ts';
import { type Figures, measure, PAYLOAD_BYTES } from './measure.ts';
import { type Isolation, isolationTable, measureIsolation } from './isolation.ts';
import { hasGo, type Receiver, urlsAt } from './receivers.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { startProfile } from './profile.ts';
import { ceilingTable, memoryTable, type Result, resultTable } from './report.ts';
import { type Rig, startRig } from './rig.ts';
import { type Scenario, scenariosOf, WARM_UP } from './scenarios.ts';
import { measurePublishing, type PublishingCost, publishingTable } from './publishing.ts';
import { runMain } from './run-main.ts';
import { type Mode, MODES, type Service } from './service.ts';
import { resetStatements, STATEMENT_SETTINGS, topStatements } from './statements.ts';
import { ratioTable, targetTable } from './targets.ts';

const newId = createNewId(Date.now);
const startedAt = new Date();
const progress = (line: string): void =>
  console.error(`[${((Date.now() - startedAt.getTime()) / 1_000).toFixed(0).padStart(4)} s] ${line}`);

/** The parts alone, on a database of their own, before any service runs. */
async function ceilingsOf(rig: Rig, { size }: Options): Promise<Ceiling[]> {
  progress('Ceilings');
  const databaseUrl = await rig.createDatabase('ceilings');
  await migrate(databaseUrl);
  const pool = createPool(databaseUrl, { max: 4 });
  const db = createDatabase(databaseUrl);
  try {
    await ensureEnvironments({ db, newId });
    const counts = size === 'quick' ? { temporal: 250, others: 5_000 } : { temporal: 1_000, others: 10_000 };
    return await measureCeilings(rig, { databaseUrl, pool, counts });
  } finally {
    await db.$disconnect();
    await pool.end();
  }
}

/** All scenarios of one mode: a new database and a new service process. */
async function resultsOf(
  rig: Rig,
  mode: Mode,
  scenarios: readonly Scenario[],
  options: Options,
): Promise<{ results: Result[]; isolation: Isolation[]; publishing: PublishingCost[] }> {
  const databaseUrl = await rig.createDatabase(`mode_${mode}`);
  const { profileFolder } = options;
  const service = await rig.startService({
    databaseUrl,
    mode,
    processes: options.processes,
    isInspected: profileFolder !== undefined,
  });
  const pool = createPool(databaseUrl, { max: 4 });
  const { key } = service;
  if (key === undefined) throw new Error('The service printed no API key');
  /** Makes a fresh target; each call of the returned function is one run to it. */
  const prepare = async (
    { receiver, endpoints }: Receiver,
    scenario: Pick<Scenario, 'load' | 'subscriptions' | 'endpoints' | 'behaviour'>,
  ): Promise<() => Promise<Figures>> => {
    const { load, subscriptions, behaviour } = scenario;
    const urls = urlsAt(endpoints, subscriptions, scenario.endpoints);
    const target = await createTarget({ pool, keyRing: rig.keyRing, newId }, urls);
    const context = { service, key, target, load, behaviour, countUnfinished: () => countUnfinished(pool, target) };
    return () => measure({ ...rig, receiver }, context);
  };
  try {
    await (await prepare(rig, { load: WARM_UP[mode], subscriptions: 1, endpoints: 1, behaviour: {} }))();
    const results: Result[] = [];
    for (const scenario of scenarios) {
      const { name, distancesMs } = scenario;
      const receiver = await rig.openReceiver(scenario.receiver);
      // Distances by turns, so that other load of the machine meets all of them.
      for (let count = 1; count <= options.runs; count += 1) {
        for (const distanceMs of distancesMs) {
          progress(`${mode} ${name} at ${showDistance(distanceMs)}, run ${count} of ${options.runs}`);
          const isProfiled = profileFolder !== undefined && count === 1;
          const path = `${profileFolder}/${mode}-${name}${distanceMs === 0 ? '' : `-${distanceMs}ms`}`;
          const behaviour = { ...scenario.behaviour, delayMs: distanceMs };
          const measureOnce = await prepare(receiver, { ...scenario, behaviour });
          const endProfile = isProfiled ? await startProfiles(service, pool) : undefined;
          const { isLearnt } = scenario;
          for (const { figures, ...phase } of await measurePhases(measureOnce, { isLearnt, distanceMs }))
            addRun(results, { mode, scenario: name, distanceMs, ...phase }, figures);
          await endProfile?.(path);
        }
      }
    }
    const isolation =
      mode === 'default' && options.hasIsolation
        ? await measureIsolation(
            rig,
            { service, key, pool, newId },
            {
              size: options.size,
              runs: options.runs,
              distancesMs: distancesOf('isolation', true, options.distances),
              onProgress: progress,
            },
          )
        : [];
    const publishing =
      mode === 'default' && options.hasPublishing
        ? [await measurePublishing(rig, { service, key, pool, newId }, { runs: options.runs, onProgress: progress })]
        : [];
    return { results, isolation, publishing };
  } finally {
    await pool.end();
    await service.stop();
  }
}

function addRun(results: Result[], about: Omit<Result, 'runs'>, figures: Figures): void {
  const result = results.find(
    ({ scenario, distanceMs, phase }) =>
      scenario === about.scenario && distanceMs === about.distanceMs && phase === about.phase,
  );
  if (result === undefined) results.push({ ...about, runs: [figures] });
  else result.runs.push(figures);
}

/** The requested scenarios, without those that this machine cannot run. */
async function wantedOf({ size, scenarios, distances }: Options): Promise<Scenario[]> {
  const wanted = scenariosOf(size, distances).filter(({ name }) => scenarios.includes(name));
  if (!wanted.some(({ receiver }) => receiver === 'go') || (await hasGo())) return wanted;
  progress('fan-out-go is left out: its receiver needs Linux and go on the PATH');
  return wanted.filter(({ receiver }) => receiver !== 'go');
}

/** Profiles the service's main thread and PostgreSQL until the returned function is called with the place to write them. */
async function startProfiles(service: Service, pool: Pool): Promise<(path: string) => Promise<void>> {
  await resetStatements(pool);
  const endProfile = await startProfile(service.inspectorUrl ?? '');
  return async (path) => {
    await endProfile(path);
    writeFileSync(`${path}-statements.txt`, `${await topStatements(pool)}\n`);
  };
}

function describeRun(rig: Rig, options: Options): object {
  return {
    startedAt,
    machine: {
      processor: cpus()[0]?.model,
      processors: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: `${platform()} ${arch()} ${release()}`,
    },
    versions: { posthorn: VERSION, commit: commit(), node: process.version, ...rig.versions },
    settings: {
      size: options.size,
      runs: options.runs,
      receiver: options.receiver,
      processes: options.processes,
      payloadBytes: PAYLOAD_BYTES,
      deliveryBurstThreshold: MODES,
      postgres: 'fsync, synchronous_commit and full_page_writes on',
    },
  };
}

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

async function main(options: Options): Promise<void> {
  ensureBuilt(progress);
  const { profileFolder } = options;
  if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
  const rig = await startRig({
    onProgress: progress,
    language: options.receiver,
    ...(profileFolder !== undefined && { settings: STATEMENT_SETTINGS }),
  });
  try {
    const about = describeRun(rig, options);
    if (options.against !== undefined) {
      await compare(rig, await wantedOf(options), { options, about, onProgress: progress });
      progress(`Done; every run is in ${options.outputPath}`);
      return;
    }
    const ceilings = options.hasCeilings ? await ceilingsOf(rig, options) : [];
    const wanted = await wantedOf(options);
    const results: Result[] = [];
    const isolation: Isolation[] = [];
    const publishing: PublishingCost[] = [];
    for (const mode of options.modes) {
      const scenarios = wanted.filter((scenario) => scenario.mode === mode);
      if (scenarios.length === 0 && !(mode === 'default' && (options.hasIsolation || options.hasPublishing))) continue;
      const measured = await resultsOf(rig, mode, scenarios, options);
      results.push(...measured.results);
      isolation.push(...measured.isolation);
      publishing.push(...measured.publishing);
    }
    if (profileFolder !== undefined)
      copyFileSync(`${rig.folder}/state/postgres.log`, `${profileFolder}/postgres-slow-statements.log`);
    writeFileSync(
      options.outputPath,
      `${JSON.stringify({ ...about, ceilings, results, isolation, publishing }, undefined, 2)}\n`,
    );
    const tables = [resultTable(results), memoryTable(results), ceilingTable(ceilings)];
    tables.push(
      ratioTable(results, ceilings),
      targetTable(results),
      distanceTable(results, isolation),
      isolationTable(isolation),
      publishingTable(publishing),
    );
    console.log(tables.filter(Boolean).join('\n\n'));
    progress(`Done; every run is in ${options.outputPath}`);
  } finally {
    await rig.stop();
  }
}

await runMain(async () => {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') console.log(USAGE);
  else await main(options);
});
