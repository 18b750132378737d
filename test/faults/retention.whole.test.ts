import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createNewId } from '../../src/platform/new-id.ts';
import type { RetentionProgress } from '../../src/kernel/contract/retention.ts';
import { retentionScheduleId, TASK_QUEUE } from '../../src/kernel/contract/temporal-names.ts';
import { insertManyAged } from '../support/make/aged.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { makeDataFolder, startOwnTemporal } from '../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../support/service/own-service.ts';
import { startWorkerProcess } from '../support/service/processes.ts';
import { waitFor } from '../support/check/wait-for.ts';

const dataFolder = makeDataFolder();
let database: TestDatabase;
let service: OwnService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await prepareOwnService(database.url, await startOwnTemporal(dataFolder));
}, 400_000);
afterAll(async () => {
  await service.end();
  await database.drop();
  rmSync(dataFolder, { recursive: true, force: true });
});

/** Two channels that keep a day, each with 600 messages of two days ago; returns their ids in order. */
async function fillTwoChannels(): Promise<[string, string]> {
  const newId = createNewId(Date.now);
  const { id: environmentId } = await database.db.environment.findFirstOrThrow();
  const ids: [string, string] = [newId('channel'), newId('channel')];
  for (const id of ids) {
    await database.db.channel.create({ data: { id, environmentId, name: 'old', retentionDays: 1 } });
    const of = { channelId: id, subscriptionIds: [newId('subscription')], ageDays: 2, count: 600 };
    await insertManyAged(database, of);
  }
  return ids;
}

const countOf = (channelId: string): Promise<number> => database.db.message.count({ where: { channelId } });

test('a pass whose worker is killed in the middle of a batch takes nothing half, and goes on where it was in the next worker', async () => {
  const [first, second] = await fillTwoChannels();
  // The third batch, which is the rest of the second channel, waits for this row: there the worker is killed. Locked before there is a
  // worker, whose schedule may run a pass of its own at once: at every full and half hour.
  const last = await database.db.message.findFirstOrThrow({ where: { channelId: second }, orderBy: { id: 'desc' } });
  const lock = await database.pool.connect();
  await lock.query('BEGIN');
  await lock.query('SELECT id FROM deliveries WHERE message_id = $1 FOR UPDATE', [last.id]);
  const worker = await startWorkerProcess(service.settings);
  const schedule = service.client.schedule.getHandle(retentionScheduleId(TASK_QUEUE));
  await schedule.trigger();
  const workflowId = await waitFor('the pass', async () => {
    const recent = (await schedule.describe()).info.recentActions.at(-1);
    return recent?.action.type === 'startWorkflow' && recent.action.workflow.workflowId;
  });
  const handle = service.client.workflow.getHandle<() => Promise<RetentionProgress>>(workflowId);
  await waitFor('a heartbeat behind the first channel', async () => {
    const [activity] = (await handle.describe()).raw.pendingActivities ?? [];
    const [details] = activity?.heartbeatDetails?.payloads ?? [];
    return Buffer.from(details?.data ?? []).includes(`"position":"${first}"`);
  });
  // That heartbeat may come before it.
  await waitFor("the second channel's part of the second batch", async () => (await countOf(second)) === 200);

  await worker.end('SIGKILL');
  await lock.query('ROLLBACK');
  lock.release();

  expect([await countOf(first), await countOf(second)]).toEqual([0, 200]);
  await startWorkerProcess(service.settings);
  // A try that misses its heartbeats for 5 s, as a worker that has just been started may, is made again from its last heartbeat:
  // when that told of the first channel and the second one is empty by then, the pass ends at the first.
  const { position, kept } = await handle.result();
  expect([first, second]).toContain(position);
  expect(kept).toBe(0);
  expect([await database.db.message.count(), await database.db.delivery.count()]).toEqual([0, 0]);
  expect(await database.db.attempt.count()).toBe(0);
}, 400_000);
