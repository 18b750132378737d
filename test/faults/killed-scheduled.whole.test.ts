import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { untilSettled } from '../support/check/invariants.ts';
import { makeDataFolder, startOwnTemporal } from '../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../support/service/own-service.ts';
import { type ApiProcess, startApiProcess, startWorkerProcess } from '../support/service/processes.ts';
import { type Scene, setScene } from '../support/make/scene.ts';
import { makeDue } from '../support/world/scheduled.ts';
import { waitFor } from '../support/check/wait-for.ts';

const HOUR_MS = 3_600_000;
// Other test files have clones of this database, with the same numbers of tables.
const HERE = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';

const dataFolder = makeDataFolder();
let database: TestDatabase;
let service: OwnService;
let api: ApiProcess;
let scene: Scene;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await prepareOwnService(database.url, await startOwnTemporal(dataFolder));
  api = await startApiProcess(service.settings);
  scene = await setScene({ urlOf: () => api.url, key: service.key }, 1, () => 200);
}, 400_000);
afterAll(async () => {
  await service.end();
  await scene.receiver.close();
  await database.drop();
  rmSync(dataFolder, { recursive: true, force: true });
});

const count = async (sql: string, channelId: string): Promise<number> =>
  (await database.pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${sql}`, [channelId])).rows[0]
    ?.count ?? -1;

test('a worker killed while it publishes 600 scheduled messages: what it had begun is published by the next two, each message once', async () => {
  const { recorder, receiver, channelId } = scene;
  const ids: string[] = [];
  for (let batch = 0; batch < 6; batch += 1) {
    const messages = Array.from({ length: 100 }, (_, n) => ({
      eventType: 'order.created',
      payload: { n: batch * 100 + n },
      delay: HOUR_MS,
    }));
    const path = `/v1/channels/${channelId}/messages/batch`;
    ids.push(...(await recorder.call<{ ids: string[] }>('POST', path, { messages })).ids);
  }
  const doomed = await startWorkerProcess(service.settings);
  // The statement that publishes waits for this table: its messages are taken out of the scheduled ones already.
  const lock = await database.pool.connect();
  await lock.query('BEGIN; LOCK TABLE deliveries IN EXCLUSIVE MODE');
  await makeDue(database.pool, channelId);
  await waitFor('its statement to wait for the table', async () => {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE NOT l.granted AND l.relation = 'deliveries'::regclass AND a.query LIKE '%INSERT INTO messages%' AND l.${HERE}`,
    );
    // Several processes of a worker may look before it is seen, and each takes messages that no other one has.
    return rows.length > 0;
  });
  await doomed.end('SIGKILL');
  await lock.query('COMMIT');
  lock.release();
  await waitFor('PostgreSQL to have seen it go', async () => {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%INSERT INTO messages%' AND state <> 'idle'
         AND pid <> pg_backend_pid()`,
    );
    return rows.length === 0;
  });

  expect(await count('messages WHERE channel_id = $1', channelId)).toBe(0);
  expect(await count('scheduled_messages WHERE channel_id = $1 AND due_at IS NOT NULL', channelId)).toBe(600);
  const workers = await Promise.all([startWorkerProcess(service.settings), startWorkerProcess(service.settings)]);
  await waitFor(
    'all to be published',
    async () => (await count('messages WHERE channel_id = $1', channelId)) === 600,
    60_000,
  );
  await untilSettled(database.pool, service.client, channelId);

  const times = ids.map((id) => receiver.countOf(id));
  expect(times.filter((each) => each < 1)).toEqual([]);
  // A worker that stalls for longer than its lease counts as dead, and the other one sends its deliveries again.
  if (!workers.some((worker) => worker.output().includes('took over the claims of a dead worker; they are due again')))
    expect(times.filter((each) => each > 1)).toEqual([]);
  expect(await count('deliveries WHERE channel_id = $1', channelId)).toBe(600);
  expect(await count('scheduled_messages WHERE channel_id = $1', channelId)).toBe(0);
}, 400_000);
