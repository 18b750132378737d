import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { Pool } from 'pg';
import { createPool } from '../../src/db/pool.ts';
import { drill } from '../support/check/drill.ts';
import { createScenes } from '../support/make/scene.ts';
import { createChance, FAULTS } from './faults.ts';
import { startTopology, type Topology } from './topology.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-topology-'));
const seed = Number(process.env['POSTHORN_FAULTS_SEED'] ?? 1);
const isLong = process.env['POSTHORN_FAULTS_LENGTH'] === 'long';
let topology: Topology;
let pool: Pool;
let connection: Connection;
const scenes = createScenes(() => ({ urlOf: () => topology.url, key: topology.key }));

beforeAll(async () => {
  // PostgreSQL has a user of its own, who must reach its data.
  chmodSync(folder, 0o711);
  topology = await startTopology(folder, () => undefined);
  pool = createPool(topology.databaseUrl, { max: 4 });
  connection = await Connection.connect({ address: topology.temporalAddress });
}, 400_000);
afterEach(scenes.end);
afterAll(async () => {
  await connection?.close();
  await pool?.end();
  await topology?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe(`with the seed ${seed}`, () => {
  test.each(FAULTS.map((fault) => [fault.number, fault.title, fault] as const))(
    '%s: %s, under everything at once: nothing accepted is lost, nothing is half done, and all works again',
    async (number, title, { run, inTransactions = true }) => {
      process.stderr.write(`${number}: ${title}\n`);
      const drilled = {
        urlOf: () => topology.url,
        key: topology.key,
        pool,
        client: new Client({ connection }),
        scenes,
      };
      const chance = createChance(seed, isLong);
      const { faults } = await drill({ ...drilled, processes: [] }, () => run(topology, chance), {
        inTransactions,
        isProxied: true,
      });
      expect(faults).toEqual([]);
    },
    600_000,
  );
});
