import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { Pool } from 'pg';
import { createPool } from '../../src/platform/db/connection.ts';
import { hasFailedTest } from '../support/check/failures.ts';
import { startTopology, type Topology, type TopologyOptions } from './topology.ts';
import { PATIENT } from '../support/service/patience.ts';

/** The topology of one test file, its database and Temporal as a checker reaches them: past the links that faults break. */
export type OwnTopology = { topology: Topology; pool: Pool; temporal: Client; folder: string };

// Two APIs, two workers and Temporal's schema, on a machine that does ten other things as well.
const STARTED_WITHIN_MS = 400_000;

/** Starts a topology before the tests of this file and ends it behind them. Its folder stays where a test has failed. */
export function useTopology(optionsOf: () => TopologyOptions = () => ({})): () => OwnTopology {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-topology-'));
  let own: OwnTopology | undefined;
  let connection: Connection | undefined;

  beforeAll(async () => {
    // PostgreSQL has a user of its own, who must reach its data.
    chmodSync(folder, 0o711);
    const topology = await startTopology(folder, () => undefined, optionsOf());
    const pool = createPool(topology.databaseUrl, { max: 4, ...PATIENT });
    connection = await Connection.connect({ address: topology.temporalAddress });
    own = { topology, pool, temporal: new Client({ connection }), folder };
  }, STARTED_WITHIN_MS);
  afterAll(async () => {
    await connection?.close();
    await own?.pool.end();
    await own?.topology.stop();
    if (hasFailedTest()) process.stderr.write(`the logs of all parts are in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  });

  return () => {
    if (own === undefined) throw new Error('the topology has not started');
    return own;
  };
}
