import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { migrate } from '../../src/platform/db/migrations/migrate.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { drill, DRILL_SESSION } from '../support/check/drill.ts';
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
} from '../support/service/processes.ts';
import { createScenes } from '../support/make/scene.ts';

const dataFolder = makeDataFolder();
let postgres: OwnPostgres;
let pool: Pool;
let service: OwnService;
let api: ApiProcess;
let worker: PosthornProcess;
const scenes = createScenes(() => ({ urlOf: () => api.url, key: service.key }));

beforeAll(async () => {
  const [ownPostgres, temporal] = await Promise.all([startOwnPostgres(dataFolder), startOwnTemporal(dataFolder)]);
  postgres = ownPostgres;
  await migrate(postgres.url);
  pool = createPool(postgres.url, { max: 3 });
  service = await prepareOwnService(postgres.url, temporal);
  [api, worker] = await Promise.all([startApiProcess(service.settings), startWorkerProcess(service.settings)]);
}, 400_000);
afterEach(scenes.end);
afterAll(async () => {
  await service.end();
  await pool.end();
  await postgres.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

const FAULTS: Record<string, () => Promise<void>> = {
  // Every session is told 57P01, idle or in the middle of a transaction.
  'PostgreSQL restarted (fast)': async () => {
    await postgres.stop();
    await postgres.restart();
  },
  // Sessions end without a word, and the log is replayed before anybody may connect again (57P03).
  'PostgreSQL restarted (immediate)': async () => {
    await postgres.crash();
    await postgres.restart();
  },
  // But for the one that the others wait for: its end would let them commit before they are ended themselves.
  'all sessions terminated': async () => {
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> $1`,
      [DRILL_SESSION],
    );
  },
};

// Each twice: the second time meets connections, caches and leases that the first one has left.
test.each(Object.keys(FAULTS).flatMap((name) => [1, 2].map((time): [string, number] => [name, time])))(
  '%s under everything at once, time %i: no process ends, nothing is half done, all works again within 15 s',
  async (name) => {
    const processes = [api, worker];
    const drilled = { urlOf: () => api.url, key: service.key, pool, client: service.client, scenes, processes };

    const { faults, inDoubt } = await drill(drilled, async () => FAULTS[name]?.());

    expect(faults).toEqual([]);
    // Otherwise nothing of this has met the fault.
    expect(inDoubt).toBeGreaterThan(0);
  },
  400_000,
);
