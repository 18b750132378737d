import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../src/platform/db/migrations/migrate.ts';
import { migrationNames } from '../../src/platform/db/migrations/migrations.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { createReadiness, type ReadinessLook } from '../../src/platform/readiness/readiness.ts';
import { schemaCheck, startChecks } from '../../src/platform/readiness/start-checks.ts';
import { type Edge, type EdgeAnswer, startEdge } from '../support/world/edge.ts';
import { makeDataFolder, startOwnPostgres } from '../support/service/own-servers.ts';
import { waitFor } from '../support/check/wait-for.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.stop());

const NEWEST = migrationNames().at(-1) ?? '';
const readyz = (): Promise<EdgeAnswer> => edge.call({ path: '/readyz', key: null });
const sql = async (text: string): Promise<void> => void (await edge.database.pool.query(text));
const insertMigration = (name: string): Promise<void> =>
  sql(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('${name}', '', '${name}', now())`,
  );

/** A look is reused for a second, and one on a busy machine may be late: waits until /readyz has the status and these words. */
const untilStatus = (status: number, words = ''): Promise<EdgeAnswer> =>
  waitFor(`/readyz to be ${status}`, async () => {
    const answer = await readyz();
    return answer.status === status && answer.text.includes(words) && answer;
  });

describe('a database', () => {
  // Regression: /readyz asked for SELECT 1 and was 200 on any database that answers, and every call was a 500.
  test('that lacks a migration of this release is not ready, and is once it has it', async () => {
    await sql(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${NEWEST}'`);
    const reason = `The database lacks migration ${NEWEST} of this release`;
    const { json, headers } = await untilStatus(503, reason);
    expect(json).toEqual({
      error: { code: 'UNAVAILABLE', message: reason },
      status: 'unavailable',
      parts: { database: 'up', schema: 'down', encryptionKeys: 'unknown', rowSecurity: 'unknown' },
      reasons: { schema: reason },
    });
    expect(headers['retry-after']).toBe('1');
    await sql('UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL');
    expect((await untilStatus(200)).json).toEqual({
      status: 'ready',
      parts: { database: 'up', schema: 'up', encryptionKeys: 'up', rowSecurity: 'up' },
    });
  });

  test('of a version that cannot be upgraded says so, and sends nobody to `posthorn migrate`', async () => {
    await sql(`UPDATE _prisma_migrations SET migration_name = '0050_old_' || migration_name`);
    const { pool, url } = edge.database;
    const config = { databaseUrl: url, encryptionKeys: [] };
    const thrown = await schemaCheck({ pool, config }, [NEWEST])
      .run()
      .catch((failure: unknown) => failure);
    expect(thrown).toMatchObject({ advice: expect.stringContaining('0050_old'), isLasting: true });
    expect(thrown).not.toMatchObject({ advice: expect.stringContaining('posthorn migrate') });
    await sql(`UPDATE _prisma_migrations SET migration_name = replace(migration_name, '0050_old_', '')`);
    await untilStatus(200);
  });

  test('with a migration of a newer release is ready, unless its name says that it takes something away', async () => {
    await insertMigration('9998_more');
    expect((await untilStatus(200)).json['parts']).toEqual({
      database: 'up',
      schema: 'up',
      encryptionKeys: 'up',
      rowSecurity: 'up',
    });
    await insertMigration('9999_less_contract');
    expect((await untilStatus(503, '9999_less_contract')).json['reasons']).toEqual({
      schema: 'The database was migrated to a newer release that this one cannot use (migration 9999_less_contract)',
    });
    await sql(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '999%'`);
    await untilStatus(200);
  });

  test('whose tables have gone under a running API is UNAVAILABLE to callers, with the reason, and no fault of ours', async () => {
    await sql('ALTER TABLE api_keys RENAME TO api_keys_away');
    await sql('ALTER TABLE _prisma_migrations RENAME TO _prisma_migrations_away');
    await untilStatus(503, '0100_baseline');
    // A key that this process has not seen yet: it reads the table.
    const { status, json } = await edge.call({ path: '/v1/api-keys', key: `svc_live_${'x'.repeat(43)}` });
    expect([status, json.error?.code]).toEqual([503, 'UNAVAILABLE']);
    expect(json.error?.message).toMatch(/^The database lacks migration 0100_baseline and \d+ more of this release$/);
    await sql('ALTER TABLE api_keys_away RENAME TO api_keys');
    await sql('ALTER TABLE _prisma_migrations_away RENAME TO _prisma_migrations');
    await untilStatus(200);
  });

  // Regression: "The service cannot reach its database" for one that answers every read.
  test('that is read-only is not ready, and callers are told why nothing is stored', async () => {
    await edge.database.pool.query(`ALTER DATABASE ${edge.database.name} SET default_transaction_read_only = on`);
    await edge.wire.cut();
    await edge.wire.mend();
    const reason = 'The database is read-only';
    // The check behind it finds the schema all the same: it only reads; but behind a database that is down nothing is asked.
    expect((await untilStatus(503, reason)).json).toMatchObject({
      error: { code: 'UNAVAILABLE', message: reason },
      parts: { database: 'down', schema: 'unknown', encryptionKeys: 'unknown', rowSecurity: 'unknown' },
      reasons: { database: reason },
    });
    const { status, json, headers } = await edge.call({
      method: 'POST',
      path: '/v1/api-keys',
      key: edge.key,
      body: { name: 'new' },
    });
    expect([status, headers['retry-after'], json.error]).toEqual([503, '1', { code: 'UNAVAILABLE', message: reason }]);
    await edge.database.pool.query('SET default_transaction_read_only = off');
    await edge.database.pool.query(`ALTER DATABASE ${edge.database.name} RESET default_transaction_read_only`);
    await edge.wire.cut();
    await edge.wire.mend();
    await untilStatus(200);
  });
});

describe('a PostgreSQL of its own', () => {
  const dataFolder = makeDataFolder();
  afterAll(() => rmSync(dataFolder, { recursive: true, force: true }));

  const lookAt = async (url: string): Promise<ReadinessLook> => {
    const pool = createPool(url, { max: 2, connectWithinMs: 30_000 });
    try {
      return await createReadiness(startChecks({ pool, config: { databaseUrl: url, encryptionKeys: [] } })).look();
    } finally {
      await pool.end();
    }
  };

  test('is not ready without tables, nor as a standby, each with its reason', async () => {
    const primary = await startOwnPostgres(dataFolder);
    const empty = await lookAt(primary.url);
    await migrate(primary.url);
    const migrated = await lookAt(primary.url);
    await primary.stop();
    writeFileSync(join(dataFolder, 'postgres', 'standby.signal'), '');
    const standby = await startOwnPostgres(dataFolder);
    const following = await lookAt(standby.url);
    await standby.stop();

    expect(empty.reasons['schema']).toMatch(
      /^The database lacks migration 0100_baseline and \d+ more of this release$/,
    );
    expect(empty.failures[0]?.advice).toMatch(/run `posthorn migrate`$/);
    expect([migrated.isReady, migrated.reasons]).toEqual([true, {}]);
    expect(following.reasons).toEqual({ database: 'The database is a read-only standby' });
  });
});
