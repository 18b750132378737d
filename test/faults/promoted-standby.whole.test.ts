import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { migrate } from '../../src/platform/db/migrations/migrate.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { drill } from '../support/check/drill.ts';
import {
  makeDataFolder,
  type OwnPostgres,
  startOwnPostgres,
  startOwnTemporal,
} from '../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../support/service/own-service.ts';
import {
  type ApiProcess,
  type PosthornProcess,
  startApiProcess,
  startWorkerProcess,
  TEST_PROCESSES,
} from '../support/service/processes.ts';
import { createScenes } from '../support/make/scene.ts';
import { type Standby, startStandby } from '../support/service/standby.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';
import { waitFor } from '../support/check/wait-for.ts';

const dataFolder = makeDataFolder();
const servers: OwnPostgres[] = [];
let primary: OwnPostgres;
let failoverSwitch: TcpProxy;
let pool: Pool;
let service: OwnService;
let api: ApiProcess;
let worker: PosthornProcess;
const scenes = createScenes(() => ({ urlOf: () => api.url, key: service.key }));

/** Each server has a folder of its own that PostgreSQL's user can enter. */
function makeFolder(): string {
  const folder = join(dataFolder, `server-${servers.length}`);
  mkdirSync(folder, { mode: 0o711 });
  return folder;
}

beforeAll(async () => {
  const [postgres, temporal] = await Promise.all([startOwnPostgres(makeFolder()), startOwnTemporal(dataFolder)]);
  primary = postgres;
  servers.push(primary);
  await migrate(primary.url);
  failoverSwitch = await startTcpProxy(primary.url);
  pool = createPool(failoverSwitch.url, { max: 3 });
  service = await prepareOwnService(failoverSwitch.url, temporal);
  // Single refusals stand in the log at that level: at others one line tells of the whole outage.
  [api, worker] = await Promise.all([
    startApiProcess(service.settings),
    startWorkerProcess({ ...service.settings, LOG_LEVEL: 'debug' }),
  ]);
}, 400_000);
afterEach(scenes.end);
afterAll(async () => {
  await service.end();
  await pool.end();
  await failoverSwitch.stop();
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(dataFolder, { recursive: true, force: true });
});

const FAILOVERS: Record<string, (standby: Standby) => Promise<void>> = {
  // As a planned one: nothing is there in between, and then a primary.
  'stopped, and its standby promoted before the switch': async (standby) => {
    await primary.stop();
    await standby.promote();
    failoverSwitch.aim(standby.url);
    primary = standby;
  },
  // As a hasty one: for a while the service reaches a server that answers every read and refuses every write (25006).
  'killed, and its standby promoted after the switch': async (standby) => {
    await primary.crash();
    failoverSwitch.aim(standby.url);
    await waitFor('the worker to be refused several times', () => worker.output().split('"25006"').length > 8);
    await standby.promote();
    primary = standby;
  },
};

test.each(Object.keys(FAILOVERS))(
  'a primary %s under everything at once: no process ends, nothing is half done, all works again within 15 s',
  async (name) => {
    const standby = await startStandby(primary, makeFolder());
    servers.push(standby);
    const processes = [api, worker];
    const drilled = { urlOf: () => api.url, key: service.key, pool, client: service.client, scenes, processes };

    const { faults, inDoubt } = await drill(drilled, async () => FAILOVERS[name]?.(standby));

    expect(faults).toEqual([]);
    expect(inDoubt).toBeGreaterThan(0);
    // A standby refuses LISTEN, and the worker kept each connection that had been refused: twenty were all it had.
    const listening = async (): Promise<string[]> => {
      const { rows } = await pool.query<{ query: string }>(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%' ORDER BY query`,
      );
      return rows.map(({ query }) => query);
    };
    // In each process one for deliveries that are due, and one for runs; all works as soon as one process listens again.
    const eachOnce = ['LISTEN posthorn_due', 'LISTEN posthorn_runs'].flatMap((query) =>
      Array.from({ length: Number(TEST_PROCESSES) }, () => query),
    );
    await waitFor('every process to listen again', async () => (await listening()).length >= eachOnce.length);
    expect(await listening()).toEqual(eachOnce);
  },
  400_000,
);
